"""Values that an expression needs more than once, computed once.

Polars evaluates a repeated subexpression each time it occurs unless a query is optimised as a
whole, and a few nested kernels would multiply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from sameriver.functions.distinct import in_full

Dtype = pl.DataType | type[pl.DataType]


def let(dtype: Dtype, body: Callable[..., pl.Expr], *values: pl.Expr) -> pl.Expr:
    """``body(*values)``, of ``dtype``, with each of the values computed once."""
    names = [f"${position}" for position in range(len(values))]
    return staged(dtype, body(*map(pl.col, names)), names, values)


def else_by(
    dtype: Dtype, quick: pl.Expr, body: Callable[..., pl.Expr], *values: pl.Expr
) -> pl.Expr:
    """``quick``, of ``dtype``; ``body(*values)`` of the rows where that is NULL and no value is.

    For what is quick for most rows: ``body`` sees the others alone, mostly none.
    """
    names = [f"${position}" for position in range(len(values))]
    slow = body(*map(pl.col, names))

    def run(series: Sequence[pl.Series]) -> pl.Series:
        found, *given = in_full(series)
        if not found.null_count():
            return found
        frame = pl.DataFrame([one.alias(name) for name, one in zip(names, given, strict=True)])
        odd = frame.select(pl.all_horizontal(pl.all().is_not_null())).to_series() & found.is_null()
        if not odd.any():
            return found
        # Some functions of Polars stumble over the empty chunks that a filter may leave.
        rest = frame.filter(odd).rechunk().select(slow).to_series()
        place = odd.cum_sum().to_frame("n").select(pl.when(odd).then(pl.col("n") - 1)).to_series()
        return found.zip_with(~odd, rest.gather(place))

    return pl.map_batches([quick, *values], run, return_dtype=dtype)


def staged(
    dtype: Dtype, expression: pl.Expr, names: Sequence[str], values: Sequence[pl.Expr]
) -> pl.Expr:
    """``expression`` over columns ``names``, which hold ``values``."""

    def run(series: Sequence[pl.Series]) -> pl.Series:
        columns = zip(names, in_full(series), strict=True)
        return pl.DataFrame(one.alias(name) for name, one in columns).select(expression).to_series()

    return pl.map_batches(list(values), run, return_dtype=dtype)
