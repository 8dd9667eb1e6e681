"""Kernels for constants, run once for each value that a column has instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sameriver.common.types import to_polars
from sameriver.functions.distinct import aligned
from sameriver.functions.failure import EvaluationError
from sameriver.functions.signature import Evaluation, Kernel

_ROWS = 50
"""Rows with the same values for which it pays to run a kernel apart."""


def by_constant(kernel: Kernel) -> Kernel:
    """``kernel``, whose arguments after the first are mostly constants, such as patterns.

    Where one is a column of few values the rows of each of them go through the kernel as those of
    a constant. Columns of many values go through it as they are.
    """

    def split(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
        later = enumerate(evaluation.operands[1:], start=1)
        columns = [str(place) for place, operand in later if not operand.is_literal]
        if not columns:
            return kernel(evaluation, args)

        def run(series: Sequence[pl.Series]) -> pl.Series:
            return _split(kernel, evaluation, aligned(series), columns)

        return pl.map_batches(list(args), run, return_dtype=to_polars(evaluation.result))

    return split


def by_each_constant(kernel: Kernel, *places: int, lenient: bool = False) -> Kernel:
    """``kernel``, which takes constants at ``places``, for columns of them too, value by value.

    It gives NULL for NULL; what is no such constant fails the job, or with ``lenient`` gives NULL.
    """

    def each(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
        given = [place for place in places if place < len(args)]
        columns = [str(place) for place in given if not evaluation.operands[place].is_literal]
        if not columns:
            return kernel(evaluation, args)
        dtype = to_polars(evaluation.result)

        def compute(values: Sequence[object]) -> pl.Expr:
            try:
                return _of_values(kernel, evaluation, dict(zip(columns, values, strict=True)))
            except EvaluationError:
                if lenient:
                    return pl.lit(None, dtype)
                raise

        def run(series: Sequence[pl.Series]) -> pl.Series:
            rows = aligned(series).with_row_index("row")
            found = [rows.clear().select("row", value=pl.lit(None, dtype))]
            for values, some in rows.drop_nulls(columns).group_by(columns):
                found.append(some.select("row", value=compute(values)))
            every = rows.select("row").join(pl.concat(found), on="row", how="left")
            return every.sort("row")["value"]

        return pl.map_batches(list(args), run, return_dtype=dtype)

    return each


def _split(
    kernel: Kernel, evaluation: Evaluation, frame: pl.DataFrame, columns: list[str]
) -> pl.Series:
    if not 0 < frame.n_unique(columns) * _ROWS <= frame.height:
        return frame.select(kernel(evaluation, list(map(pl.col, frame.columns)))).to_series()
    parts = []
    for values, rows in frame.with_row_index("row").partition_by(columns, as_dict=True).items():
        known = dict(zip(columns, values, strict=True))
        computed = _of_values(kernel, evaluation, known)
        parts.append(rows.select(computed.alias("result"), "row"))
    return pl.concat(parts).sort("row")["result"]


def _of_values(kernel: Kernel, evaluation: Evaluation, known: dict[str, object]) -> pl.Expr:
    """The kernel for constants; for a NULL among them as for columns."""
    args = [pl.col(str(place)) for place in range(len(evaluation.operands))]
    if None in known.values():
        return kernel(evaluation, args)
    operands = list(evaluation.operands)
    for name, value in known.items():
        place = int(name)
        operands[place] = replace(operands[place], value=value)
        args[place] = pl.lit(value, dtype=to_polars(operands[place].type))
    return kernel(replace(evaluation, operands=tuple(operands)), args)
