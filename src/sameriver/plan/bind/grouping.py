"""What SELECT and HAVING may say of groups."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from sameriver.common.errors import Position, UserError
from sameriver.common.schema import Field, Schema, unique
from sameriver.common.types import BIGINT
from sameriver.plan import logical
from sameriver.plan.bind.aggregate_call import aggregate_call, is_aggregate
from sameriver.plan.bind.composed import composed
from sameriver.plan.bind.context import Context, Environment
from sameriver.plan.bind.group_window import GroupWindow
from sameriver.plan.bind.operators import condition
from sameriver.plan.bind.outer import is_outer
from sameriver.plan.bind.over import OverCalls
from sameriver.plan.bind.paths import parts_of
from sameriver.plan.bind.vocabulary import GROUP_WINDOWS, GROUPING_CALLS, WINDOW_PARTS
from sameriver.plan.bind.window_sizes import check_panes
from sameriver.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expression,
    Literal,
    to_sql,
    transform,
)
from sameriver.plan.logical import Logical
from sameriver.plan.window_columns import key_columns
from sameriver.sql.nodes import position


@dataclass(kw_only=True, eq=False)
class Grouping:
    """A GROUP BY that is being bound: collects the calls that SELECT and HAVING make.

    Attributes:
        node: GROUP BY as written; None: one group of all rows.
        input: what is grouped, expressions among the keys as columns.
        keys: the expression of each key over the columns in sight, to its output column.
        sets: grouping sets as names of keys; None for a plain GROUP BY.
        window: a legacy group window among the keys.
        environment: for arguments of aggregates and for keys.
        over: collects the OVER calls over the groups.
    """

    node: exp.Expr | None
    input: Logical
    keys: dict[Expression, Column]
    sets: tuple[tuple[str, ...], ...] | None
    window: GroupWindow | None
    environment: Environment
    calls: list[AggregateCall] = field(default_factory=list)
    preferred: str | None = None
    over: OverCalls | None = None

    def item(self, node: exp.Expr, name: str | None, column: Expression | None) -> Expression:
        """An item of SELECT, over the columns of the aggregation.

        Raises:
            UserError: NOT_GROUPED, and whatever else is wrong.
        """
        if column is not None:
            return self._key(column, node)
        inner = node.this if isinstance(node, exp.Alias) else node
        self.preferred = name if is_aggregate(inner, self.environment.context) else None
        return self._outer("SELECT").bind(inner)

    def having(self, node: exp.Expr) -> Expression:
        """The condition of HAVING, over the columns of the aggregation."""
        self.preferred = None
        return condition(node, self._outer("HAVING"), "the condition of HAVING")

    def order(self) -> Environment:
        """For the keys of ORDER BY, over the columns of the aggregation."""
        self.preferred = None
        return self._outer("ORDER BY")

    def plan(self, ttl: str | None) -> Logical:
        """The aggregation, once all expressions are bound."""
        keys = [Field(column.name, column.type) for column in self.keys.values()]
        names = tuple(key.name for key in keys)
        if not names and not self.calls and self.window is None:
            self._call(
                "COUNT", AggregateCall(name="", function="COUNT", args=(), type=BIGINT.not_null)
            )
        results = [Field(call.name, call.type) for call in self.calls]
        if self.window is not None:
            return self.window.plan(self.input, (*keys, *results), names, tuple(self.calls))
        node = logical.Aggregate(
            input=self.input,
            keys=names,
            calls=tuple(self.calls),
            sets=self.sets,
            ttl_hint=ttl,
            schema=Schema((*keys, *results)),
            position=position(self.node) if self.node is not None else self._first_call(),
        )
        window = key_columns(node).window
        if window is not None and self.node is not None:
            check_panes(window, self.node)
        return node

    def _first_call(self) -> Position | None:
        return next((call.position for call in self.calls if call.position is not None), None)

    def _outer(self, clause: str) -> Environment:
        return Environment(
            context=self.environment.context,
            scope=self.environment.scope,
            clause=clause,
            special=self._special,
        )

    def _special(self, node: exp.Expr, at: Environment) -> Expression | None:
        """Keys, aggregates, and what tells of sets and windows; other nodes are bound as ever."""
        made = composed(node)
        if made is not None:
            return at.bind(made)
        if isinstance(node, exp.Window) and self.over is not None and at.clause != "HAVING":
            return self.over.call(node, self._outer("OVER"))
        if is_aggregate(node, self.environment.context):
            return self._aggregate(node)
        if isinstance(node, exp.Anonymous):
            if node.name in GROUPING_CALLS:
                return self._grouping_call(node)
            if self.window is not None and node.name in WINDOW_PARTS | GROUP_WINDOWS:
                return self.window.part(node, self.environment, self._taken())
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            return self._key(self.environment.bind(node), node)
        if any(isinstance(key, Call) for key in self.keys) and _is_plain(node, at.context):
            return self.keys.get(self.environment.bind(node))
        return None

    def key(self, column: Column) -> Column:
        """The key that a column of FROM is.

        Raises:
            UserError: NOT_GROUPED.
        """
        found = next((self.keys[k] for k in self.keys if _is_column(k, column.name)), None)
        if found is None:
            raise UserError(
                "NOT_GROUPED",
                f"Expression '{column.name}' is not being grouped, but a query beside the groups"
                " reads it",
                hint="Add it to GROUP BY.",
                position=column.position,
            )
        return found

    def _key(self, bound: Expression, node: exp.Expr) -> Expression:
        """A column or field in terms of the keys.

        Raises:
            UserError: NOT_GROUPED.
        """
        left: list[Expression] = []

        def key(part: Expression) -> Expression | None:
            found = None if isinstance(part, Literal) else self.keys.get(part)
            if found is None and isinstance(part, Column) and not is_outer(part.name):
                left.append(part)
            return found

        over = transform(bound, key)
        if not left:
            return over
        written = isinstance(node, exp.Column) and not isinstance(node.this, exp.Star)
        name = ".".join(parts_of(node)) if written else to_sql(bound)
        hint = f"Add it to GROUP BY, or aggregate it, as in MAX({name})."
        constants = [to_sql(key) for key in self.keys if isinstance(key, Literal)]
        if constants:
            hint += f" GROUP BY {constants[0]} groups by a constant, not by a column of SELECT."
        raise UserError(
            "NOT_GROUPED",
            f"Expression '{name}' is not being grouped",
            hint=hint,
            position=position(node),
        )

    def _aggregate(self, node: exp.Expr) -> Column:
        keyed = bool(self.keys) or self.window is not None
        call = aggregate_call(node, self.environment, empty=not keyed)
        return self._call(self.preferred or call.function.lower(), call)

    def _call(self, name: str, call: AggregateCall) -> Column:
        """The column of a call; equal calls share it."""
        for known in self.calls:
            if replace(known, name=call.name) == call:
                return Column(known.name, known.type)
        named = replace(call, name=unique(name, self._taken()))
        self.calls.append(named)
        return Column(named.name, named.type)

    def _taken(self) -> list[str]:
        """Names of the output so far."""
        keys = [column.name for column in self.keys.values()]
        parts = [] if self.window is None else [c.name for c in self.window.properties.values()]
        return [*keys, *parts, *(call.name for call in self.calls)]

    def _grouping_call(self, node: exp.Expr) -> Expression:
        """GROUPING, GROUPING_ID, GROUP_ID.

        Raises:
            UserError: WRONG_ARGUMENTS where an argument is no key.
        """
        args = []
        for argument in node.expressions:
            bound = self.environment.bind(argument)
            if bound not in self.keys:
                raise UserError(
                    "WRONG_ARGUMENTS",
                    f"'{to_sql(bound)}' in {node.name} is not a key of GROUP BY",
                    hint="Name keys of the grouping sets.",
                    position=position(argument),
                )
            args.append(Column(self.keys[bound].name, bound.type))
        if bool(args) == (node.name == "GROUP_ID"):
            raise UserError(
                "WRONG_ARGUMENTS",
                f"'{node.name}' takes {'no' if args else 'one or more'} arguments",
                hint="Write GROUPING(a), GROUPING_ID(a, b) or GROUP_ID().",
                position=position(node),
            )
        if self.sets is None:
            return Literal(0, BIGINT.not_null)
        call = AggregateCall(name="", function=node.name, args=tuple(args), type=BIGINT.not_null)
        return self._call(node.name.lower(), call)


def _is_column(key: Expression, name: str) -> bool:
    return isinstance(key, Column) and key.name == name


def _is_plain(node: exp.Expr, context: Context) -> bool:
    """Whether an expression can be bound below the aggregation as it stands."""
    if isinstance(node, exp.Literal | exp.Star | exp.Boolean | exp.Null | exp.Var):
        return False
    return not any(
        is_aggregate(part, context)
        or isinstance(part, exp.Query | exp.Window)
        or (
            isinstance(part, exp.Anonymous)
            and part.name in GROUPING_CALLS | WINDOW_PARTS.keys() | GROUP_WINDOWS.keys()
        )
        for part in node.walk()
    )
