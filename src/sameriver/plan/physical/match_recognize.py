"""MATCH_RECOGNIZE: rows that follow a pattern, and the state of the search for them."""

from __future__ import annotations

from collections.abc import Iterable

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.time import duration_text
from sameriver.common.types import BIGINT, STRING, TimeAttribute
from sameriver.plan.expressions import Expression, Named, SortKey, columns, to_sql
from sameriver.plan.meaning import Meanings, meaning
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.ordering import order_meaning, order_text
from sameriver.plan.physical.window_state import key_columns


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecognize(PhysicalNode):
    """Schema: the columns of ``partition``, then the measures. The input is insert-only.

    Attributes:
        partition: columns.
        order: keys are columns, the first a time attribute, ascending.
        measures, define: over columns ``variable.column`` of the rows mapped to a variable, or
            ``column`` of any row.
        pattern: variables and quantifiers, apart by a space.
        skip: ``AFTER MATCH SKIP ...``.
        within: ms, or None.
    """

    input: PhysicalNode
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    measures: tuple[Named, ...]
    pattern: str
    skip: str
    within: int | None
    define: tuple[Named, ...]

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.partition,)

    @property
    def refusal(self) -> UserError | None:
        return UserError(
            "UNSUPPORTED",
            "MATCH_RECOGNIZE can be planned and checked, but not run yet",
            hint="Run this statement on Apache Flink.",
        )

    def meanings(self) -> Meanings:
        below = self.input.meanings()
        text = self._text()
        keys = {name: below[name] for name in self.partition}
        return {
            **keys,
            **{m.name: Meaning(f"{self.meaning(m.expression)} IN {text}") for m in self.measures},
        }

    def scope(self) -> RowScope:
        scope = self.input.scope()
        return scope.through(self._text())

    def meaning(self, expression: Expression) -> Meaning:
        """Meaning of a measure or definition; columns keep the variable before them."""
        below = self.input.meanings()
        return meaning(
            expression, {name: _of_variable(name, below) for name in columns(expression)}
        )

    def state(self) -> tuple[StateTable, ...]:
        """The rows that a match may still use, and the matches that have begun."""
        below, scope = self.input.meanings(), self.scope()
        keys = key_columns(self.input.schema, self.partition, below)
        names = self.input.schema.names

        def own(name: str, role: Role) -> StateColumn:
            type = STRING.not_null if name == "step" else BIGINT.not_null
            return StateColumn(
                name=unique(name, names), type=type, meaning=Meaning(name.upper()), role=role
            )

        rows = tuple(
            StateColumn(name=f.name, type=f.type.plain, meaning=below[f.name], role=Role.ROW)
            for f in self.input.schema
            if f.name not in self.partition
        )
        steps = tuple(own(name, Role.ROW) for name in ("step", "first_position", "last_position"))
        return (
            StateTable(
                name="rows", key=(*keys, own("position", Role.KEY)), values=rows, scope=scope
            ),
            StateTable(
                name="matches", key=(*keys, own("match", Role.KEY)), values=steps, scope=scope
            ),
        )

    @property
    def event_time(self) -> bool:
        return self.order[0].expression.type.attribute is not TimeAttribute.PROCTIME

    def _text(self) -> str:
        """All of the clause; the names of measures are aliases, so they are not part of it."""
        below = self.input.meanings()
        defined = (f"{self.meaning(d.expression)} AS {d.name}" for d in self.define)
        parts = [
            f"PARTITION BY {', '.join(sorted(below[key] for key in self.partition)) or '()'}",
            f"ORDER BY {order_meaning(self.order, below)}",
            f"MEASURES {', '.join(self.meaning(m.expression) for m in self.measures)}",
            self.skip,
            f"PATTERN ({self.pattern})",
            f"WITHIN {self.within}",
            f"DEFINE {', '.join(sorted(defined))}",
        ]
        return f"MATCH_RECOGNIZE({' '.join(parts)})"

    def details(self) -> tuple[tuple[str, str], ...]:
        def shown(named: Iterable[Named]) -> str:
            return ", ".join(f"{to_sql(one.expression)} AS {one.name}" for one in named)

        texts = [("partitionBy", ", ".join(self.partition)), ("orderBy", order_text(self.order))]
        texts += [("measures", shown(self.measures)), ("after", self.skip)]
        texts += [("pattern", self.pattern), ("define", shown(self.define))]
        if self.within is not None:
            texts.append(("within", duration_text(self.within)))
        return tuple((name, text) for name, text in texts if text)


def _of_variable(name: str, below: Meanings) -> Meaning:
    """``A.fare`` or ``fare`` over source columns; a column's own name may hold a dot."""
    if name in below:
        return below[name]
    variable, _, column = name.partition(".")
    return Meaning(f"{variable}:{below[column]}")
