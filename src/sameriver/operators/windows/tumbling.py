"""Windows that share nothing: TUMBLE, and windows that the input carries already."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.operators.windows.batch import Batch, earliest, milliseconds
from sameriver.operators.windows.panes import Panes
from sameriver.operators.windows.slicing import Slicing
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.state.handle import StateStore
from sameriver.state.kernels.types import Ints


class TumblingWindows:
    """A row is late once its window has fired."""

    def __init__(self, node: WindowAggregate, store: StateStore) -> None:
        self._slicing = Slicing.of(node.window)
        self._attached = node.attached
        self._panes = Panes(node, node.panes(), store)
        self._next: int | None = None

    def add(self, batch: Batch) -> tuple[int, list[pl.DataFrame]]:
        windows = self._windows(batch)
        changes, kept = batch.changes, windows[0] > batch.before
        if not kept.all():
            changes = changes.filter(pl.Series(kept))
            windows = [times[kept] for times in windows]
        if len(changes):
            slots = self._panes.slots(changes.rows, *windows)
            self._panes.aggregation.update(slots, changes)
            self._next = earliest(self._next, windows[0])
        return len(batch) - len(changes), []

    def fire(self, progress: int) -> list[pl.DataFrame]:
        if self._next is None or self._next > progress:
            return []
        slots, ends = self._panes.open()
        due = int(np.searchsorted(ends, progress, side="right"))
        self._next = int(ends[due]) if due < len(ends) else None
        slots, ends = slots[:due], ends[:due]
        starts = self._slicing.starts(ends)
        if self._attached is not None:
            starts = self._panes.leading(slots, 1)
        fired = self._panes.rows(slots, starts, ends)
        self._panes.aggregation.remove(slots)
        return [fired]

    def next_end(self) -> int | None:
        return self._next

    def restored(self, progress: int) -> None:
        self._panes.restored()
        _, ends = self._panes.open()
        self._next = int(ends[0]) if len(ends) else None

    def _windows(self, batch: Batch) -> list[Ints]:
        """Each row's window: its end, and its start where that doesn't follow from the end."""
        if self._attached is None:
            return [self._slicing.slice_ends(batch.times)]
        start, end = self._attached
        return [milliseconds(batch.changes.rows[name]) for name in (end, start)]
