"""CAST and TRY_CAST, as Flink does them."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.types import (
    APPROXIMATE,
    BINARIES,
    CHARACTERS,
    FIELDED,
    INTEGERS,
    MAX_LENGTH,
    NUMERIC,
    TIMESTAMPS,
    DataType,
    Root,
    time_unit,
    to_polars,
)
from sameriver.functions import render
from sameriver.functions.calendar import MS_PER_DAY
from sameriver.functions.coercion import implicit_cast_allowed
from sameriver.functions.decimals import as_decimal, big, rescale, truncated, unscaled
from sameriver.functions.failure import fail_if_null
from sameriver.functions.parse import exact_text, parsed
from sameriver.functions.roaring import packed
from sameriver.functions.zones import to_instant, to_wall

__all__ = ["cast", "cast_allowed", "cast_fallible", "implicit_cast_allowed"]

_READABLE = (
    *NUMERIC,
    *BINARIES,
    Root.BOOLEAN,
    Root.DATE,
    Root.TIME,
    *TIMESTAMPS,
)
_FORBIDDEN = {
    (Root.DATE, Root.TIME),
    (Root.TIME, Root.DATE),
}


def cast_allowed(source: DataType, target: DataType) -> bool:
    """Whether CAST takes ``source`` to ``target``."""
    one, two = source.root, target.root
    if one is Root.NULL:
        return True
    if two in CHARACTERS:
        return one not in (Root.DESCRIPTOR, Root.VARIANT)
    if one in CHARACTERS:
        return two in _READABLE
    if one is Root.BITMAP:
        return two is Root.VARBINARY
    if one is two is Root.VARIANT:
        return True
    if one is two and source.class_name != target.class_name:
        return False
    if one is two and source.children:
        pairs = zip(source.children, target.children, strict=False)
        same = len(source.children) == len(target.children)
        return same and all(a == b or cast_allowed(a, b) for a, b in pairs)
    families = (
        (*NUMERIC, Root.BOOLEAN),
        BINARIES,
        (Root.DATE, Root.TIME, *TIMESTAMPS),
        (Root.INTERVAL_YEAR_MONTH,),
        (Root.INTERVAL_DAY_TIME,),
    )
    return (one, two) not in _FORBIDDEN and any(one in f and two in f for f in families)


def cast_fallible(source: DataType, target: DataType) -> bool:
    """Whether a value may fail the cast."""
    if source.root in CHARACTERS:
        return target.root not in (*CHARACTERS, *BINARIES)
    if source.root in APPROXIMATE and target.root is Root.DECIMAL:
        return True
    if _finer(source, target):
        return True
    if source.root is target.root and source.children:
        return any(map(cast_fallible, source.children, target.children))
    return False


def _finer(source: DataType, target: DataType) -> bool:
    """Whether the cast is to nanoseconds, which reach from 1678 to 2261 only."""
    coarse = source.root is Root.DATE or (source.root in TIMESTAMPS and time_unit(source) != "ns")
    return coarse and target.root in TIMESTAMPS and time_unit(target) == "ns"


def cast(
    value: pl.Expr, source: DataType, target: DataType, zone: ZoneInfo, *, attempt: bool
) -> pl.Expr:
    """``value`` as ``target``.

    What can't be read fails the job, or is NULL with ``attempt`` (TRY_CAST). Other rules are
    Flink's: whole numbers wrap, fractions are cut (HALF_UP for DECIMAL, NULL if it overflows),
    times are cut to their precision.

    Raises:
        EvaluationError: CAST_FAILED, when evaluated.
    """
    result = _converted(value, source, target, zone, attempt)
    if attempt or source.children or not cast_fallible(source, target):
        return result
    return fail_if_null(
        result,
        value,
        to_polars(target),
        "CAST_FAILED",
        lambda shown: f"can't cast '{shown}' to {target.name}",
    )


def _converted(
    value: pl.Expr, source: DataType, target: DataType, zone: ZoneInfo, attempt: bool
) -> pl.Expr:
    one, two = source.root, target.root
    if source.plain.with_nullable(True) == target.plain.with_nullable(True):
        return value
    if one is Root.NULL:
        return value.cast(to_polars(target))
    if two in CHARACTERS:
        shown = render.text(value, source, zone)
        return shown if _no_longer(source, target) else render.fitted(shown, target)
    if two in BINARIES:
        return _binary(value, source, target)
    if one in CHARACTERS:
        read = parsed(value, target, zone)
        return value.cast(to_polars(target)) if read is None else read
    if one is two and source.children:
        return _each(source, target, zone, attempt)(value)
    if one in (*NUMERIC, Root.BOOLEAN):
        return _number(value, source, target)
    if one in (Root.DATE, Root.TIME, *TIMESTAMPS):
        return _time(value, source, target, zone)
    return value.cast(to_polars(target))


def _no_longer(source: DataType, target: DataType) -> bool:
    if source.root not in CHARACTERS or target.root is not Root.VARCHAR:
        return False
    return (source.precision or 0) <= (target.precision or 0)


def _number(value: pl.Expr, source: DataType, target: DataType) -> pl.Expr:
    one, two = source.root, target.root
    if one is Root.BOOLEAN:
        whole = value.cast(pl.Int8)
        return (
            rescale(whole.cast(pl.Decimal(1, 0)), _BIT, target)
            if two is Root.DECIMAL
            else (whole.cast(to_polars(target)))
        )
    if two is Root.BOOLEAN:
        return value != 0
    if two is Root.DECIMAL:
        if one in APPROXIMATE:
            return exact_text(value.cast(pl.Float64), target)
        exact = as_decimal(source)
        return rescale(value.cast(to_polars(exact)), exact, target)
    if one is Root.DECIMAL and two in INTEGERS:
        whole = truncated(unscaled(value), big(10 ** (source.scale or 0)))
        return _wrapped(whole.cast(pl.Int64, wrap_numerical=True), two, target)
    if one in APPROXIMATE and two in INTEGERS:
        held = pl.Int64 if two is Root.BIGINT else pl.Int32
        whole = value.cast(held, strict=False, wrap_numerical=True)
        return _wrapped(whole, two, target)
    return _wrapped(value, two, target)


_BIT = DataType(root=Root.DECIMAL, precision=1, scale=0)


def _wrapped(value: pl.Expr, root: Root, target: DataType) -> pl.Expr:
    return value.cast(to_polars(target), strict=False, wrap_numerical=root in INTEGERS)


def _time(value: pl.Expr, source: DataType, target: DataType, zone: ZoneInfo) -> pl.Expr:
    one, two = source.root, target.root
    if one is Root.TIMESTAMP_LTZ and two is not Root.TIMESTAMP_LTZ:
        value = to_wall(value, zone)
    if one is Root.TIMESTAMP and two in (Root.DATE, Root.TIME):
        return _part(value.dt.epoch("ms"), target)
    if two is Root.DATE:
        return value.cast(pl.Date)
    if two is Root.TIME:
        day = value if one is Root.TIME else value.dt.time()
        return _cut(day.cast(pl.Int64), target, 9).cast(pl.Time)
    unit = time_unit(target)
    if one is Root.TIME:
        value = pl.lit(0).cast(pl.Date).dt.combine(value, time_unit=unit)
    aware = "UTC" if one is two is Root.TIMESTAMP_LTZ else None
    wide = value.cast(pl.Datetime(unit, aware), strict=False)
    if two is Root.TIMESTAMP_LTZ and one is not Root.TIMESTAMP_LTZ:
        wide, aware = to_instant(wide, zone), "UTC"
    if not (one in TIMESTAMPS and (source.precision or 0) <= (target.precision or 0)):
        held = {"ms": 3, "us": 6, "ns": 9}[unit]
        ticks = _cut_back if held == 3 else _cut_digits
        return ticks(wide.cast(pl.Int64), target, held).cast(pl.Datetime(unit, aware))
    return wide


def _cut(ticks: pl.Expr, target: DataType, held: int) -> pl.Expr:
    """Ticks of ``held`` digits of a second, cut to the precision of ``target``."""
    digits = 0 if target.precision is None else target.precision
    by = 10 ** max(0, held - digits)
    return ticks if by == 1 else ticks - ticks % by


def _cut_digits(ticks: pl.Expr, target: DataType, held: int) -> pl.Expr:
    """The same; as in Flink a fraction with no more digits than asked for, but zeros, stays."""
    nanoseconds = ticks % 10**held * 10 ** (9 - held)
    few = nanoseconds < 10 ** (target.precision or 0)
    return pl.when(few).then(ticks).otherwise(_cut(ticks, target, held))


def _cut_back(ticks: pl.Expr, target: DataType, held: int) -> pl.Expr:
    """The same, toward 1970, as Flink cuts milliseconds."""
    return pl.when(ticks < 0).then(-_cut(-ticks, target, held)).otherwise(_cut(ticks, target, held))


def _part(milliseconds: pl.Expr, target: DataType) -> pl.Expr:
    """Day or time of day; before 1970 Flink rounds both toward 1970."""
    size = milliseconds.abs()
    if target.root is Root.DATE:
        return (milliseconds.sign() * (size // MS_PER_DAY)).cast(pl.Int32).cast(pl.Date)
    clock = milliseconds.sign() * _cut(size % MS_PER_DAY, target, 3)
    return ((clock % MS_PER_DAY) * 1_000_000).cast(pl.Time)


def _binary(value: pl.Expr, source: DataType, target: DataType) -> pl.Expr:
    """Bytes cut to the length of the target; BINARY(n) is filled up with zeros."""
    length = target.precision or 1
    octets = packed(value) if source.root is Root.BITMAP else value.cast(pl.Binary)
    fixed = target.root is Root.BINARY
    if source.root is target.root and (source.precision or 0) == length:
        return octets
    if not fixed and source.root in BINARIES and (source.precision or 0) <= length:
        return octets
    if length == MAX_LENGTH:
        return octets
    digits = octets.bin.encode("hex").str.head(2 * length)
    return (digits.str.pad_end(2 * length, "0") if fixed else digits).str.decode("hex")


def _each(
    source: DataType, target: DataType, zone: ZoneInfo, attempt: bool
) -> Callable[[pl.Expr], pl.Expr]:
    """Casts the elements of an array, map or row."""

    def part(value: pl.Expr, position: int) -> pl.Expr:
        return cast(
            value, source.children[position], target.children[position], zone, attempt=attempt
        )

    def whole(value: pl.Expr) -> pl.Expr:
        if source.root in FIELDED:
            fields = [
                part(value.struct.field(old), i).alias(new)
                for i, (old, new) in enumerate(zip(source.names, target.names, strict=True))
            ]
            return pl.when(value.is_not_null()).then(pl.struct(fields))
        if source.root is Root.ARRAY:
            return value.list.eval(part(pl.element(), 0))
        key = part(pl.element().struct.field("key"), 0).alias("key")
        content = pl.element().struct.field("value")
        content = part(content, 1) if source.root is Root.MAP else content
        return value.list.eval(pl.struct(key, content.alias("value")))

    return whole
