"""Adds the columns of a window to each row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event, Watermark
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.windows.batch import END, START
from sameriver.operators.windows.held_rows import HeldRows
from sameriver.operators.windows.output import Output, spread
from sameriver.operators.windows.slicing import Slicing
from sameriver.operators.windows.time import WindowTime
from sameriver.plan.physical.window_table import WindowTable
from sameriver.plan.window import WindowKind
from sameriver.state.kernels.types import Ints


def window_table(node: WindowTable, context: OperatorContext) -> Operator:
    """The operator: SESSION has to wait for a session to close, the others know at once."""
    if node.window.kind is WindowKind.SESSION:
        return SessionTableOperator(node, context)
    return WindowTableOperator(node, context)


class WindowTableOperator(Operator):
    """Repeats a row once for each window that holds it; late rows pass."""

    splits = True

    def __init__(self, node: WindowTable, context: OperatorContext) -> None:
        super().__init__(context)
        self._slicing = Slicing.of(node.window)
        self._time = WindowTime(node.window, context)
        self._output = Output(node.schema, node.properties(), self._time, context.clock)

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        batch = self._time.batch(changes, self.watermark)
        positions, ends = self._slicing.assign(batch.times)
        copies = batch.changes.gather(pl.Series(positions))
        window = (pl.Series(START, self._slicing.starts(ends)), pl.Series(END, ends))
        rows = self._output.rows(copies.rows.with_columns(window))
        if changes.watermarks is None:
            yield Changes(rows, copies.kinds)
            return
        yield from spread(rows, copies.kinds, positions, self.watermark, changes.watermarks)
        self.watermark = changes.watermarks[-1]


class SessionTableOperator(Operator):
    """Holds rows until their session closes, then gives them in order of arrival.

    A row is dropped as late if the session it would be in has closed.
    """

    splits = True

    def __init__(self, node: WindowTable, context: OperatorContext) -> None:
        super().__init__(context)
        self._time = WindowTime(node.window, context)
        self._output = Output(node.schema, node.properties(), self._time, context.clock)
        self._held = HeldRows(node)
        context.store.register(self._held)

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        batch = self._time.batch(changes, self.watermark)
        late = self._held.add(batch)
        if late:
            self.context.counters["late_rows"] += late
        if changes.watermarks is None:
            return
        last = changes.watermarks[-1]
        if batch.after is None:
            yield Watermark(last)
        else:
            after = self._time.wall.progress(changes.watermarks.to_numpy())
            yield from self._close(batch.after, after, changes.watermarks)
        self.watermark = last

    def _close(self, progress: int, after: Ints, watermarks: pl.Series) -> Iterator[Event]:
        closed = self._held.close(progress)
        positions = np.searchsorted(after, closed[END].to_numpy(), side="left")
        rows = self._output.rows(closed)
        yield from spread(rows, None, positions, self.watermark, watermarks)

    def on_watermark(self) -> Iterator[Changes]:
        if self._time.event:
            yield from self._fire(self._time.progress(self.watermark))

    def next_timer(self) -> int | None:
        end = None if self._time.event else self._held.next_end()
        return None if end is None else self._time.timer(end)

    def on_timer(self) -> Iterator[Changes]:
        if not self._time.event:
            yield from self._fire(self._time.now())

    def _fire(self, progress: int) -> Iterator[Changes]:
        closed = self._held.close(progress)
        if closed.height:
            yield Changes(self._output.rows(closed))
