"""Text as values, as Flink's CAST from STRING reads it; NULL where it can't."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.types import (
    APPROXIMATE,
    INTEGERS,
    DataType,
    Root,
    time_unit,
    to_polars,
)
from sameriver.functions.decimals import big, exactly_each, scaled
from sameriver.functions.zones import to_instant

_TRUE = ["t", "true", "y", "yes", "1"]
_FALSE = ["f", "false", "n", "no", "0"]
_FLOAT = r"^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?|NaN|Infinity)$"
_PLAIN = r"^([+-]?)(\d*)(?:\.(\d*))?$"
_CLOCK = r"^(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?)?$"
_DATE = r"^(\d{1,4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$"


def parsed(value: pl.Expr, type: DataType, zone: ZoneInfo) -> pl.Expr | None:
    """``value``, a string, as ``type``; None if there is no such reading."""
    trimmed = value.str.strip_chars()
    match type.root:
        case root if root in INTEGERS:
            whole = trimmed.str.extract(r"^([+-]?\d+)(?:\.\d*)?$", 1)
            return whole.cast(to_polars(type), strict=False)
        case root if root in APPROXIMATE:
            number = pl.when(trimmed.str.contains(_FLOAT)).then(trimmed.str.strip_chars_end("dDfF"))
            return number.cast(to_polars(type), strict=False)
        case Root.DECIMAL:
            return decimal_of(trimmed, type)
        case Root.BOOLEAN:
            folded = trimmed.str.to_lowercase()
            truth = pl.when(folded.is_in(_TRUE)).then(pl.lit(True))
            return truth.when(folded.is_in(_FALSE)).then(pl.lit(False))
        case Root.DATE:
            return date_of(trimmed)
        case Root.TIME:
            return _clock_of(trimmed, type).cast(pl.Time)
        case Root.TIMESTAMP:
            return timestamp_of(trimmed, type)
        case Root.TIMESTAMP_LTZ:
            return to_instant(timestamp_of(trimmed, type), zone)
        case Root.BINARY | Root.VARBINARY:
            return value.cast(pl.Binary)
    return None


def decimal_of(value: pl.Expr, type: DataType) -> pl.Expr:
    """Decimal text, rounded HALF_UP; NULL if malformed or too long."""
    scale = type.scale or 0
    groups = value.str.extract_groups(_PLAIN)
    sign, whole, fraction = (groups.struct.field(str(n)) for n in (1, 2, 3))
    fraction = fraction.fill_null("")
    digits = whole + fraction.str.head(scale).str.pad_end(scale, "0")
    size = pl.concat_str(pl.lit("0"), digits.str.strip_chars_start("0"))
    size = size.cast(pl.Int128, strict=False)
    up = fraction.str.slice(scale, 1).str.contains("[5-9]").cast(pl.Int128)
    rounded = size + up
    signed = pl.when(sign == "-").then(big(0) - rounded).otherwise(rounded)
    plain = value.str.contains(r"\d") & ~value.str.contains("[eE]")
    odd = pl.when(value.str.contains("[eE]")).then(value)
    return pl.coalesce(scaled(pl.when(plain).then(signed), type), exactly_each(_read, type, odd))


def _read(shown: str) -> Decimal | None:
    try:
        return Decimal(shown)
    except InvalidOperation:
        return None


def date_of(value: pl.Expr) -> pl.Expr:
    """``2020-01-31``, ``2020-1-31``, ``2020-01``, ``2020``; a time of day behind it is ignored."""
    day = value.str.extract(r"^([^ T]*)", 1).str.extract_groups(_DATE)
    year, month, date = (day.struct.field(str(n)) for n in (1, 2, 3))
    spelled = pl.format("{}-{}-{}", year.str.zfill(4), month.fill_null("1"), date.fill_null("1"))
    return spelled.str.to_date("%Y-%m-%d", strict=False)


def timestamp_of(value: pl.Expr, type: DataType) -> pl.Expr:
    """``2020-01-31[ 10:20:30[.123456789]]``; digits beyond the precision are cut."""
    parts = value.str.splitn(" ", 2)
    day = date_of(pl.when(~value.str.contains("T")).then(parts.struct.field("field_0")))
    clock = parts.struct.field("field_1")
    timed = _clock_of(clock.str.strip_chars(), type)
    timed = pl.when(clock.is_null() | clock.str.contains(r":\d+:")).then(timed)
    unit = time_unit(type)
    nanoseconds = pl.when(clock.is_null()).then(pl.lit(0, dtype=pl.Int64)).otherwise(timed)
    by = {"ms": 1_000_000, "us": 1000, "ns": 1}[unit]
    return (day.cast(pl.Datetime(unit)).cast(pl.Int64) + nanoseconds // by).cast(pl.Datetime(unit))


def _clock_of(value: pl.Expr, type: DataType) -> pl.Expr:
    """Time of day in ns, cut to the precision of ``type``."""
    groups = value.str.extract_groups(_CLOCK)
    hour, minute, second = (
        groups.struct.field(str(n)).cast(pl.Int64, strict=False) for n in (1, 2, 3)
    )
    minute, second = minute.fill_null(0), second.fill_null(0)
    digits = 6 if type.precision is None else type.precision
    shown = groups.struct.field("4").fill_null("").str.head(digits).str.pad_end(9, "0")
    fraction = shown.cast(pl.Int64, strict=False)
    total = ((hour * 60 + minute) * 60 + second) * 1_000_000_000 + fraction
    return pl.when((hour < 24) & (minute < 60) & (second < 60)).then(total)


def exact_text(value: pl.Expr, type: DataType) -> pl.Expr:
    """A floating number as a decimal by its shortest text, as Java's BigDecimal.valueOf."""
    return decimal_of(value.cast(pl.String), type)
