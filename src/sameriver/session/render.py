"""Rows as JSON values, printed as Flink's client prints them."""

from __future__ import annotations

import math
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.schema import Schema
from sameriver.common.types import APPROXIMATE, BINARIES, INTEGERS, DataType, Root
from sameriver.functions.render import text


def rows_as_json(frame: pl.DataFrame, schema: Schema, zone: ZoneInfo) -> list[list[object]]:
    """One list a row: numbers and booleans as such, NULL as None, all else as text.

    Timestamps have the digits of their precision (``YYYY-MM-DD HH:MM:SS.mmm``), TIMESTAMP_LTZ in
    ``zone``; decimals those of their scale; binary is hexadecimal (``x'0a'``); NaN and infinite
    numbers, which JSON lacks, are text.
    """
    columns = [_values(frame.get_column(field.name), field.type, zone) for field in schema]
    return [list(row) for row in zip(*columns, strict=True)]


def _values(column: pl.Series, type: DataType, zone: ZoneInfo) -> list[object]:
    if type.root in (Root.BOOLEAN, Root.NULL, *INTEGERS):
        return column.to_list()
    if type.root in APPROXIMATE:
        return _numbers(column)
    if type.root in BINARIES:
        shown = pl.format("x'{}'", pl.col("value").bin.encode("hex"))
    else:
        shown = text(pl.col("value"), type, zone)
    return column.alias("value").to_frame().select(shown).to_series().to_list()


def _numbers(column: pl.Series) -> list[object]:
    if column.dtype == pl.Float32:
        # By way of text: 0.1 stays 0.1 where widening would give 0.10000000149.
        column = column.cast(pl.String).cast(pl.Float64)
    values: list[object] = column.to_list()
    if column.is_finite().all():
        return values
    return [v if not isinstance(v, float) or math.isfinite(v) else _odd(v) for v in values]


def _odd(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
