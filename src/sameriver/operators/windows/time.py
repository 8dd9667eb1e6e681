"""Where rows and watermarks stand in the time of a window."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.types import Root
from sameriver.operators.operator import OperatorContext
from sameriver.operators.windows.batch import Batch, milliseconds
from sameriver.operators.windows.zones import FOREVER, UTC, wall_clock
from sameriver.plan.physical.window_state import is_event_time
from sameriver.plan.window import Window
from sameriver.state.kernels.types import Ints


class WindowTime:
    """Event time or processing time, as wall time: of the session's zone where it is an instant.

    Attributes:
        event: whether watermarks move it; else the clock does.
        wall: the zone's clock; that of UTC for TIMESTAMP.
    """

    def __init__(self, window: Window, context: OperatorContext) -> None:
        self.event = is_event_time(window)
        zoned = window.type.root is Root.TIMESTAMP_LTZ or not self.event
        self.wall = wall_clock(context.zone) if zoned else UTC
        self._column = window.time
        self._clock = context.clock

    def batch(self, changes: Changes, watermark: int, *, timed: bool = True) -> Batch:
        """The batch in time; ``watermark`` holds before it. Not ``timed``: times don't matter."""
        rows = Changes(changes.rows, changes.kinds)
        if not self.event:
            now = self.wall.wall(np.array([self._clock.now()]))
            height = len(changes)
            times = np.full(height, now[0])
            return Batch(rows, times, np.full(height, -FOREVER), None)
        times = np.zeros(len(changes), np.int64)
        if timed:
            times = self.wall.wall(milliseconds(changes.rows.get_column(self._column)))
        before = self.progress(watermark)
        if changes.watermarks is None:
            return Batch(rows, times, np.full(len(changes), before), None)
        after = self.wall.progress(changes.watermarks.to_numpy())
        return Batch(rows, times, np.append(before, after[:-1]), int(after[-1]))

    def progress(self, watermark: int) -> int:
        """The end up to which windows are complete."""
        return int(self.wall.progress(np.array([watermark]))[0])

    def now(self) -> int:
        """The same by the clock: a window is over when the clock shows its end."""
        return self.progress(self._clock.now() - 1)

    def timer(self, end: int) -> int:
        """When the clock shows that a window is over."""
        return int(self.wall.instants(np.array([end - 1]))[0]) + 1

    def instants(self, ends: Ints) -> pl.Series:
        """The last instants of windows (Datetime ms, UTC)."""
        return pl.Series(self.wall.instants(ends - 1)).cast(pl.Datetime("ms", "UTC"))
