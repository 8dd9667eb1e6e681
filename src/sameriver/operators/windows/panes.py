"""Accumulators by slice (or window) and key."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.schema import Schema
from sameriver.common.state import StateTable
from sameriver.operators.aggregation import Aggregation
from sameriver.operators.windows.batch import END, START
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.state.handle import StateStore
from sameriver.state.kernels.types import NO_INTS, Ints
from sameriver.state.room import grown


class Panes:
    """An aggregation whose first key columns are numbers: ends or starts in ms, or a session.

    Attributes:
        aggregation: the accumulators.
        times: each slot's value of the first of these columns.
    """

    def __init__(
        self, node: WindowAggregate, tables: tuple[StateTable, ...], store: StateStore
    ) -> None:
        key = tables[0].key
        schema = Schema.of((column.name, column.type) for column in key)
        self._types = schema.to_polars()
        self._leading = list(schema.names[: len(key) - len(node.keys)])
        self._keys = list(node.keys)
        self._outputs = list(node.schema.names[: len(node.keys)])
        self._retract = node.retract
        self.aggregation = Aggregation(
            tables, schema, node.calls, node.input.schema, retract=node.retract, store=store
        )
        self.times = NO_INTS

    def slots(self, rows: pl.DataFrame, *times: Ints) -> Ints:
        """Slots of the rows' keys at these times; ``rows`` has the key columns among others."""
        columns = [
            pl.Series(name, values).cast(self._types[name])
            for name, values in zip(self._leading, times, strict=True)
        ]
        columns += [rows.get_column(name) for name in self._keys]
        slots = self.aggregation.slots(pl.DataFrame(columns))
        if len(slots):
            top = int(slots.max())
            if top >= len(self.times):
                self.times = grown(self.times, max(2 * len(self.times), top + 1))
            self.times[slots] = times[0]
        return slots

    def keys(self, slots: Ints) -> pl.DataFrame:
        """The key columns of slots, without the leading ones."""
        keys = self.aggregation.keys(slots)
        return keys[:, len(self._leading) :]

    def leading(self, slots: Ints, number: int) -> Ints:
        """One of the leading columns."""
        column = self.aggregation.keys(slots).get_column(self._leading[number])
        return column.to_physical().cast(pl.Int64).to_numpy()

    def open(self) -> tuple[Ints, Ints]:
        """Slots in use and their times, in order of time."""
        slots = self.aggregation.all_slots()
        times = self.times[slots]
        order = np.argsort(times, kind="stable")
        return slots[order], times[order]

    def live(self, slots: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which slots have something to show: all, unless every row was taken back."""
        if not self._retract:
            return np.ones(len(slots), np.bool_)
        return np.not_equal(self.aggregation.live(slots), 0)

    def rows(self, slots: Ints, starts: Ints, ends: Ints) -> pl.DataFrame:
        """Keys, results and windows of the slots that have something to show."""
        shown = self.live(slots)
        if not shown.all():
            slots, starts, ends = slots[shown], starts[shown], ends[shown]
        return self.with_windows(slots, self.results(slots), starts, ends)

    def results(self, slots: Ints) -> pl.DataFrame:
        """A column a call; without calls a frame of the same height."""
        results = self.aggregation.results(slots)
        return results if results.width else pl.DataFrame(height=len(slots))

    def with_windows(
        self, slots: Ints, results: pl.DataFrame, starts: Ints, ends: Ints
    ) -> pl.DataFrame:
        """Keys, results and windows of slots."""
        window = [pl.Series(START, starts), pl.Series(END, ends)]
        return self.output_keys(slots).hstack([*results.get_columns(), *window])

    def output_keys(self, slots: Ints) -> pl.DataFrame:
        """The keys as output columns; without keys a frame of the same height."""
        if not self._keys:
            return pl.DataFrame(height=len(slots))
        keys = self.keys(slots)
        keys.columns = self._outputs
        return keys

    def restored(self) -> None:
        """Reads the times back from the keys."""
        slots = self.aggregation.all_slots()
        self.times = np.zeros(int(slots[-1]) + 1 if len(slots) else 0, np.int64)
        if len(slots):
            self.times[slots] = self.leading(slots, 0)
