"""Results of all rows of some partitions, in the order of the window."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.schema import Schema
from sameriver.common.types import BIGINT, to_polars
from sameriver.operators.accumulators.inputs import argument_column
from sameriver.operators.aggregation import Aggregation
from sameriver.operators.over.after import results_after
from sameriver.operators.temporal_sort import row_order
from sameriver.plan.expressions import AggregateCall, Column, Literal, SortKey
from sameriver.plan.physical.ordering import key_names
from sameriver.plan.physical.over_sorted import OverSorted
from sameriver.state.handle import StateStore
from sameriver.state.kernels.types import Ints

_SLOT = "$slot"


class Places:
    """Sorts rows by partition and order and computes the calls afresh."""

    def __init__(self, node: OverSorted) -> None:
        self._node = node
        slot = SortKey(Column(_SLOT, BIGINT))
        self._order = (slot, *node.order)
        self._peers = [_SLOT, *key_names(node.order)]
        self._aggregation = Aggregation(
            node.passing(),
            Schema.of([("slot", BIGINT)]),
            node.aggregates,
            node.input.schema,
            retract=False,
            store=StateStore(),
        )

    def results(self, slots: Ints, rows: pl.DataFrame) -> tuple[Ints, pl.DataFrame]:
        """The place of each row in the order, and a column a call.

        Args:
            slots: partition of each row.
            rows: in order of arrival, which decides between equal keys.
        """
        numbered = rows.with_columns(pl.Series(_SLOT, slots))
        order = row_order(numbered, self._order)
        numbered = numbered[order]
        places = order.arg_sort()
        columns: dict[str, pl.Series] = {}
        if self._node.aggregates:
            columns = {column.name: column for column in self._aggregates(numbered)}
        for call in self._node.calls:
            if call.name not in columns:
                columns[call.name] = self._place(call, numbered)
        frame = pl.DataFrame([columns[call.name] for call in self._node.calls])
        return places.to_numpy().astype(np.int64), frame[places]

    def _aggregates(self, rows: pl.DataFrame) -> pl.DataFrame:
        used = self._aggregation.slots(rows.select(pl.col(_SLOT).alias("slot")))
        last = np.arange(len(used))
        if not self._node.rows:
            last = self._of_peers(rows, pl.col("row").max())
        results = results_after(self._aggregation, used, Changes(rows), 0, last)
        self._aggregation.remove(np.unique(used))
        return results

    def _of_peers(self, rows: pl.DataFrame, number: pl.Expr) -> Ints:
        """A number of rows with the same keys, at each of them."""
        keys = rows.select(self._peers).with_columns(pl.int_range(pl.len()).alias("row"))
        return keys.select(number.over(self._peers)).to_series().to_numpy().astype(np.int64)

    def _place(self, call: AggregateCall, rows: pl.DataFrame) -> pl.Series:
        """ROW_NUMBER and its like, of rows in order."""
        first = pl.col("row").min()
        start = rows.select(pl.int_range(pl.len()).alias("row"), _SLOT)
        start_at = start.select(first.over(_SLOT)).to_series().to_numpy()
        number = np.arange(rows.height)
        match call.function:
            case "ROW_NUMBER":
                found = pl.Series(number - start_at + 1)
            case "RANK":
                found = pl.Series(self._of_peers(rows, first) - start_at + 1)
            case "DENSE_RANK":
                opens = self._of_peers(rows, first) == number
                count = np.cumsum(opens)
                found = pl.Series(count - count[start_at] + 1)
            case _:
                return self._shifted(call, rows)
        return found.cast(to_polars(call.type)).alias(call.name)

    def _shifted(self, call: AggregateCall, rows: pl.DataFrame) -> pl.Series:
        """LAG and LEAD: the value of another row of the partition; else the default."""
        dtype = to_polars(call.type)
        offset = call.args[1].value if len(call.args) > 1 else 1  # type: ignore[union-attr]
        distance = int(str(offset)) * (1 if call.function == "LAG" else -1)
        other = pl.Series(np.arange(rows.height) - distance)
        slots = rows[_SLOT]
        inside = (other >= 0) & (other < rows.height)
        there = inside & (slots.gather(other.clip(0, max(rows.height - 1, 0))) == slots)
        value = argument_column(call.args[0], rows).cast(dtype)
        value = value.gather(pl.select(pl.when(there).then(other)).to_series())
        default = call.args[2] if len(call.args) > 2 else Literal(None, call.type)
        return value.zip_with(there, argument_column(default, rows).cast(dtype)).alias(call.name)
