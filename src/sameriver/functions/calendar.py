"""Months, days and milliseconds on dates and times."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sameriver.common.types import DataType, Root, time_unit, to_polars
from sameriver.functions.failure import EvaluationError, failure

MS_PER_DAY = 86_400_000


def add_months(value: pl.Expr, months: pl.Expr) -> pl.Expr:
    """The same day of another month, or that month's last day."""
    return value.dt.offset_by(pl.format("{}mo", months))


def add_milliseconds(value: pl.Expr, type: DataType, ticks: pl.Expr) -> pl.Expr:
    """``ticks``, in ms, later; a DATE moves by whole days, a TIME goes round the clock."""
    if type.root is Root.DATE:
        days = ticks.sign() * (ticks.abs() // MS_PER_DAY)
        return (value.cast(pl.Int32).cast(pl.Int64) + days).cast(pl.Int32).cast(pl.Date)
    if type.root is Root.TIME:
        nanoseconds = value.cast(pl.Int64) + ticks * 1_000_000
        return (nanoseconds % (MS_PER_DAY * 1_000_000)).cast(pl.Time)
    by = {"ms": 1, "us": 1000, "ns": 1_000_000}[time_unit(type)]
    return value + (ticks * by).cast(pl.Duration(time_unit(type)))


def shift(
    value: pl.Expr, interval: pl.Expr, type: DataType, kind: DataType, *, sign: int = 1
) -> pl.Expr:
    """``value + interval``, or minus.

    Raises:
        EvaluationError: OUT_OF_RANGE, when evaluated.
    """
    amount = interval.cast(pl.Int64) * sign
    if kind.root is not Root.INTERVAL_YEAR_MONTH:
        return later(value, type, amount)
    if type.root is Root.TIME:
        return pl.when(amount.is_not_null()).then(value)
    return months_later(value, type, amount)


def months_later(value: pl.Expr, type: DataType, months: pl.Expr) -> pl.Expr:
    """So many months later.

    Raises:
        EvaluationError: OUT_OF_RANGE, when evaluated.
    """
    near = pl.when(months.abs() <= 12 * _YEARS).then(months)
    return _checked(add_months(value, near), value, type, months)


def later(value: pl.Expr, type: DataType, ticks: pl.Expr) -> pl.Expr:
    """So many milliseconds later.

    Raises:
        EvaluationError: OUT_OF_RANGE, when evaluated.
    """
    if type.root is Root.TIME:
        return add_milliseconds(value, type, ticks)
    near = pl.when(ticks.abs() <= 366 * _YEARS * MS_PER_DAY).then(ticks)
    return _checked(add_milliseconds(value, type, near), value, type, ticks)


_YEARS = 20_000
"""More than lies between any two days of the calendar."""


def _checked(moved: pl.Expr, value: pl.Expr, type: DataType, by: pl.Expr) -> pl.Expr:
    """``moved``, an error where it went too far: then it is NULL, or on the wrong side."""

    def check(series: Sequence[pl.Series]) -> pl.Series:
        result, start, amount = series
        if result.null_count() > max(start.null_count(), amount.null_count()):
            missing = result.is_null() & start.is_not_null() & amount.is_not_null()
            if missing.any():
                raise _too_far(start, missing)
        if nanoseconds:
            wrong = ((amount > 0) & (result < start)) | ((amount < 0) & (result > start))
            if wrong.any():
                raise _too_far(start, wrong)
        return result

    nanoseconds = type.root is not Root.DATE and time_unit(type) == "ns"
    return pl.map_batches([moved, value, by], check, return_dtype=to_polars(type))


def _too_far(start: pl.Series, wrong: pl.Series) -> EvaluationError:
    place = wrong.arg_max() or 0 if len(start) > 1 else 0
    shown = start.cast(pl.String)[place]
    return failure("OUT_OF_RANGE", f"what is added to '{shown}' leads out of the calendar")
