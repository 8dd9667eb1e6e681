"""ORDER BY event time, ascending, and further keys."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from sameriver.common.changes import Changes, Event
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.waiting import parts, released_at
from sameriver.operators.windows.output import spread
from sameriver.plan.expressions import SortKey
from sameriver.plan.physical.ordering import key_names
from sameriver.plan.physical.temporal_sort import TemporalSort
from sameriver.state.kernels.types import Ints
from sameriver.state.scalar import Scalar
from sameriver.state.time_buffer import TimeBuffer, milliseconds


class TemporalSortOperator(Operator):
    """Holds rows until the watermark passes them.

    A row is late if its time is at or before that of the last row given, whatever the watermark.
    """

    splits = True

    def __init__(self, node: TemporalSort, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        rows, progress = node.state()
        self._held = TimeBuffer(rows, node.schema.to_polars(), node.time)
        self._last = Scalar(progress)
        context.store.register(self._held)
        context.store.register(self._last)

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        if changes.watermarks is None:
            self._hold(changes.rows)
            return
        times = milliseconds(changes.rows[self._node.time])
        for rows, watermarks in parts(changes, times, self.watermark):
            self._hold(rows)
            before, self.watermark = self.watermark, int(watermarks[-1])
            if self.watermark > before:
                given, times = self._given()
                positions = released_at(times, before, watermarks)
                yield from spread(given, None, positions, before, watermarks)

    def on_watermark(self) -> Iterator[Changes]:
        given, _ = self._given()
        if given.height:
            yield Changes(given)

    def _hold(self, rows: pl.DataFrame) -> None:
        times = milliseconds(rows[self._node.time])
        if self._last.value is not None:
            due = times > self._last.value
            if not due.all():
                self.context.counters["late_rows"] += int(len(due) - due.sum())
                rows, times = rows.filter(pl.Series(due)), times[due]
        self._held.add(rows, times)

    def _given(self) -> tuple[pl.DataFrame, Ints]:
        """The rows that the watermark has passed, in order, and the time of each."""
        rows, times = self._held.take(self.watermark)
        if not rows.height:
            return rows, times
        self._last.value = int(times.max())
        order = row_order(rows, self._node.keys)
        return rows[order], times[order.to_numpy()]


def row_order(rows: pl.DataFrame, keys: tuple[SortKey, ...]) -> pl.Series:
    """Numbers of the rows in the order of ``keys``; equal ones as they come."""
    names = key_names(keys)
    order = pl.arg_sort_by(
        list(names),
        descending=[key.descending for key in keys],
        nulls_last=[not key.nulls_first for key in keys],
        maintain_order=True,
    )
    return rows.select(order).to_series()
