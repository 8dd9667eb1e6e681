"""+ - * / % over numbers, dates and intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from sameriver.common.types import (
    APPROXIMATE,
    BIGINT,
    INTEGERS,
    INTERVALS,
    NUMERIC,
    TIMESTAMPS,
    DataType,
    Root,
    to_polars,
)
from sameriver.functions import decimals
from sameriver.functions.calendar import shift
from sameriver.functions.coercion import common_number
from sameriver.functions.failure import Dtype, fail_where
from sameriver.functions.forms import INTERVAL, NUMBER, Form, infer, wrong_arguments
from sameriver.functions.signature import Evaluation, Infer, Operand, Resolved, ScalarFunction
from sameriver.functions.staged import let

_SHIFTED = (Root.DATE, Root.TIME, *TIMESTAMPS)
_DECIMAL_TYPES: dict[str, Callable[[DataType, DataType], DataType]] = {
    "+": decimals.sum_type,
    "-": decimals.sum_type,
    "*": decimals.product_type,
    "/": decimals.quotient_type,
    "%": decimals.remainder_type,
}


def arithmetic(name: str, symbol: str) -> Infer:
    """Types of ``left symbol right``."""
    forms: tuple[Form, ...] = ((NUMBER, NUMBER),)

    def settle(operands: Sequence[Operand]) -> Resolved:
        if len(operands) != 2:
            raise wrong_arguments(name, operands, forms)
        left, right = _typed(operands[0].type, operands[1].type)
        nullable = left.nullable or right.nullable
        settled = _numbers(left, right, symbol) or _intervals(left, right, symbol)
        if settled is None:
            raise wrong_arguments(name, operands, forms)
        one, two, result = settled
        parameters = (one.with_nullable(left.nullable), two.with_nullable(right.nullable))
        return Resolved(parameters, result.with_nullable(nullable))

    return settle


def _typed(left: DataType, right: DataType) -> tuple[DataType, DataType]:
    """A bare NULL takes the type of the other side."""
    left, right = left.plain, right.plain
    if left.root is Root.NULL:
        left = right.with_nullable(True)
    return left, left.with_nullable(True) if right.root is Root.NULL else right


_Settled = tuple[DataType, DataType, DataType]


def _numbers(left: DataType, right: DataType, symbol: str) -> _Settled | None:
    if left.root not in NUMERIC or right.root not in NUMERIC:
        return None
    if left.root in APPROXIMATE and right.root in APPROXIMATE:
        return None if symbol == "%" else (left, left, left)
    wider = common_number(left, right)
    if symbol == "%" and wider.root in APPROXIMATE:
        return None
    whole = symbol == "%" and not left.scale and not right.scale
    if wider.root is Root.DECIMAL:
        one, two = decimals.as_decimal(left), decimals.as_decimal(right)
        return one, two, right if whole else _DECIMAL_TYPES[symbol](one, two)
    return wider, wider, right if whole else wider


def _intervals(left: DataType, right: DataType, symbol: str) -> _Settled | None:
    if symbol in "+-" and left.root in _SHIFTED and right.root in INTERVALS:
        return left, right, left
    if symbol == "+" and left.root in INTERVALS and right.root in _SHIFTED:
        return left, right, right
    if symbol in "+-" and left.root in INTERVALS and left.root is right.root:
        return left, right, left
    if symbol == "*" and left.root in INTERVALS and right.root in INTEGERS:
        return left, right, left
    if symbol == "*" and right.root in INTERVALS and left.root in INTEGERS:
        return left, right, right
    return None


def _types(evaluation: Evaluation) -> tuple[DataType, DataType]:
    one, two = evaluation.operands
    return one.type, two.type


def _plus(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    return _add(evaluation, args, 1)


def _minus(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    return _add(evaluation, args, -1)


def _add(evaluation: Evaluation, args: Sequence[pl.Expr], sign: int) -> pl.Expr:
    left, right = args
    one, two = _types(evaluation)
    if one.root is Root.DECIMAL:
        return decimals.add(left, right, one, two, sign=sign)
    if one.root in _SHIFTED:
        return shift(left, right, one, two, sign=sign)
    if two.root in _SHIFTED:
        return shift(right, left, two, one, sign=sign)
    return left + right if sign > 0 else left - right


def _times(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    left, right = args
    one, two = _types(evaluation)
    if one.root is Root.DECIMAL:
        return decimals.multiply(left, right, one, two)
    if Root.INTERVAL_DAY_TIME in (one.root, two.root):
        ticks = left.cast(pl.Int64) * right.cast(pl.Int64)
        return ticks.cast(pl.Duration("ms"))
    if Root.INTERVAL_YEAR_MONTH in (one.root, two.root):
        return left.cast(pl.Int32) * right.cast(pl.Int32)
    return left * right


def _by_zero(evaluation: Evaluation, args: Sequence[pl.Expr], value: pl.Expr) -> pl.Expr:
    """Fails where an exact number is divided by zero, as Flink does."""
    left, right = args
    zero = (right == 0) & left.is_not_null()
    return fail_where(
        zero,
        value,
        left,
        to_polars(evaluation.result),
        "DIVISION_BY_ZERO",
        lambda dividend: f"{dividend} is divided by zero",
    )


def _divides_safely(evaluation: Evaluation) -> bool:
    """The divisor is a positive literal: nothing to check row by row."""
    divisor = evaluation.operands[1].value
    return isinstance(divisor, int) and divisor > 0


def _cut(left: pl.Expr, right: pl.Expr, type: DataType, *, positive: bool = False) -> pl.Expr:
    """Integer quotient, rounded toward zero; ``positive``: that is what the divisor is."""
    dtype = to_polars(type)
    if positive:
        # Polars rounds down and divides by a constant fast, so that twice is cheaper than staged.
        return left // right + ((left < 0) & (left % right != 0)).cast(dtype)

    def toward_zero(one: pl.Expr, two: pl.Expr, floor: pl.Expr) -> pl.Expr:
        inexact = (floor * two != one) & ((one < 0) != (two < 0))
        return floor + inexact.cast(dtype)

    return let(dtype, toward_zero, left, right, left // right)


def _over(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    left, right = args
    one, two = _types(evaluation)
    if one.root in APPROXIMATE:
        return quotient(left, right, to_polars(one))
    if one.root is Root.DECIMAL:
        return _by_zero(evaluation, args, decimals.divide(left, right, one, two))
    if _divides_safely(evaluation):
        return _cut(left, right, one, positive=True)
    return _by_zero(evaluation, args, _cut(left, right, one))


def quotient(left: pl.Expr, right: pl.Expr, dtype: Dtype) -> pl.Expr:
    """Floating quotient; Polars multiplies by the reciprocal of a constant, which is not exact."""

    def run(series: Sequence[pl.Series]) -> pl.Series:
        one, two = (side.fill_null(1).to_numpy() for side in series)
        with np.errstate(all="ignore"):
            return pl.Series(np.divide(one, two), dtype=dtype)

    unknown = left.is_null() | right.is_null()
    return pl.when(~unknown).then(pl.map_batches([left, right], run, return_dtype=dtype))


def _modulo(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    left, right = args
    one, two = _types(evaluation)
    result = evaluation.result
    if one.root is Root.DECIMAL and result.root is Root.DECIMAL:
        rest = decimals.remainder(left, right, one, two)
        return _by_zero(evaluation, args, rest.cast(to_polars(result)))
    if one.root is not Root.DECIMAL and _divides_safely(evaluation):
        rest = left % right
        negative = ((left < 0) & (rest != 0)).cast(to_polars(one))
        return (rest - negative * right).cast(to_polars(result))
    type = one
    if one.root is Root.DECIMAL:
        # Beside a whole number Flink counts in 64 bits, whatever a decimal loses by that.
        left, right = (decimals.unscaled(arg) for arg in args)
        left, right = (arg.cast(pl.Int64, wrap_numerical=True) for arg in (left, right))
        type = BIGINT
    rest = left - _cut(left, right, type) * right
    return _by_zero(evaluation, args, rest.cast(to_polars(result)))


def _negate(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    if evaluation.result.root is Root.DECIMAL:
        return (decimals.big(0) - decimals.unscaled(args[0])).reinterpret(
            dtype=to_polars(evaluation.result)
        )
    return -args[0]


ARITHMETIC = [
    ScalarFunction(name="+", infer=arithmetic("+", "+"), kernel=_plus, fallible=True),
    ScalarFunction(name="-", infer=arithmetic("-", "-"), kernel=_minus, fallible=True),
    ScalarFunction(name="*", infer=arithmetic("*", "*"), kernel=_times),
    ScalarFunction(name="/", infer=arithmetic("/", "/"), kernel=_over, fallible=True),
    ScalarFunction(
        name="%", infer=arithmetic("%", "%"), kernel=_modulo, fallible=True, aliases=("MOD",)
    ),
    ScalarFunction(
        name="NEGATE",
        infer=infer("NEGATE", (NUMBER,), (INTERVAL,), result=lambda o: o[0].type),
        kernel=_negate,
    ),
]
