"""Python functions over columns: called once for each distinct combination of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl


def by_distinct(
    function: Callable[..., Any],
    dtype: pl.DataType | type[pl.DataType],
    *args: pl.Expr,
    nulls: bool = False,
) -> pl.Expr:
    """``function`` of the arguments, as a column of ``dtype``.

    For what Polars has no call for. NULL in, NULL out, unless ``nulls``: then the function is
    asked with None.
    """

    def run(series: Sequence[pl.Series]) -> pl.Series:
        return _run(function, dtype, series, nulls)

    return pl.map_batches(list(args), run, return_dtype=dtype)


def _run(
    function: Callable[..., Any],
    dtype: pl.DataType | type[pl.DataType],
    series: Sequence[pl.Series],
    nulls: bool,
) -> pl.Series:
    height = common_length(series)
    columns = [
        (one if len(one) == height else one.new_from_index(0, height)).alias(str(position))
        for position, one in enumerate(series)
    ]
    frame = pl.DataFrame(columns)
    distinct = frame.unique()
    values = [function(*row) if nulls or None not in row else None for row in distinct.iter_rows()]
    results = distinct.with_columns(pl.Series("result", values, dtype=dtype, strict=False))
    joined = frame.join(
        results, on=frame.columns, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined["result"]


def common_length(series: Sequence[pl.Series]) -> int:
    """Rows of the batch; a literal comes as one row."""
    lengths = {len(one) for one in series}
    return 1 if lengths == {1} else next(iter(lengths - {1}))
