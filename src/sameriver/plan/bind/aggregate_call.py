"""Calls of aggregates: DISTINCT, FILTER, and Flink's result types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from sameriver import functions
from sameriver.common.errors import UserError
from sameriver.common.types import BINARIES, DataType, Root, TimeAttribute
from sameriver.functions.aggregates import aggregate_type
from sameriver.functions.python import PythonFunction, taken_by
from sameriver.plan.bind.calls import coerce, operand
from sameriver.plan.bind.composed import COMPOSED
from sameriver.plan.bind.context import Context, Environment
from sameriver.plan.bind.operators import condition
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.expressions import AggregateCall, Expression
from sameriver.sql.nodes import position

_PICKS = ("MIN", "MAX", "FIRST_VALUE", "LAST_VALUE")
"""Aggregates whose result is one of the values they saw."""


def is_aggregate(node: exp.Expr, context: Context) -> bool:
    """Whether a node calls an aggregate, with or without FILTER."""
    if isinstance(node, exp.Filter):
        return is_aggregate(node.this, context)
    if not isinstance(node, exp.Anonymous):
        return False
    known = functions.aggregate(node.name) is not None or node.name in COMPOSED
    return known or _users(node, context) is not None


def _users(node: exp.Expr, context: Context) -> PythonFunction | None:
    """The user's aggregate that a node calls."""
    found = context.catalog.function(node.name, context.namespace)
    return found if found is not None and found.aggregate is not None else None


def aggregate_call(node: exp.Expr, environment: Environment, *, empty: bool) -> AggregateCall:
    """The call over the columns in sight; its name is left open.

    ``empty``: it may see no row, since there are no keys.

    Raises:
        UserError: WRONG_ARGUMENTS, AGGREGATE_NOT_ALLOWED for an aggregate inside.
    """
    filter = None
    call = node
    if isinstance(node, exp.Filter):
        call = node.this
        inner = replace(environment, clause="FILTER")
        filter = condition(node.expression.this, inner, "the condition of FILTER")
    if call.name in COMPOSED:
        raise unsupported(f"'{call.name}' in OVER", call, "Aggregate with GROUP BY.")
    function = functions.aggregate(call.name)
    own = _users(call, environment.context) if function is None else None
    name = call.name if function is None else function.name
    written, distinct = _arguments(call, name)
    inside = replace(environment, clause=f"an argument of '{name}'")
    args = [inside.bind(argument) for argument in written]
    if distinct:
        _check_distinct(call, name, args)
    operands = [operand(arg) for arg in args]
    try:
        if function is not None:
            parameters = function.infer(operands).parameters
            type = aggregate_type(name, operands, empty=empty or filter is not None)
        else:
            assert own is not None
            assert own.result is not None
            parameters, type = taken_by(name, own, operands), own.result
    except UserError as error:
        error.at(position(call))
        raise
    return AggregateCall(
        name="",
        function=name,
        args=tuple(coerce(arg, p) for arg, p in zip(args, parameters, strict=True)),
        distinct=distinct,
        filter=filter,
        type=_timed(name, args, type),
        definition=own,
        position=position(call),
    )


def _arguments(call: exp.Expr, name: str) -> tuple[Sequence[exp.Expr], bool]:
    """Arguments as written, none for ``COUNT(*)``; and whether DISTINCT is there."""
    written = call.expressions
    first = written[0] if written else None
    if isinstance(first, exp.Star) and name == "COUNT":
        return (), False
    if not written or isinstance(first, exp.Star):
        takes = "COUNT(*) or COUNT(a)" if name == "COUNT" else f"{name}(a)"
        raise UserError(
            "WRONG_ARGUMENTS",
            f"'{name}' does not take ({'*' if written else ''})",
            hint=f"Write {takes}.",
            position=position(call),
        )
    if isinstance(first, exp.Distinct):
        return first.expressions, True
    return written, False


_NOT_DISTINCT = frozenset({Root.ROW, Root.STRUCTURED, *BINARIES})
"""What DISTINCT does not take, as in Flink."""


def _check_distinct(call: exp.Expr, name: str, args: Sequence[Expression]) -> None:
    """Raises UserError: WRONG_ARGUMENTS for values that can't be told apart."""
    bad = next((arg.type for arg in args if arg.type.root in _NOT_DISTINCT), None)
    if bad is not None:
        raise UserError(
            "WRONG_ARGUMENTS",
            f"'{name}(DISTINCT ...)' does not take {bad.name}",
            hint="CAST it to STRING, or take a field of it.",
            position=position(call),
        )


def _timed(name: str, args: Sequence[Expression], type: DataType) -> DataType:
    """The extreme of an event time is shown as one, as in Flink."""
    if name in _PICKS and args[0].type.attribute is TimeAttribute.ROWTIME:
        return replace(type, attribute=TimeAttribute.ROWTIME)
    return type
