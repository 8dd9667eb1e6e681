"""Legacy group windows: ``GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR)`` and TUMBLE_START(...)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema, unique
from sameriver.common.types import PROCTIME, DataType, TimeAttribute
from sameriver.plan import logical
from sameriver.plan.bind.context import Environment
from sameriver.plan.bind.vocabulary import GROUP_WINDOWS, WINDOW_PARTS
from sameriver.plan.bind.window_sizes import check, milliseconds
from sameriver.plan.bind.window_table import BOUND, time_column
from sameriver.plan.expressions import AggregateCall, Column
from sameriver.plan.logical import Logical
from sameriver.plan.window import Window, WindowKind, WindowProperty
from sameriver.sql.nodes import position

_SIGNATURES = {
    WindowKind.TUMBLE: "TUMBLE(ts, size)",
    WindowKind.HOP: "HOP(ts, slide, size)",
    WindowKind.SESSION: "SESSION(ts, gap)",
}


def is_group_window(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name in GROUP_WINDOWS


@dataclass(kw_only=True, eq=False)
class GroupWindow:
    """The window of a GROUP BY, and what SELECT asks of it."""

    window: Window
    input: Logical
    properties: dict[WindowProperty, Column] = field(default_factory=dict)

    def part(self, node: exp.Expr, environment: Environment, taken: Sequence[str]) -> Column:
        """``TUMBLE_START(...)`` and its like, for this window; ``taken`` are names in use.

        Raises:
            UserError: BAD_GROUP_WINDOW if it is of another window, or no part of one.
        """
        if node.name not in WINDOW_PARTS:
            raise UserError(
                "BAD_GROUP_WINDOW",
                f"'{node.name}' stands in GROUP BY only",
                hint=f"Write {node.name}_START(...) or {node.name}_END(...) with its arguments.",
                position=position(node),
            )
        kind, part = WINDOW_PARTS[node.name]
        if _window(node, kind, self.input, environment) != self.window:
            raise UserError(
                "BAD_GROUP_WINDOW",
                f"'{node.name}' is of another window than that of GROUP BY",
                hint=f"Repeat the kind and the arguments of {self.window.kind.value} in GROUP BY.",
                position=position(node),
            )
        self._check_clock(node, part)
        if part not in self.properties:
            name = unique(part.value, taken)
            self.properties[part] = Column(name, self._type(part))
        return self.properties[part]

    def _check_clock(self, node: exp.Expr, part: WindowProperty) -> None:
        event = self.window.type.attribute is TimeAttribute.ROWTIME
        if part is WindowProperty.TIME and not event:
            raise UserError(
                "BAD_GROUP_WINDOW",
                f"'{node.name}' asks a window over processing time for its event time",
                hint=f"Write {self.window.kind.value}_PROCTIME(...).",
                position=position(node),
            )

    def _type(self, part: WindowProperty) -> DataType:
        match part:
            case WindowProperty.TIME:
                return self.window.type
            case WindowProperty.PROCTIME:
                return PROCTIME
        return BOUND

    def plan(
        self,
        below: Logical,
        fields: Sequence[Field],
        keys: tuple[str, ...],
        calls: tuple[AggregateCall, ...],
    ) -> Logical:
        """The node; ``fields`` are those of keys and calls."""
        columns = self.properties.values()
        return logical.GroupWindow(
            input=below,
            window=self.window,
            keys=keys,
            calls=calls,
            properties=tuple((column.name, part) for part, column in self.properties.items()),
            schema=Schema((*fields, *(Field(column.name, column.type) for column in columns))),
        )


def bind_group_window(
    nodes: Sequence[exp.Expr], below: Logical, environment: Environment
) -> GroupWindow:
    """The one group window of a GROUP BY.

    Raises:
        UserError: BAD_GROUP_WINDOW, NOT_A_TIME_ATTRIBUTE, BAD_WINDOW.
    """
    first = nodes[0]
    if len(nodes) > 1:
        raise UserError(
            "BAD_GROUP_WINDOW",
            "GROUP BY has two group windows",
            hint="Window in a derived table, then window again.",
            position=position(nodes[1]),
        )
    window = _window(first, GROUP_WINDOWS[first.name], below, environment)
    return GroupWindow(window=window, input=below)


def _window(node: exp.Expr, kind: WindowKind, below: Logical, environment: Environment) -> Window:
    count = 3 if kind is WindowKind.HOP else 2
    if len(node.expressions) != count or not isinstance(node.expressions[0], exp.Column):
        raise UserError(
            "BAD_GROUP_WINDOW",
            f"'{node.name}' takes a time column and {count - 1} interval{'s' * (count > 2)}",
            hint=f"Write {_SIGNATURES[kind]}.",
            position=position(node),
        )
    time, *lengths = node.expressions
    column = time_column(time, environment.scope, below)
    step = lengths[0] if kind is WindowKind.HOP else None
    word = "gap" if kind is WindowKind.SESSION else "size"
    context = environment.context
    window = Window(
        kind=kind,
        time=column.name,
        type=column.type,
        size=milliseconds(lengths[-1], context, f"the {word} of {kind.value}"),
        step=None if step is None else milliseconds(step, context, f"the slide of {kind.value}"),
        position=position(node),
    )
    check(window, lengths[-1], step, None)
    return window
