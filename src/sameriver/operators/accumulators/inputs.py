"""What each call sees of a batch."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.types import to_polars
from sameriver.operators.accumulators.accumulator import Rows
from sameriver.plan.expressions import AggregateCall, Column, Expression, Literal
from sameriver.plan.physical.aggregate_state import value_arguments
from sameriver.state.kernels.types import Ints, Signs


def call_rows(
    call: AggregateCall, slots: Ints, changes: Changes, signs: Signs | None, *, nulls: bool
) -> Rows:
    """The batch as a call sees it: its arguments, its filter, and NULL unless ``nulls``."""
    columns = [
        argument_column(argument, changes.rows).alias(f"v{i}")
        for i, argument in enumerate(value_arguments(call))
    ]
    if call.filter is not None:
        kept = argument_column(call.filter, changes.rows).fill_null(False).to_numpy()
        signs = masked(signs, kept)
    rows = Rows(slots, pl.DataFrame(columns), signs)
    return rows if nulls else without_nulls(rows)


def without_nulls(rows: Rows) -> Rows:
    """Rows with a NULL pass by."""
    signs = rows.signs
    for column in rows.values:
        if column.null_count():
            signs = masked(signs, column.is_not_null().to_numpy())
    return Rows(rows.slots, rows.values, signs)


def masked(signs: Signs | None, kept: np.ndarray) -> Signs:
    """Signs, 0 where ``kept`` is false."""
    return kept.astype(np.int8) if signs is None else signs * kept


def argument_column(argument: Expression, rows: pl.DataFrame) -> pl.Series:
    """A column of the batch, or a literal as one."""
    if isinstance(argument, Column):
        return rows[argument.name]
    if isinstance(argument, Literal):
        literal = pl.select(pl.lit(argument.value).cast(to_polars(argument.type))).to_series()
        return literal.new_from_index(0, rows.height)
    raise AssertionError("arguments of physical aggregates are columns or literals")
