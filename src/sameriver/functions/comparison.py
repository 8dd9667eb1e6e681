"""Comparisons: NULL if a side is NULL, but for IS [NOT] DISTINCT FROM and IS NULL."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import polars as pl

from sameriver.common.errors import UserError
from sameriver.common.types import (
    APPROXIMATE,
    BOOLEAN,
    CHARACTERS,
    NUMERIC,
    TIMESTAMPS,
    UNORDERED,
    DataType,
    Root,
    timestamp,
)
from sameriver.functions.coercion import comparable
from sameriver.functions.forms import ANY, Form, wrong_arguments
from sameriver.functions.signature import Evaluation, Infer, Operand, Resolved, ScalarFunction

_PAIR: tuple[Form, ...] = ((ANY, ANY),)


def _compared(name: str, *, equality: bool, nullable: bool | None = None) -> Infer:
    def settle(operands: Sequence[Operand]) -> Resolved:
        if len(operands) != 2:
            raise wrong_arguments(name, operands, _PAIR)
        left, right = (operand.type.plain for operand in operands)
        either = left.nullable or right.nullable
        result = BOOLEAN.with_nullable(either if nullable is None else nullable)
        if equality and apart(left, right):
            return Resolved((left, right), result)
        common = _in_common(name, left, right, equality)
        if common is None:
            raise incomparable(name, operands)
        parameters = (side(left, common), side(right, common))
        return Resolved(parameters, result, attempt=name in ("=", "<>"))

    return settle


def _in_common(name: str, left: DataType, right: DataType, equality: bool) -> DataType | None:
    """What both sides are compared as; = and <> see a TIMESTAMP_LTZ as the zone's clocks show it.

    What has no order can still be ordered with a bare NULL, but for rows.
    """
    if name in ("=", "<>") and {left.root, right.root} == set(TIMESTAMPS):
        return timestamp(max(left.precision or 0, right.precision or 0))
    common = comparable(left, right, equality=equality)
    unordered = common is not None and common.root in UNORDERED and not equality
    if unordered and Root.NULL not in (left.root, right.root):
        return None
    return common


def apart(left: DataType, right: DataType) -> bool:
    """Whether values are never equal: in Flink no BOOLEAN equals a text."""
    return any(
        one.root is Root.BOOLEAN and two.root in CHARACTERS
        for one, two in ((left, right), (right, left))
    )


def _sides(evaluation: Evaluation, args: Sequence[pl.Expr]) -> Sequence[pl.Expr]:
    """What is compared: in place of values that are never equal, numbers that differ."""
    one, two = (operand.type for operand in evaluation.operands)
    if not apart(one, two):
        return args
    return [pl.when(arg.is_not_null()).then(place) for place, arg in enumerate(args)]


def side(type: DataType, common: DataType) -> DataType:
    """What one side is cast to; strings of any length compare as they are."""
    if type.root in CHARACTERS and common.root in CHARACTERS:
        return type
    return common.with_nullable(type.nullable)


def incomparable(name: str, operands: Sequence[Operand]) -> UserError:
    roots = [operand.type.root for operand in operands]
    text = any(root in CHARACTERS for root in roots)
    number = any(root in NUMERIC for root in roots)
    hint = "CAST one side to the type of the other."
    if text and number:
        hint = "CAST the string to the type of the number, or the number to STRING."
    return wrong_arguments(name, operands, _PAIR, hint=hint)


def _comparison(
    name: str,
    compare: Callable[[pl.Expr, pl.Expr], pl.Expr],
    *,
    equality: bool = False,
    nullable: bool | None = None,
) -> ScalarFunction:
    def kernel(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
        ordered = compare(*_sides(evaluation, args))
        if equality or evaluation.operands[0].type.root not in APPROXIMATE:
            return ordered
        return ordered & args[0].is_not_nan() & args[1].is_not_nan()

    settle = _compared(name, equality=equality, nullable=nullable)
    return ScalarFunction(name=name, infer=settle, kernel=kernel)


def _members(operands: Sequence[Operand]) -> Resolved:
    if len(operands) < 2:
        raise wrong_arguments("IN", operands, ((ANY, ANY, ...),))
    value, *rest = (operand.type.plain for operand in operands)
    common: DataType | None = value
    if value.root in CHARACTERS and any(type.root in NUMERIC for type in rest):
        if any(type.root not in NUMERIC for type in rest):
            raise incomparable("IN", operands)
        # As texts, in Flink.
        rest = [value.with_nullable(type.nullable) for type in rest]
    for type in rest:
        common = common and comparable(common, type, equality=False)
    if common is None or (common.root is Root.BOOLEAN and value.root is not Root.BOOLEAN):
        raise incomparable("IN", operands)
    parameters = tuple(side(type, common) for type in (value, *rest))
    return Resolved(parameters, BOOLEAN.with_nullable(any(t.nullable for t in (value, *rest))))


def _in(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    value, *rest = args
    return pl.any_horizontal([value == member for member in rest])


def _null_test(operands: Sequence[Operand]) -> Resolved:
    if len(operands) != 1:
        raise wrong_arguments("IS NULL", operands, ((ANY,),))
    return Resolved((operands[0].type.plain,), BOOLEAN.with_nullable(False))


COMPARISON = [
    _comparison("=", operator.eq, equality=True),
    _comparison("<>", operator.ne, equality=True),
    _comparison("<", operator.lt),
    _comparison("<=", operator.le),
    _comparison(">", operator.gt),
    _comparison(">=", operator.ge),
    _comparison("IS DISTINCT FROM", pl.Expr.ne_missing, equality=True, nullable=False),
    _comparison("IS NOT DISTINCT FROM", pl.Expr.eq_missing, equality=True, nullable=False),
    ScalarFunction(name="IS NULL", infer=_null_test, kernel=lambda _, args: args[0].is_null()),
    ScalarFunction(
        name="IS NOT NULL", infer=_null_test, kernel=lambda _, args: args[0].is_not_null()
    ),
    ScalarFunction(name="IN", infer=_members, kernel=_in),
]
