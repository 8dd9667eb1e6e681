"""``f(...) OVER (...)`` and ``WINDOW w AS (...)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from sqlglot import exp

from sameriver import functions
from sameriver.common.errors import UserError, nearest
from sameriver.common.schema import Field, Schema, unique
from sameriver.plan import logical
from sameriver.plan.bind.aggregate_call import aggregate_call, is_aggregate
from sameriver.plan.bind.calls import coerce, operand, unknown_function
from sameriver.plan.bind.composed import composed
from sameriver.plan.bind.context import Environment
from sameriver.plan.bind.frames import bind_frame
from sameriver.plan.expressions import AggregateCall, Column, Expression, Literal, Named, SortKey
from sameriver.plan.logical import Frame, Logical, OverCall
from sameriver.sql.nodes import position

_ROWS_SO_FAR = Frame(rows=True, preceding=None, following=0)
_UNORDERED = ("ROW_NUMBER",)
"""Functions that need no ORDER BY."""


@dataclass(kw_only=True, eq=False)
class OverCalls:
    """The OVER calls of a query block, collected while its expressions are bound.

    Attributes:
        windows: what WINDOW names.
        input: names of the columns that stand below.
        calls: as bound so far; what they read are columns of the input or ``added`` ones.
        added: expressions that become columns below.
        inside: whether one is being bound: there are none in another.
    """

    windows: Mapping[str, exp.Expr]
    input: Sequence[str]
    calls: list[OverCall] = field(default_factory=list)
    added: list[Named] = field(default_factory=list)
    inside: bool = False

    @classmethod
    def of(cls, query: exp.Expr, input: Sequence[str]) -> OverCalls:
        """None bound yet.

        Raises:
            UserError: BAD_WINDOW for a name that is there twice.
        """
        windows: dict[str, exp.Expr] = {}
        for window in query.args.get("windows") or ():
            if window.name in windows:
                raise UserError(
                    "BAD_WINDOW",
                    f"WINDOW has '{window.name}' twice",
                    hint="Give each window a name of its own.",
                    position=position(window),
                )
            windows[window.name] = window
        return cls(windows=windows, input=list(input))

    def environment(self, inner: Environment) -> Environment:
        """An environment in which OVER calls mean the columns they will give."""

        def special(node: exp.Expr, at: Environment) -> Expression | None:
            if isinstance(node, exp.Window):
                made = composed(node)
                return self.call(node, inner) if made is None else at.bind(made)
            return inner.special(node, at) if inner.special is not None else None

        return replace(inner, special=special)

    def call(self, node: exp.Expr, environment: Environment) -> Column:
        """The column of an OVER call.

        Raises:
            UserError: WRONG_ARGUMENTS, BAD_WINDOW, BAD_FRAME, ORDER_REQUIRED, ...
        """
        if self.inside:
            bind_misplaced(node, environment)
        self.inside = True
        try:
            return self._call(node, replace(environment, clause="OVER"))
        finally:
            self.inside = False

    def _call(self, node: exp.Expr, inside: Environment) -> Column:
        window = self._window(node)
        call = self._function(node.this, inside)
        order = self._order(window, inside, call)
        bound = OverCall(
            call=call,
            partition=self._partition(window, inside),
            order=order,
            frame=self._frame(window, inside, call, ordered=bool(order)),
        )
        for known in self.calls:
            if replace(known, call=replace(known.call, name="")) == bound:
                return Column(known.call.name, known.call.type)
        named = replace(call, name=self._fresh("$over"))
        self.calls.append(replace(bound, call=named))
        return Column(named.name, named.type)

    def plan(self, below: Logical) -> Logical:
        """The calls over ``below``; just that if there are none."""
        if not self.calls:
            return below
        if self.added:
            through = [Named(f.name, Column(f.name, f.type)) for f in below.schema]
            below = logical.Project(input=below, columns=(*through, *self.added))
        results = tuple(Field(over.call.name, over.call.type) for over in self.calls)
        schema = Schema((*below.schema.fields, *results))
        return logical.Over(input=below, calls=tuple(self.calls), schema=schema)

    def _window(self, node: exp.Expr) -> exp.Expr:
        """PARTITION BY, ORDER BY and frame in one, named windows resolved."""
        name = node.args.get("alias")
        if name is None:
            return node
        text = name if isinstance(name, str) else name.name
        found = self.windows.get(text)
        if found is None:
            raise UserError(
                "BAD_WINDOW",
                f"there is no window '{text}'",
                hint=nearest(text, self.windows)
                or f"Add WINDOW {text} AS (PARTITION BY ... ORDER BY ...) after the FROM.",
                position=position(node),
            )
        base = self._window(found)
        own = {key: node.args.get(key) for key in ("partition_by", "order", "spec")}
        taken = [key for key, value in own.items() if value and base.args.get(key)]
        if own["partition_by"] or taken:
            raise UserError(
                "BAD_WINDOW",
                f"a window based on '{text}' can't have a PARTITION BY, or ORDER BY and frame"
                " where that has them",
                hint=f"Write all of it in the parentheses instead of '{text}'.",
                position=position(node),
            )
        merged = {key: value or base.args.get(key) for key, value in own.items()}
        return exp.Window(this=node.this, **merged)

    def _function(self, node: exp.Expr, environment: Environment) -> AggregateCall:
        if isinstance(node, exp.Filter):
            raise UserError(
                "WRONG_ARGUMENTS",
                "FILTER and OVER don't go together",
                hint="Aggregate CASE WHEN ... THEN ... END instead.",
                position=position(node),
            )
        if is_aggregate(node, environment.context):
            call = aggregate_call(node, environment, empty=False)
        else:
            call = _ranking_call(node, environment)
        args = tuple(self._column(arg, keep_literal=True) for arg in call.args)
        filter = None if call.filter is None else self._column(call.filter)
        return replace(call, args=args, filter=filter)

    def _partition(self, window: exp.Expr, environment: Environment) -> tuple[str, ...]:
        written = window.args.get("partition_by") or ()
        bound = [environment.bind(key) for key in written]
        columns = [self._column(key) for key in bound if not isinstance(key, Literal)]
        return tuple(dict.fromkeys(c.name for c in columns if isinstance(c, Column)))

    def _order(
        self, window: exp.Expr, environment: Environment, call: AggregateCall
    ) -> tuple[SortKey, ...]:
        order = window.args.get("order")
        keys: dict[Expression, SortKey] = {}
        for written in order.expressions if order is not None else ():
            bound = environment.bind(written.this)
            if isinstance(bound, Literal):
                continue
            column = self._column(bound)
            descending = bool(written.args.get("desc"))
            nulls = written.args.get("nulls_first")
            nulls_first = not descending if nulls is None else nulls
            keys.setdefault(column, SortKey(column, descending, nulls_first))
        needs = functions.ranking(call.function) is not None and call.function not in _UNORDERED
        if order is None and needs:
            raise UserError(
                "ORDER_REQUIRED",
                f"'{call.function}' needs an ORDER BY in its window",
                hint=f"Write {call.function}(...) OVER (PARTITION BY ... ORDER BY ...).",
            )
        return tuple(keys.values())

    def _frame(
        self, window: exp.Expr, environment: Environment, call: AggregateCall, *, ordered: bool
    ) -> Frame:
        spec = window.args.get("spec")
        if functions.ranking(call.function) is None:
            return bind_frame(spec, environment, ordered=ordered)
        if spec is not None:
            raise UserError(
                "BAD_FRAME",
                f"ROWS and RANGE are not allowed with '{call.function}'",
                hint="Leave the frame out: the order alone counts.",
                position=position(spec),
            )
        return _ROWS_SO_FAR

    def _column(self, bound: Expression, *, keep_literal: bool = False) -> Expression:
        """The column that holds an expression below the calls."""
        if isinstance(bound, Column) or (keep_literal and isinstance(bound, Literal)):
            return bound
        for known in self.added:
            if known.expression == bound:
                return Column(known.name, bound.type)
        self.added.append(Named(self._fresh("$w"), bound))
        return Column(self.added[-1].name, bound.type)

    def _fresh(self, name: str) -> str:
        taken = [over.call.name for over in self.calls]
        return unique(name, [*self.input, *taken, *(added.name for added in self.added)])


def _ranking_call(node: exp.Expr, environment: Environment) -> AggregateCall:
    """A call of ROW_NUMBER, LAG and their like.

    Raises:
        UserError: UNKNOWN_FUNCTION, NOT_AN_AGGREGATE, WRONG_ARGUMENTS.
    """
    if not isinstance(node, exp.Anonymous):
        environment.bind(node)
    function = functions.ranking(node.name)
    if function is None:
        if functions.scalar(node.name) is None:
            raise unknown_function(node.name).at(position(node))
        raise UserError(
            "NOT_AN_AGGREGATE",
            f"OVER must be applied to an aggregate function, which '{node.name}' is not",
            hint="Leave OVER out, or use SUM, COUNT, ROW_NUMBER, LAG or their like.",
            position=position(node),
        )
    inside = replace(environment, clause=f"an argument of '{function.name}'")
    args = [inside.bind(argument) for argument in node.expressions]
    try:
        resolved = function.infer([operand(arg) for arg in args])
    except UserError as error:
        error.at(position(node))
        raise
    pairs = zip(args, resolved.parameters, strict=True)
    return AggregateCall(
        name="",
        function=function.name,
        args=tuple(coerce(arg, parameter) for arg, parameter in pairs),
        type=resolved.result,
        position=position(node),
    )


def bind_misplaced(node: exp.Expr, environment: Environment) -> NoReturn:
    """OVER where it may not stand."""
    raise UserError(
        "OVER_NOT_ALLOWED",
        f"OVER may not stand in {environment.clause}",
        hint="Compute it in a derived table and use its column here:"
        " SELECT ... FROM (SELECT *, ROW_NUMBER() OVER (...) AS rn FROM t) WHERE rn = 1.",
        position=position(node),
    )
