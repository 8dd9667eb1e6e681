"""The operator of windows that fire."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event, Watermark
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.windows.batch import END, Windows
from sameriver.operators.windows.output import Output, spread
from sameriver.operators.windows.time import WindowTime
from sameriver.operators.windows.zones import FOREVER


class WindowOperator(Operator):
    """Windows take rows as they come; the watermark, or the clock, fires each window once.

    Args:
        context: of the operator.
        windows: the open ones.
        time: when they are.
        output: turns what fired into rows of the node.
        timed: whether rows have a time to be read; else they come with their windows.
    """

    splits = True

    def __init__(
        self,
        context: OperatorContext,
        windows: Windows,
        time: WindowTime,
        output: Output,
        *,
        timed: bool = True,
    ) -> None:
        super().__init__(context)
        self._windows, self._time, self._output, self._timed = windows, time, output, timed

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        batch = self._time.batch(changes, self.watermark, timed=self._timed)
        late, fired = self._windows.add(batch)
        if late:
            self.context.counters["late_rows"] += late
        if changes.watermarks is None:
            return
        last = changes.watermarks[-1]
        if batch.after is None:
            yield Watermark(last)
        else:
            fired += self._windows.fire(batch.after)
            yield from self._spread(fired, changes.watermarks)
        self.watermark = last

    def _spread(self, fired: list[pl.DataFrame], watermarks: pl.Series) -> Iterator[Event]:
        filled = [frame for frame in fired if frame.height]
        if not filled:
            yield from spread(pl.DataFrame(), None, np.empty(0, int), self.watermark, watermarks)
            return
        frame = pl.concat(filled)
        after = self._time.wall.progress(watermarks.to_numpy())
        positions = np.searchsorted(after, frame[END].to_numpy(), side="left")
        rows = self._output.rows(frame)
        yield from spread(rows, None, positions, self.watermark, watermarks)

    def on_watermark(self) -> Iterator[Changes]:
        if self._time.event:
            yield from self._fire(self._time.progress(self.watermark))

    def next_timer(self) -> int | None:
        end = None if self._time.event else self._windows.next_end()
        return None if end is None else self._time.timer(end)

    def on_timer(self) -> Iterator[Changes]:
        if not self._time.event:
            yield from self._fire(self._time.now())

    def _fire(self, progress: int) -> Iterator[Changes]:
        fired = [frame for frame in self._windows.fire(progress) if frame.height]
        if fired:
            yield Changes(self._output.rows(fired[0] if len(fired) == 1 else pl.concat(fired)))

    def restored(self) -> None:
        event = self._time.event
        self._windows.restored(self._time.progress(self.watermark) if event else -FOREVER)
