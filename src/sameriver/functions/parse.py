"""Text as values, as Flink's CAST from STRING reads it; NULL where it can't."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.types import (
    APPROXIMATE,
    INTEGERS,
    DataType,
    Root,
    time,
    time_unit,
    to_polars,
)
from sameriver.functions.decimals import big, exactly_each, scaled
from sameriver.functions.staged import else_by, let
from sameriver.functions.zones import to_instant

_INT128 = pl.Int128()
_TRUE = ["t", "true", "y", "yes", "1"]
_FALSE = ["f", "false", "n", "no", "0"]
_FLOAT = r"^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?|NaN|Infinity)$"
_PLAIN = r"^([+-]?)(\d*)(?:\.(\d*))?$"
_CLOCK = r"^(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?)?$"
_YEARS = range(1678, 2262)
"""Years that nanoseconds since 1970 reach in 64 bits."""
_FULL_DATE = r"^[^- T]+-[^- T]+-[^- T]+(?: |$)"
_DATE = r"^(\d{1,4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$"


def parsed(value: pl.Expr, type: DataType, zone: ZoneInfo) -> pl.Expr | None:
    """``value``, a string, as ``type``; None if there is no such reading."""
    trimmed = value.str.strip_chars()
    match type.root:
        case root if root in INTEGERS:
            whole = "0" + trimmed.str.extract(r"^\+?(\d*)(?:\.\d*)?$", 1)
            whole = pl.coalesce(
                pl.when(trimmed.str.contains(r"\d")).then(whole),
                trimmed.str.extract(r"^(-\d+)(?:\.\d*)?$", 1),
            )
            return whole.cast(to_polars(type), strict=False)
        case root if root in APPROXIMATE:
            number = pl.when(trimmed.str.contains(_FLOAT)).then(trimmed.str.strip_chars_end("dDfF"))
            return number.cast(to_polars(type), strict=False)
        case Root.DECIMAL:
            return decimal_of(trimmed, type)
        case Root.BOOLEAN:
            folded = value.str.to_lowercase()
            truth = pl.when(folded.is_in(_TRUE)).then(pl.lit(True))
            return truth.when(folded.is_in(_FALSE)).then(pl.lit(False))
        case Root.DATE:
            return date_of(trimmed)
        case Root.TIME:
            return _time_of_day(trimmed, type.precision or 0)
        case Root.TIMESTAMP:
            return timestamp_of(trimmed, type)
        case Root.TIMESTAMP_LTZ:
            return to_instant(timestamp_of(trimmed, type), zone)
    return None


def decimal_of(value: pl.Expr, type: DataType) -> pl.Expr:
    """Decimal text, rounded HALF_UP; NULL if malformed or too long."""

    def read(text: pl.Expr) -> pl.Expr:
        scientific = text.str.contains("[eE]")
        plain = let(_INT128, _unscaled(type.scale or 0), text.str.extract_groups(_PLAIN))
        odd = exactly_each(_read, type, pl.when(scientific).then(text))
        return pl.when(scientific).then(odd).otherwise(scaled(plain, type))

    return let(to_polars(type), read, value)


def _unscaled(scale: int) -> Callable[[pl.Expr], pl.Expr]:
    """Digits of sign, whole part and fraction as one integer, rounded at ``scale``."""

    def read(groups: pl.Expr) -> pl.Expr:
        sign, whole, fraction = (groups.struct.field(str(n)) for n in (1, 2, 3))
        fraction = fraction.fill_null("")
        digits = whole + fraction.str.head(scale).str.pad_end(scale, "0")
        some = (whole != "") | (fraction != "")
        size = ("0" + pl.when(some).then(digits)).cast(pl.Int128, strict=False)
        up = fraction.str.slice(scale, 1) >= "5"
        return (size + up.cast(pl.Int128)) * pl.when(sign == "-").then(big(-1)).otherwise(big(1))

    return read


def _read(shown: str) -> Decimal | None:
    try:
        return Decimal(shown)
    except InvalidOperation:
        return None


def date_of(value: pl.Expr) -> pl.Expr:
    """``2020-01-31``, ``2020-1-31``, ``2020-01``, ``2020``; a time of day behind it is ignored."""

    def read(text: pl.Expr) -> pl.Expr:
        day = text.str.extract(r"^([^ T]*)", 1)
        return let(pl.Date(), _spelled, day.str.extract_groups(_DATE))

    return else_by(pl.Date(), value.str.to_date("%Y-%m-%d", strict=False), read, value)


def _spelled(day: pl.Expr) -> pl.Expr:
    year, month, date = (day.struct.field(str(n)) for n in (1, 2, 3))
    text = pl.format("{}-{}-{}", year.str.zfill(4), month.fill_null("1"), date.fill_null("1"))
    return text.str.to_date("%Y-%m-%d", strict=False)


def timestamp_of(value: pl.Expr, type: DataType) -> pl.Expr:
    """``2020-01-31[ 10:20:30[.123456789]]``; digits beyond the precision are cut."""
    unit = time_unit(type)
    dtype = pl.Datetime(unit)

    if unit == "ns":
        value = pl.when(value.str.head(4).cast(pl.Int32, strict=False).is_in(_YEARS)).then(value)
    if type.precision not in (3, 6, 9):
        return let(dtype, lambda text: _timestamp(text, type), value)
    quick = value.str.to_datetime(
        "%Y-%m-%d %H:%M:%S%.f", time_unit=unit, strict=False, ambiguous="null"
    )
    return else_by(dtype, quick, lambda text: _timestamp(text, type), value)


def _timestamp(text: pl.Expr, type: DataType) -> pl.Expr:
    """The same, by parts: also ``2020-01-31`` and any number of digits."""
    unit = time_unit(type)
    parts = text.str.splitn(" ", 2)
    day = date_of(pl.when(text.str.contains(_FULL_DATE)).then(parts.struct.field("field_0")))
    clock = parts.struct.field("field_1")
    timed = pl.when(clock.str.contains(r":\d+:")).then(_clock_of(clock.str.strip_chars(), type))
    nanoseconds = pl.when(clock.is_null()).then(pl.lit(0, dtype=pl.Int64)).otherwise(timed)
    by = {"ms": 1_000_000, "us": 1000, "ns": 1}[unit]
    return (day.cast(pl.Datetime(unit)).cast(pl.Int64) + nanoseconds // by).cast(pl.Datetime(unit))


def _clock_of(value: pl.Expr, type: DataType) -> pl.Expr:
    """Time of day in ns, cut to the precision of ``type``."""
    digits = 6 if type.precision is None else type.precision

    def read(groups: pl.Expr) -> pl.Expr:
        hour, minute, second = (
            groups.struct.field(str(n)).cast(pl.Int64, strict=False) for n in (1, 2, 3)
        )
        minute, second = minute.fill_null(0), second.fill_null(0)
        shown = groups.struct.field("4").fill_null("").str.head(digits).str.pad_end(9, "0")
        fraction = shown.cast(pl.Int64, strict=False)
        total = ((hour * 60 + minute) * 60 + second) * 1_000_000_000 + fraction
        return pl.when((hour < 24) & (minute < 60) & (second < 60)).then(total)

    return let(pl.Int64(), read, value.str.extract_groups(_CLOCK))


def _time_of_day(value: pl.Expr, digits: int) -> pl.Expr:
    """Rounded to milliseconds, then cut; NULL if that is the next day."""
    milliseconds = (_clock_of(value, time(9)) + 500_000) // 1_000_000
    by = 10 ** (3 - digits)
    ticks = (milliseconds - milliseconds % by) * 1_000_000
    return pl.when(milliseconds < 86_400_000).then(ticks).cast(pl.Time)


def exact_text(value: pl.Expr, type: DataType) -> pl.Expr:
    """A floating number as a decimal by its shortest text, as Java's BigDecimal.valueOf."""
    return decimal_of(value.cast(pl.String), type)
