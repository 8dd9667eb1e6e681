"""EXTRACT, FLOOR, CEIL, TIMESTAMPADD and TIMESTAMPDIFF over units of time."""

from __future__ import annotations

import polars as pl

from sameriver.common.errors import UserError, nearest
from sameriver.common.types import DATE, DataType, Root, time_unit, to_polars
from sameriver.functions.calendar import MS_PER_DAY, add_months, later, months_later
from sameriver.functions.staged import let

MILLISECONDS = {
    "MILLISECOND": 1,
    "SECOND": 1000,
    "MINUTE": 60_000,
    "HOUR": 3_600_000,
    "DAY": MS_PER_DAY,
    "WEEK": 7 * MS_PER_DAY,
}
MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12, "DECADE": 120, "CENTURY": 1200, "MILLENNIUM": 12000}
_SHORT = {
    "YEAR": "1y", "QUARTER": "1q", "MONTH": "1mo", "DAY": "1d", "HOUR": "1h", "MINUTE": "1m",
    "SECOND": "1s", "MILLISECOND": "1ms",
}  # fmt: skip
FIELDS = (
    *MILLISECONDS, *MONTHS, "MICROSECOND", "NANOSECOND", "EPOCH", "DOW", "ISODOW", "DOY", "ISOYEAR"
)  # fmt: skip


def unit_of(value: object, known: tuple[str, ...] | dict[str, int]) -> str:
    """The unit a literal names; ``SQL_TSI_DAY``, ``DAYS`` and ``day`` are DAY.

    Raises:
        UserError: UNKNOWN_UNIT.
    """
    name = str(value).upper().removeprefix("SQL_TSI_")
    name = name if name in known else name.removesuffix("S")
    if name not in known:
        raise UserError(
            "UNKNOWN_UNIT", f"there is no unit '{value}' here", hint=nearest(name, known)
        )
    return name


_CLOCK = ("HOUR", "MINUTE", "SECOND", "MILLISECOND")
_FINE = ("MICROSECOND", "NANOSECOND")


def fields_of(type: DataType) -> tuple[str, ...]:
    """What EXTRACT takes from values of a type."""
    match type.root:
        case Root.TIME:
            return _CLOCK
        case Root.DATE:
            return tuple(field for field in FIELDS if field not in _FINE)
        case Root.INTERVAL_YEAR_MONTH:
            return ("YEAR", "QUARTER", "MONTH", "CENTURY", "MILLENNIUM")
        case Root.INTERVAL_DAY_TIME:
            return ("DAY", *_CLOCK)
    return FIELDS


def extract(value: pl.Expr, type: DataType, unit: str) -> pl.Expr:
    """A field of a date, time, interval or naive timestamp, as BIGINT."""
    if type.root is Root.INTERVAL_YEAR_MONTH:
        months = value.cast(pl.Int64)
        if unit == "QUARTER":
            left = months - _toward_zero(months, 12) * 12
            return _toward_zero(left - 1, 3) + 1
        whole = _toward_zero(months, MONTHS[unit])
        return whole - _toward_zero(whole, 12) * 12 if unit == "MONTH" else whole
    if type.root is Root.INTERVAL_DAY_TIME:
        return _extract_duration(value.cast(pl.Int64), unit)
    if type.root is Root.TIMESTAMP:
        return _extract_timestamp(value, unit)
    if unit == "EPOCH":
        return value.cast(pl.Datetime("ms")).dt.epoch("s").cast(pl.Int64)
    return _field(value, type, unit).cast(pl.Int64)


def _toward_zero(value: pl.Expr, by: int) -> pl.Expr:
    return value.sign() * (value.abs() // by)


def _extract_duration(ticks: pl.Expr, unit: str) -> pl.Expr:
    if unit in ("DAY", "WEEK"):
        return _toward_zero(ticks, MILLISECONDS[unit])
    wrap = {"HOUR": 24, "MINUTE": 60, "SECOND": 60, "MILLISECOND": 1000}[unit]
    whole = _toward_zero(ticks, MILLISECONDS[unit])
    return whole - _toward_zero(whole, wrap) * wrap


def _extract_timestamp(value: pl.Expr, unit: str) -> pl.Expr:
    """Before 1970 Flink counts days and their parts toward 1970, so that hours are negative."""
    ticks = value.dt.epoch("ms")
    if unit == "EPOCH":
        return _toward_zero(ticks, 1000)
    if unit in _CLOCK:
        return _extract_duration(ticks, unit)
    if unit in _FINE:
        finer = value.dt.nanosecond() % 1_000_000
        parts = _extract_duration(ticks, "MILLISECOND") * 1_000_000 + finer
        return parts if unit == "NANOSECOND" else parts // 1000
    return _field(day_of(value), DATE, unit).cast(pl.Int64)


def day_of(value: pl.Expr) -> pl.Expr:
    """Day of a naive timestamp, as Flink counts it: toward 1970."""
    day = value.dt.date()
    past = (value.dt.epoch("ms") < 0) & (value.dt.epoch("ms") % MS_PER_DAY != 0)
    return pl.when(past).then(day.dt.offset_by("1d")).otherwise(day)


def _field(value: pl.Expr, type: DataType, unit: str) -> pl.Expr:
    if type.root is Root.DATE and unit in _CLOCK:
        # Flink reads the number of days as milliseconds.
        return _extract_duration(value.cast(pl.Int32).cast(pl.Int64), unit)
    part = value.dt
    match unit:
        case "DOW":
            return part.weekday() % 7 + 1
        case "ISODOW":
            return part.weekday()
        case "DOY":
            return part.ordinal_day()
        case "ISOYEAR":
            return part.iso_year()
        case "DECADE" | "CENTURY" | "MILLENNIUM":
            year, span = part.year().cast(pl.Int64), MONTHS[unit] // 12
            return year // span if unit == "DECADE" else (year + span - 1) // span
    simple = {
        "YEAR": part.year, "QUARTER": part.quarter, "MONTH": part.month, "WEEK": part.week,
        "DAY": part.day, "HOUR": part.hour, "MINUTE": part.minute, "SECOND": part.second,
        "MILLISECOND": part.millisecond,
    }  # fmt: skip
    return simple[unit]()


def floor(value: pl.Expr, type: DataType, unit: str) -> pl.Expr:
    """Start of the unit; weeks start on Sunday, as in Flink."""
    if type.root is Root.TIME and unit not in _CLOCK:
        return _time_of(floor(_counted_as_days(value), DATE, unit))
    if type.root is Root.TIME:
        ticks, by = value.cast(pl.Int64), MILLISECONDS[unit] * 1_000_000
        return (ticks - ticks % by).cast(pl.Time)
    if unit in MONTHS:
        day = value if type.root is Root.DATE else day_of(value)
        return _start(day, unit).cast(to_polars(type))
    if unit == "WEEK":
        day = value.dt.truncate("1d")
        return day.dt.offset_by(pl.format("-{}d", day.dt.weekday() % 7))
    if type.root is Root.DATE:
        return value
    return value.dt.truncate(_SHORT[unit])


def _counted_as_days(clock: pl.Expr) -> pl.Expr:
    """For units of a day and longer Flink takes the milliseconds of a TIME for days since 1970."""
    return (clock.cast(pl.Int64) // 1_000_000).cast(pl.Int32).cast(pl.Date)


def _time_of(days: pl.Expr) -> pl.Expr:
    return ((days.cast(pl.Int32).cast(pl.Int64) % MS_PER_DAY) * 1_000_000).cast(pl.Time)


def _start(day: pl.Expr, unit: str) -> pl.Expr:
    if unit in _SHORT:
        return day.dt.truncate(_SHORT[unit])
    year = day.dt.year().cast(pl.Int64)
    span = MONTHS[unit] // 12
    past = year % span if unit == "DECADE" else (year - 1) % span
    return add_months(day.dt.truncate("1y"), past * -12)


def ceil(value: pl.Expr, type: DataType, unit: str) -> pl.Expr:
    """Start of the next unit, or the value itself if it is a start.

    As in Flink a day that starts a longer unit counts as its start, whatever the time of day, but
    a decade is never its own end, nor is a DATE; parts of a millisecond don't count.
    """
    if type.root is Root.TIME and unit not in _CLOCK:
        return _time_of(ceil(_counted_as_days(value), DATE, unit))
    if type.root is Root.TIME:
        start = floor(value, type, unit)
        return pl.when(start == value).then(value).otherwise(add(start, type, unit, pl.lit(1)))
    if unit in MONTHS or unit == "WEEK":
        day = value if type.root is Root.DATE else _counted(value, unit)
        start = _start(day, unit) if unit in MONTHS else floor(day, DATE, unit)
        following = add(start, DATE, unit, pl.lit(1))
        own = start == day if unit != "DECADE" else pl.lit(False)
        return pl.when(own).then(day).otherwise(following).cast(to_polars(type))
    if type.root is Root.DATE:
        return add(value, type, unit, pl.lit(1)) if unit == "DAY" else value
    held = value if unit == "MILLISECOND" else value.dt.truncate("1ms")
    start = held.dt.truncate(_SHORT[unit])
    return pl.when(start == held).then(held).otherwise(add(start, type, unit, pl.lit(1)))


def _counted(value: pl.Expr, unit: str) -> pl.Expr:
    return day_of(value) if unit in MONTHS else value.dt.date()


def add(value: pl.Expr, type: DataType, unit: str, count: pl.Expr) -> pl.Expr:
    """``count`` units later; months keep the day or take their last."""
    count = count.cast(pl.Int64)
    if unit in MONTHS:
        if type.root is Root.TIME:
            return pl.when(count.is_not_null()).then(value)
        return months_later(value, type, count * MONTHS[unit])
    limit = 2**62 // MILLISECONDS[unit]
    return later(value, type, count.clip(-limit, limit) * MILLISECONDS[unit])


def difference(start: pl.Expr, end: pl.Expr, type: DataType, unit: str) -> pl.Expr:
    """Whole units from ``start`` to ``end``, toward zero (INT)."""
    ticks = {"ms": 1, "us": 1000, "ns": 1_000_000}[time_unit(type)]
    if unit in MILLISECONDS:
        distance = end.cast(pl.Int64) - start.cast(pl.Int64)
        if unit == "WEEK":
            # Flink counts seconds in 32 bits here.
            seconds = _toward_zero(distance, 1000 * ticks).cast(pl.Int32, wrap_numerical=True)
            return _toward_zero(seconds.cast(pl.Int64), 604_800).cast(pl.Int32)
        whole = _toward_zero(distance, MILLISECONDS[unit] * ticks)
        return whole.cast(pl.Int32, wrap_numerical=True)
    return _toward_zero(_months_between(start, end), MONTHS[unit]).cast(pl.Int32)


def _months_between(start: pl.Expr, end: pl.Expr) -> pl.Expr:
    """Calcite's rule: whole days decide, the time of day only if the days are equal."""
    return let(pl.Int64(), _months, start.dt.date(), end.dt.date(), end.dt.time() < start.dt.time())


def _months(from_day: pl.Expr, to_day: pl.Expr, sooner: pl.Expr) -> pl.Expr:
    forward = to_day >= from_day
    early = pl.when(forward).then(from_day).otherwise(to_day)
    late = pl.when(forward).then(to_day).otherwise(from_day)
    size = let(pl.Int64(), _whole_months, early, late)
    signed = pl.when(forward).then(size).otherwise(-size)
    met = add_months(from_day, signed) == to_day
    return signed - (met & sooner).cast(pl.Int64)


def _whole_months(early: pl.Expr, late: pl.Expr) -> pl.Expr:
    years = late.dt.year().cast(pl.Int64) - early.dt.year()
    months = years * 12 + late.dt.month().cast(pl.Int64) - early.dt.month()
    return months - (add_months(early, months) > late).cast(pl.Int64)
