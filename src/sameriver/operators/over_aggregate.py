"""Aggregates OVER a window ordered by a time attribute."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.over.running import Running
from sameriver.operators.over.sliding import Sliding
from sameriver.operators.waiting import parts, released_at
from sameriver.operators.windows.output import spread
from sameriver.plan.physical.over_aggregate import OverAggregate
from sameriver.state.kernels.types import Ints
from sameriver.state.time_buffer import TimeBuffer, milliseconds


def over_aggregate(node: OverAggregate, context: OperatorContext) -> Operator:
    """The operator: by event time or by processing time."""
    kind = EventTimeOverOperator if node.event_time else ProcessingTimeOverOperator
    return kind(node, context)


class ProcessingTimeOverOperator(Operator):
    """Rows come out at once; each is alone at its time."""

    splits = True

    def __init__(self, node: OverAggregate, context: OperatorContext) -> None:
        super().__init__(context)
        self._frames = (Sliding if node.bounded else Running)(node, context.store)

    def process(self, port: int, changes: Changes) -> Iterator[Changes]:
        if not len(changes):
            return
        now = self.context.clock.now()
        times = np.full(len(changes), now, np.int64)
        results = self._frames.results(changes.rows, times, now)
        yield changes.with_rows(changes.rows.hstack(results))
        self._frames.free(now)


class EventTimeOverOperator(Operator):
    """Rows wait until the watermark passes them, and come out in order of time."""

    splits = True

    def __init__(self, node: OverAggregate, context: OperatorContext) -> None:
        super().__init__(context)
        self._time = node.time
        self._frames = (Sliding if node.bounded else Running)(node, context.store)
        table = next(table for table in node.state() if table.name == "rows")
        self._held = TimeBuffer(table, node.input.schema.to_polars(), node.time)
        context.store.register(self._held)

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        if changes.watermarks is None:
            self._hold(changes.rows)
            return
        times = milliseconds(changes.rows[self._time])
        for rows, watermarks in parts(changes, times, self.watermark):
            yield from self._advance(rows, watermarks)

    def on_watermark(self) -> Iterator[Changes]:
        rows, _ = self._results(self.watermark)
        if rows.height:
            yield Changes(rows)
        self._frames.free(self.watermark)

    def _hold(self, rows: pl.DataFrame) -> None:
        """Takes rows that count under the watermark in force."""
        times = milliseconds(rows[self._time])
        kept = self._frames.on_time(rows, times, self.watermark)
        if not kept.all():
            self.context.counters["late_rows"] += int(len(kept) - kept.sum())
            rows, times = rows.filter(pl.Series(kept)), times[kept]
        self._held.add(rows, times)

    def _advance(self, rows: pl.DataFrame, watermarks: pl.Series) -> Iterator[Event]:
        """Rows of which the first alone may be late, and the watermark after each."""
        self._hold(rows)
        last, before = int(watermarks[-1]), self.watermark
        self.watermark = last
        if last <= before:
            return
        given, times = self._results(last)
        positions = released_at(times, before, watermarks)
        yield from spread(given, None, positions, before, watermarks)
        self._frames.free(last)

    def _results(self, until: int) -> tuple[pl.DataFrame, Ints]:
        """The rows up to a time with their results, in order, and the time of each."""
        rows, times = self._held.take(until)
        if not rows.height:
            return rows, times
        rows, times = _in_order(rows, times)
        return rows.hstack(self._frames.results(rows, times, self.context.clock.now())), times


def _in_order(rows: pl.DataFrame, times: Ints) -> tuple[pl.DataFrame, Ints]:
    """By time; rows of the same time as they came."""
    if (times[1:] >= times[:-1]).all():
        return rows, times
    order = np.argsort(times, kind="stable")
    return rows[pl.Series(order)], times[order]
