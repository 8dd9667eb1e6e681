"""Months, days and milliseconds on dates and times."""

from __future__ import annotations

import polars as pl

from sameriver.common.types import DataType, Root, time_unit

MS_PER_DAY = 86_400_000


def add_months(value: pl.Expr, months: pl.Expr) -> pl.Expr:
    """The same day of another month, or that month's last day."""
    return value.dt.offset_by(pl.format("{}mo", months))


def add_milliseconds(value: pl.Expr, type: DataType, ticks: pl.Expr) -> pl.Expr:
    """``ticks``, in ms, later; a DATE moves by whole days, a TIME goes round the clock."""
    if type.root is Root.DATE:
        days = ticks // MS_PER_DAY
        return (value.cast(pl.Int32).cast(pl.Int64) + days).cast(pl.Int32).cast(pl.Date)
    if type.root is Root.TIME:
        nanoseconds = value.cast(pl.Int64) + ticks * 1_000_000
        return (nanoseconds % (MS_PER_DAY * 1_000_000)).cast(pl.Time)
    by = {"ms": 1, "us": 1000, "ns": 1_000_000}[time_unit(type)]
    return value + (ticks * by).cast(pl.Duration(time_unit(type)))


def shift(
    value: pl.Expr, interval: pl.Expr, type: DataType, kind: DataType, *, sign: int = 1
) -> pl.Expr:
    """``value + interval``, or minus."""
    amount = interval.cast(pl.Int64) * sign
    if kind.root is Root.INTERVAL_YEAR_MONTH:
        return value if type.root is Root.TIME else add_months(value, amount)
    return add_milliseconds(value, type, amount)
