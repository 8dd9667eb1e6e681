"""Results of slots from their values, listed slot by slot."""

from __future__ import annotations

import polars as pl

from sameriver.state.kernels.types import Ints


def gathered(rows: Ints, values: pl.Series, result: pl.Expr, size: int) -> pl.Series:
    """``result`` over column ``value``, by row number; NULL for numbers without values."""
    frame = pl.DataFrame([pl.Series("row", rows, dtype=pl.Int64), values.alias("value")])
    grouped = frame.group_by("row", maintain_order=True).agg(result.alias("result"))
    everywhere = pl.DataFrame([pl.int_range(size, dtype=pl.Int64, eager=True).alias("row")])
    return everywhere.join(grouped, on="row", how="left", maintain_order="left")["result"]


def extreme_of(rows: Ints, values: pl.Series, size: int, *, greatest: bool) -> pl.Series:
    """The least or greatest value by row number."""
    value = pl.col("value")
    return gathered(rows, values, value.max() if greatest else value.min(), size)


def list_of(rows: Ints, values: pl.Series, size: int, separator: str | None) -> pl.Series:
    """The values as an array by row number, or joined to a text by a separator."""
    value = pl.col("value")
    return gathered(rows, values, value if separator is None else value.str.join(separator), size)


def multiset_of(rows: Ints, values: pl.Series, counts: Ints, size: int) -> pl.Series:
    """The values with their counts by row number; empty where there are none."""
    pairs = pl.DataFrame(
        [values.alias("key"), pl.Series("value", counts).cast(pl.Int32)]
    ).to_struct("pair")
    lists = gathered(rows, pairs, pl.col("value"), size)
    empty = pl.Series("empty", [[]], dtype=lists.dtype)
    frame = pl.DataFrame([lists.alias("lists")])
    return frame.select(pl.col("lists").fill_null(pl.lit(empty).first())).to_series()
