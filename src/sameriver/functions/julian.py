"""The Julian calendar, by which Java's SimpleDateFormat counts days before 15 October 1582."""

from __future__ import annotations

import polars as pl

from sameriver.functions.staged import let

FIRST_GREGORIAN = -141_427
"""15 October 1582, in days since 1970; the day before was 4 October."""


def julian(day: pl.Expr, start: pl.Expr) -> pl.Expr:
    """Days since 1970 (Int64) of a date that was counted as a Gregorian one.

    Args:
        day: days since 1970 of the date as a Gregorian one.
        start: the first of its month, likewise, as a date.
    """
    return pl.when(day < FIRST_GREGORIAN).then(day + _behind(start)).otherwise(day)


def _behind(day: pl.Expr) -> pl.Expr:
    """How many days after the Gregorian date of the same name the Julian one is."""
    year = day.dt.year().cast(pl.Int64) - (day.dt.month() <= 2).cast(pl.Int64)
    return year // 100 - year // 400 - 2


def named(moment: pl.Expr, dtype: pl.Datetime) -> pl.Expr:
    """Moments (naive) before 1582 as the ones whose Gregorian names are their Julian ones.

    A 29 February that only the Julian calendar has is named 1 March.
    """

    def moved(held: pl.Expr) -> pl.Expr:
        return held - pl.duration(days=_behind(held - pl.duration(days=_behind(held))))

    def checked(held: pl.Expr) -> pl.Expr:
        early = held < pl.lit(FIRST_GREGORIAN, dtype=pl.Int32).cast(pl.Date)
        return pl.when(early).then(let(dtype, moved, held)).otherwise(held)

    return let(dtype, checked, moment)
