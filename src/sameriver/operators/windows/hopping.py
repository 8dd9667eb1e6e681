"""HOP: rows are folded into slices, a window merges its slices when it fires."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import polars as pl

from sameriver.operators.windows.batch import Batch, earliest
from sameriver.operators.windows.panes import Panes
from sameriver.operators.windows.progress import Progress
from sameriver.operators.windows.slicing import Slicing
from sameriver.operators.windows.zones import FOREVER
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.state.handle import StateStore
from sameriver.state.kernels.types import Ints

_PAIRS = 1 << 18
"""About how many slices are merged at once."""


class HoppingWindows:
    """A row is late once the last window that holds its slice has fired."""

    def __init__(self, node: WindowAggregate, store: StateStore) -> None:
        self._slicing = Slicing.of(node.window)
        self._panes = Panes(node, node.panes(), store)
        # Windows live here only while they fire, so the table never reaches a checkpoint.
        self._firing = Panes(node, node.panes(), StateStore())
        self._progress = Progress(node, self._panes, store=store)
        self._next: int | None = None

    def add(self, batch: Batch) -> tuple[int, list[pl.DataFrame]]:
        ends = self._slicing.slice_ends(batch.times)
        first, last = self._slicing.first_ends(ends), self._slicing.last_ends(ends)
        outside = first > last
        late = (last <= batch.before) & ~outside
        kept = np.flatnonzero(~late & ~outside)
        fired: list[pl.DataFrame] = []
        cuts = self._cuts(first[kept], batch.before[kept]) if batch.after is not None else []
        for number, (start, stop) in enumerate(pairwise([0, *cuts, len(kept)])):
            if number:
                fired += self.fire(int(batch.before[kept[start]]))
            self._fold(batch, kept[start:stop], ends)
        return int(late.sum()), fired

    def _cuts(self, first: Ints, before: Ints) -> list[int]:
        """Rows before which windows must fire, lest the row count in a window that has passed.

        The first row may be one of them, if rows that were dropped moved the watermark before it.
        """
        passed = np.flatnonzero((first <= before) & (before > self._progress.fired))
        _, where = np.unique(self._slicing.ends_after(before[passed]), return_index=True)
        return [int(row) for row in passed[where]]

    def _fold(self, batch: Batch, positions: Ints, ends: Ints) -> None:
        if not len(positions):
            return
        changes = batch.changes
        if len(positions) < len(batch):
            changes = changes.gather(pl.Series(positions))
        ends = ends[positions]
        self._panes.aggregation.update(self._panes.slots(changes.rows, ends), changes)
        coming = np.maximum(
            self._slicing.first_ends(ends), self._slicing.ends_after(batch.before[positions])
        )
        self._next = earliest(self._next, coming)

    def fire(self, progress: int) -> list[pl.DataFrame]:
        if self._next is None or self._next > progress:
            self._progress.fired = max(self._progress.fired, progress)
            return []
        slots, slices = self._panes.open()
        ends = self._slicing.ends(np.unique(slices))
        ends = ends[ends > self._progress.fired]
        due = int(np.searchsorted(ends, progress, side="right"))
        self._next = int(ends[due]) if due < len(ends) else None
        fired = [self._merge(slots, slices, part) for part in self._parts(slices, ends[:due])]
        self._progress.fired = max(self._progress.fired, progress)
        self._panes.aggregation.remove(slots[self._slicing.last_ends(slices) <= progress])
        return fired

    def _parts(self, slices: Ints, ends: Ints) -> Iterator[Ints]:
        """Windows a few at a time: one may hold very many slices."""
        low, high = self._ranges(slices, ends)
        filled = np.cumsum(high - low) // _PAIRS
        for part in np.split(ends, np.flatnonzero(np.diff(filled)) + 1):
            if len(part):
                yield part

    def _ranges(self, slices: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """Where the slices of each window are, among slices in order of their ends."""
        low = np.searchsorted(slices, ends - self._slicing.size, side="right")
        return low, np.searchsorted(slices, ends, side="right")

    def _merge(self, slots: Ints, slices: Ints, ends: Ints) -> pl.DataFrame:
        """Fires these windows together."""
        low, high = self._ranges(slices, ends)
        counts = high - low
        held = np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        firing, aggregation = self._firing, self._firing.aggregation
        into = firing.slots(self._panes.keys(slots[held]), np.repeat(ends, counts))
        aggregation.merge(into, self._panes.aggregation, slots[held])
        windows, first = np.unique(into, return_index=True)
        windows = windows[np.argsort(first)]
        window_ends = firing.times[windows]
        fired = firing.rows(windows, self._slicing.starts(window_ends), window_ends)
        aggregation.remove(windows)
        return fired

    def next_end(self) -> int | None:
        return self._next

    def restored(self, progress: int) -> None:
        self._panes.restored()
        if self._progress.fired == -FOREVER:
            self._progress.fired = progress
        _, slices = self._panes.open()
        ends = self._slicing.ends(np.unique(slices))
        ends = ends[ends > self._progress.fired]
        self._next = int(ends[0]) if len(ends) else None
