"""Wall time of a zone: what windows over TIMESTAMP_LTZ are cut in."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

from sameriver.common.changes import MAX_WATERMARK
from sameriver.common.zones import fixed_distance
from sameriver.state.kernels.types import Ints

_FIRST, _LAST, _STRIDE = -2_208_988_800_000, 7_258_118_400_000, 12 * 3_600_000
FOREVER = 2**62
"""Times beyond this are the ends of time; within it, offsets and sizes can't overflow."""


class WallClock:
    """Converts between instants (ms since 1970 in UTC) and wall time (ms, as if it were UTC).

    Where the clock is set back an instant is told from its wall time as the later of the two, as
    Flink does for timers; a wall time that is skipped stands for the instant of the change.

    Attributes:
        changes: instants at which the offset changes, in order.
        offsets: the offset before the first change, then after each.
    """

    def __init__(self, changes: Ints, offsets: Ints) -> None:
        self.changes = changes
        self.offsets = offsets
        self._starts = changes + offsets[1:]

    def wall(self, instants: Ints) -> Ints:
        """Wall time of instants."""
        return instants + self._offsets(instants)

    def instants(self, walls: Ints) -> Ints:
        """The latest instants that show these wall times."""
        period = np.searchsorted(self._starts, walls, side="right")
        found = walls - self.offsets[period]
        if not len(self.changes):
            return found
        limit = np.append(self.changes, MAX_WATERMARK)[period]
        latest: Ints = np.minimum(found, limit)
        return latest

    def progress(self, watermarks: Ints) -> Ints:
        """For each watermark the latest end (wall time) of a window that is complete.

        A window is complete when the watermark reaches its end less 1 ms. While a doubled hour
        runs for the first time no window that ends in it is.
        """
        instants = np.clip(watermarks, -FOREVER, FOREVER)
        walls = self.wall(instants)
        if len(self.changes):
            period = np.searchsorted(self.changes, instants, side="right")
            walls = np.minimum(walls, np.append(self._starts - 1, MAX_WATERMARK)[period])
        ends: Ints = walls + 1
        return ends

    def _offsets(self, instants: Ints) -> Ints:
        if not len(self.changes) or not len(instants):
            return np.broadcast_to(self.offsets[:1], instants.shape)
        # Most batches lie within one period.
        low, high = np.searchsorted(self.changes, [instants.min(), instants.max()], side="right")
        if low == high:
            return np.broadcast_to(self.offsets[low : low + 1], instants.shape)
        return self.offsets[np.searchsorted(self.changes, instants, side="right")]


UTC = WallClock(np.empty(0, np.int64), np.zeros(1, np.int64))
"""Of plain TIMESTAMP too, which is its own wall time."""


@lru_cache(maxsize=16)
def wall_clock(zone: ZoneInfo) -> WallClock:
    """The clock of ``zone`` from 1900 to 2200."""
    grid = np.arange(_FIRST, _LAST, _STRIDE, dtype=np.int64)
    offsets = _lookup(grid, zone)
    moved = np.flatnonzero(offsets[1:] != offsets[:-1])
    low, high, before = grid[moved], grid[moved + 1], offsets[moved]
    while np.any(high - low > 1):
        middle = (low + high) // 2
        same = _lookup(middle, zone) == before
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return WallClock(high, np.append(offsets[:1], offsets[moved + 1]))


def _lookup(instants: Ints, zone: ZoneInfo) -> Ints:
    """Offset of the zone at each instant, in ms."""
    ahead = fixed_distance(zone)
    if ahead is not None:
        return np.full(len(instants), ahead // timedelta(milliseconds=1))
    times = pl.Series(instants).cast(pl.Datetime("ms", "UTC")).dt.convert_time_zone(zone.key)
    walls = times.dt.replace_time_zone(None).cast(pl.Int64).to_numpy()
    return walls - instants
