"""DECIMAL: Flink's precision rules, and exact arithmetic on unscaled 128-bit integers.

A Decimal column is its unscaled Int128 column seen through a scale, so arithmetic is integer
arithmetic. The few values whose intermediates do not fit 128 bits go through Python's decimals.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import partial

import polars as pl

from sameriver.common.types import DataType, Root, decimal, to_polars
from sameriver.functions.distinct import by_distinct
from sameriver.functions.staged import else_by, let

MAX_PRECISION = 38
_DIGITS = {Root.TINYINT: 3, Root.SMALLINT: 5, Root.INT: 10, Root.BIGINT: 19}
_INT128 = pl.Int128()
_ROOM = 8e37
"""Integers below it can be doubled, or added to another, within 128 bits."""
_WIDE = Context(prec=160, rounding=ROUND_HALF_UP)


def as_decimal(type: DataType) -> DataType:
    """The decimal that an exact number counts as: INT is DECIMAL(10, 0)."""
    if type.root is Root.DECIMAL:
        return type.plain
    return decimal(_DIGITS[type.root], 0).with_nullable(type.nullable)


def _parts(type: DataType) -> tuple[int, int]:
    return type.precision or 0, type.scale or 0


def _bounded(precision: int, scale: int) -> DataType:
    """Flink's cut to 38 digits: the whole part keeps its digits, six of the fraction stay."""
    if precision <= MAX_PRECISION:
        return decimal(precision, scale)
    return decimal(MAX_PRECISION, max(MAX_PRECISION - (precision - scale), min(scale, 6)))


def _sum_shape(left: DataType, right: DataType) -> tuple[int, int]:
    (p1, s1), (p2, s2) = _parts(left), _parts(right)
    scale = max(s1, s2)
    return max(p1 - s1, p2 - s2) + scale + 1, scale


def _product_shape(left: DataType, right: DataType) -> tuple[int, int]:
    (p1, s1), (p2, s2) = _parts(left), _parts(right)
    return p1 + p2 + 1, s1 + s2


def sum_type(left: DataType, right: DataType) -> DataType:
    return _bounded(*_sum_shape(left, right))


def product_type(left: DataType, right: DataType) -> DataType:
    return _bounded(*_product_shape(left, right))


def quotient_type(left: DataType, right: DataType) -> DataType:
    (p1, s1), (p2, s2) = _parts(left), _parts(right)
    scale = max(6, s1 + p2 + 1)
    return _bounded(p1 - s1 + s2 + scale, scale)


def remainder_type(left: DataType, right: DataType) -> DataType:
    (p1, s1), (p2, s2) = _parts(left), _parts(right)
    scale = max(s1, s2)
    return _bounded(min(p1 - s1, p2 - s2) + scale, scale)


def rounded_type(type: DataType, places: int) -> DataType:
    """Type of ROUND(x, places)."""
    precision, scale = _parts(type)
    if places >= scale:
        return decimal(precision, scale)
    if places < 0:
        return decimal(min(MAX_PRECISION, 1 + precision - scale), 0)
    return decimal(1 + precision - scale + places, places)


def total_type(type: DataType) -> DataType:
    """Type of SUM."""
    return decimal(MAX_PRECISION, type.scale or 0)


def average_type(type: DataType) -> DataType:
    """Type of AVG."""
    return decimal(MAX_PRECISION, max(6, type.scale or 0))


def unscaled(value: pl.Expr) -> pl.Expr:
    """1.25 as DECIMAL(10, 2) -> 125, Int128."""
    return value.to_physical().cast(pl.Int128)


def scaled(value: pl.Expr, type: DataType) -> pl.Expr:
    """The decimal of an unscaled integer; NULL where it has too many digits."""
    limit = 10 ** (type.precision or 0)

    def bounded(held: pl.Expr) -> pl.Expr:
        fits = (held > big(-limit)) & (held < big(limit))
        return pl.when(fits).then(held).reinterpret(dtype=_dtype(type))

    return let(_dtype(type), bounded, value)


def _exactly(value: pl.Expr, type: DataType) -> pl.Expr:
    """The decimal of an unscaled integer that is known to fit."""
    return value.reinterpret(dtype=_dtype(type))


def _dtype(type: DataType) -> pl.DataType:
    return pl.Decimal(type.precision, type.scale or 0)


def big(value: int) -> pl.Expr:
    return pl.lit(value, dtype=pl.Int128)


def _negated(value: pl.Expr) -> pl.Expr:
    return big(0) - value


def half_up(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """Quotient of integers, rounded to the nearest, ties away from zero."""
    return let(_INT128, _half_up, numerator, denominator)


def _half_up(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    sizes = (numerator.abs(), denominator.abs())
    rounded = let(_INT128, _nearest, *sizes, sizes[0] // sizes[1])
    return rounded * (numerator.sign() * denominator.sign())


def _nearest(size: pl.Expr, by: pl.Expr, whole: pl.Expr) -> pl.Expr:
    return whole + ((size - whole * by) * 2 >= by).cast(_INT128)


def truncated(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """Quotient of integers, rounded toward zero."""
    return let(_INT128, _truncated, numerator, denominator)


def _truncated(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    size = numerator.abs() // denominator.abs()
    return size * (numerator.sign() * denominator.sign())


def move_point(value: pl.Expr, places: int) -> pl.Expr:
    """Unscaled value with ``places`` more digits (fewer if negative, HALF_UP)."""
    if places == 0:
        return value
    if places > 0:
        return value * big(10**places)
    if places < -MAX_PRECISION:
        return value * big(0)
    return half_up(value, big(10**-places))


def rescale(value: pl.Expr, source: DataType, target: DataType) -> pl.Expr:
    """CAST between decimals: HALF_UP, NULL on overflow."""
    (p1, s1), (p2, s2) = _parts(source), _parts(target)
    if s1 == s2 and p1 <= p2:
        return value.cast(_dtype(target))
    moved = p1 + max(0, s2 - s1)
    if moved > MAX_PRECISION:
        quick = scaled(_with_room(value, s2 - s1), target)
        return _else_exactly(quick, lambda x: x, target, value)
    result = move_point(unscaled(value), s2 - s1)
    return _exactly(result, target) if p1 - s1 < p2 - s2 else scaled(result, target)


def _with_room(value: pl.Expr, places: int = 0) -> pl.Expr:
    """Unscaled value with ``places`` more digits; NULL from ``_ROOM`` on."""
    held = unscaled(value)
    fits = held.cast(pl.Float64).abs() < _ROOM / 10.0**places
    # Of more digits than there are the zero alone has room.
    return pl.when(fits).then(held * big(10 ** min(places, MAX_PRECISION)) if places else held)


def exactly_each(
    compute: Callable[..., Decimal | None], type: DataType, *values: pl.Expr
) -> pl.Expr:
    """``compute`` over distinct combinations, rounded HALF_UP; NULL if None or on overflow.

    Operators of Decimal round to 28 digits, so none is used here or in ``compute``.
    """
    precision, scale = _parts(type)
    unit, limit = Decimal(1).scaleb(-scale), Decimal(10) ** (precision - scale)

    def run(*numbers: Decimal) -> Decimal | None:
        result = compute(*numbers)
        if result is None or not result.is_finite() or result.copy_abs() >= limit:
            return None
        rounded = result.quantize(unit, context=_WIDE)
        return rounded if rounded.copy_abs() < limit else None

    return by_distinct(run, to_polars(type), *values)


def _else_exactly(
    quick: pl.Expr, compute: Callable[..., Decimal | None], type: DataType, *values: pl.Expr
) -> pl.Expr:
    """``quick``; what that leaves open goes through Python's decimals."""
    return else_by(to_polars(type), quick, partial(exactly_each, compute, type), *values)


def add(left: pl.Expr, right: pl.Expr, one: DataType, two: DataType, *, sign: int = 1) -> pl.Expr:
    """Sum, or difference if ``sign`` is -1."""
    precision, scale = _sum_shape(one, two)
    result = sum_type(one, two)
    widest = max((t.precision or 0) + scale - (t.scale or 0) for t in (one, two))
    if scale != result.scale or widest > MAX_PRECISION:
        a = _with_room(left, scale - (one.scale or 0))
        b = _with_room(right, scale - (two.scale or 0))
        total = let(_INT128, partial(_sum, sign, scale - (result.scale or 0)), a, b)
        quick = scaled(total, result)
        exactly = _WIDE.add if sign > 0 else _WIDE.subtract
        return _else_exactly(quick, exactly, result, left, right)
    a = move_point(unscaled(left), scale - (one.scale or 0))
    b = move_point(unscaled(right), scale - (two.scale or 0))
    total = a + b if sign > 0 else a - b
    if precision <= MAX_PRECISION:
        return _exactly(total, result)
    size = a.cast(pl.Float64) + sign * b.cast(pl.Float64)
    return scaled(pl.when(size.abs() < 1.5e38).then(total), result)


def _sum(sign: int, fewer: int, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    return move_point(a + b if sign > 0 else a - b, -fewer)


def multiply(left: pl.Expr, right: pl.Expr, one: DataType, two: DataType) -> pl.Expr:
    precision, scale = _product_shape(one, two)
    result = product_type(one, two)
    a, b = unscaled(left), unscaled(right)
    if scale != result.scale:
        size = a.cast(pl.Float64) * b.cast(pl.Float64)
        product = pl.when(size.abs() < _ROOM).then(a * b)
        quick = scaled(move_point(product, (result.scale or 0) - scale), result)
        return _else_exactly(quick, _WIDE.multiply, result, left, right)
    if precision <= MAX_PRECISION:
        return _exactly(a * b, result)
    size = a.cast(pl.Float64) * b.cast(pl.Float64)
    return scaled(pl.when(size.abs() < 1.5e38).then(a * b), result)


def divide(left: pl.Expr, right: pl.Expr, one: DataType, two: DataType) -> pl.Expr:
    """Quotient, HALF_UP; NULL where the divisor is zero (the caller fails first)."""
    result = quotient_type(one, two)
    shift = (result.scale or 0) + (two.scale or 0) - (one.scale or 0)
    a, b = unscaled(left), unscaled(right)
    b = pl.when(b != 0).then(b)
    if 0 <= shift <= MAX_PRECISION - (one.precision or 0):
        return scaled(half_up(a * big(10**shift), b), result)
    if 0 <= shift <= MAX_PRECISION - (two.precision or 0):
        whole = truncated(a, b)
        rest = half_up((a - whole * b) * big(10**shift), b)
        fits = whole.abs() < big(10 ** (MAX_PRECISION - shift))
        return scaled(pl.when(fits).then(whole * big(10**shift) + rest), result)
    longer, by = _with_room(left, max(shift, 0)), _with_room(right, max(-shift, 0))
    quick = scaled(half_up(longer, pl.when(by != 0).then(by)), result)
    return _else_exactly(quick, _quotient, result, left, right)


def _quotient(a: Decimal, b: Decimal) -> Decimal | None:
    return _WIDE.divide(a, b) if b else None


def _remainder(a: Decimal, b: Decimal) -> Decimal | None:
    return _WIDE.remainder(a, b) if b else None


def remainder(left: pl.Expr, right: pl.Expr, one: DataType, two: DataType) -> pl.Expr:
    """Remainder with the sign of the dividend; NULL where the divisor is zero."""
    result = remainder_type(one, two)
    scale = max(one.scale or 0, two.scale or 0)
    widest = max((t.precision or 0) + scale - (t.scale or 0) for t in (one, two))
    wide = widest > MAX_PRECISION
    more = [scale - (type.scale or 0) for type in (one, two)]
    if wide:
        a, b = _with_room(left, more[0]), _with_room(right, more[1])
    else:
        a, b = move_point(unscaled(left), more[0]), move_point(unscaled(right), more[1])
    rest = let(_INT128, _rest, a, b)
    quick = scaled(move_point(rest, (result.scale or 0) - scale), result)
    return _else_exactly(quick, _remainder, result, left, right) if wide else quick


def _rest(a: pl.Expr, b: pl.Expr) -> pl.Expr:
    divisor = pl.when(b != 0).then(b)
    return a - truncated(a, divisor) * divisor


def round_to(value: pl.Expr, type: DataType, places: int, *, half: bool) -> pl.Expr:
    """ROUND (``half``: HALF_UP) or TRUNCATE to ``places`` digits after the point."""
    result = rounded_type(type, places)
    scale = type.scale or 0
    if places >= scale:
        return value
    if scale - places > MAX_PRECISION:
        return (value * 0).cast(_dtype(result))
    by = big(10 ** (scale - places))
    cut = half_up(unscaled(value), by) if half else truncated(unscaled(value), by)
    return scaled(move_point(cut, (result.scale or 0) - places), result)


def to_whole(value: pl.Expr, type: DataType, *, up: bool) -> pl.Expr:
    """FLOOR or CEIL, as a decimal without fraction."""
    unit = big(10 ** (type.scale or 0))
    whole = unscaled(value)
    result = _negated(_negated(whole) // unit) if up else whole // unit
    return scaled(result, decimal(type.precision or 0, 0))
