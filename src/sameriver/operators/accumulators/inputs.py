"""What each call sees of a batch."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.types import to_polars
from sameriver.operators.accumulators import value_schema
from sameriver.operators.accumulators.accumulator import Rows
from sameriver.plan.expressions import AggregateCall, Column, Expression, Literal
from sameriver.plan.physical.aggregate_state import SideTable, takes_nulls, value_arguments
from sameriver.state.kernels.types import Ints, Signs
from sameriver.state.multiset import Multiset
from sameriver.state.value_set import ValueSet


class Distinct:
    """The values that DISTINCT calls over the same arguments have seen."""

    def __init__(
        self, table: SideTable, calls: tuple[AggregateCall, ...], *, retract: bool
    ) -> None:
        self.calls = table.calls
        self.first = calls[table.calls[0]]
        self.nulls = any(takes_nulls(calls[number]) for number in table.calls)
        # How often each value was seen matters only where rows are taken back.
        kind = Multiset if retract else ValueSet
        self.values = kind(value_schema(self.first), nulls=self.nulls)

    def rows(self, slots: Ints, changes: Changes, signs: Signs | None) -> Rows:
        """A batch, with signs where a value came into being or vanished."""
        rows = call_rows(self.first, slots, changes, signs, nulls=self.nulls)
        kept = rows.present()
        changed = self.values.add(kept.slots, kept.values, kept.weights())
        if rows.signs is not None:
            everywhere = np.zeros(len(slots), np.int8)
            everywhere[rows.signs != 0] = changed
            changed = everywhere
        return Rows(slots, rows.values, changed)

    def absorb(self, into: Ints, other: Distinct, slots: Ints) -> Rows:
        """Adds the values of another's slots; gives those that are new."""
        rows, values, counts = other.values.entries(slots, owed=True)
        return Rows(into[rows], values, self.values.add(into[rows], values, counts))


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
