"""What is called once for each distinct combination of values: Python functions over columns."""

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
    def values(rows: pl.DataFrame) -> pl.Series:
        found = [function(*row) if nulls or None not in row else None for row in rows.iter_rows()]
        return pl.Series("result", found, dtype=dtype, strict=False)

    return each_once(aligned(series), values)


def each_once(given: pl.DataFrame, values: Callable[[pl.DataFrame], pl.Series]) -> pl.Series:
    """``values`` of the rows, asked once for equal ones where many are."""
    if not _repeats(given):
        return values(given)
    frame = given.with_columns(_negative_zeros(given))
    distinct = frame.unique()
    results = distinct.with_columns(values(distinct.select(given.columns)).alias("$result"))
    joined = frame.join(
        results, on=frame.columns, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined["$result"]


_SAMPLE = 1000


def _repeats(frame: pl.DataFrame) -> bool:
    """Whether it pays to look for distinct rows: not if hardly any of the first ones repeats."""
    few = frame.height <= _SAMPLE
    return few or frame.head(_SAMPLE).n_unique() < 0.9 * _SAMPLE


def _negative_zeros(frame: pl.DataFrame) -> list[pl.Expr]:
    """Where a number is -0.0, which counts as equal to 0.0 but has another text."""
    floating = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    return [((pl.col(c) == 0) & (1 / pl.col(c) < 0)).alias(f"-{c}") for c in floating]


def in_full(series: Sequence[pl.Series]) -> list[pl.Series]:
    """The columns with as many rows as the batch; a literal comes as one row."""
    lengths = {len(one) for one in series}
    height = 1 if lengths == {1} else next(iter(lengths - {1}))
    return [one if len(one) == height else one.new_from_index(0, height) for one in series]


def aligned(series: Sequence[pl.Series]) -> pl.DataFrame:
    """Columns ``0``, ``1``, ... of one length."""
    return pl.DataFrame([one.alias(str(place)) for place, one in enumerate(in_full(series))])
