"""SESSION: windows that grow and merge with the rows that touch them."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.operators.windows.batch import Batch, earliest
from sameriver.operators.windows.merging import Merged, Stored, merge_sessions
from sameriver.operators.windows.panes import Panes
from sameriver.operators.windows.slot_columns import SlotColumns
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.state.handle import StateStore
from sameriver.state.index import KeyIndex
from sameriver.state.kernels.types import NO_INTS, Ints
from sameriver.state.room import grown

_SPARE = 1024
"""Numbers of keys without a session that may pile up."""


class SessionWindows:
    """A row is late if the session it would be in has fired.

    A session has a number for good, so that its accumulators stay where they are as it grows.
    """

    def __init__(self, node: WindowAggregate, store: StateStore) -> None:
        self._gap = node.window.size
        self._keys = list(node.keys)
        self._schema = node.input.schema.select(node.keys).to_polars()
        self._panes = Panes(node, node.panes(), store)
        self._spans = SlotColumns(node.sessions()[0], self._panes)
        self._start, self._end = self._spans.values
        store.register(self._spans)
        self._index = KeyIndex(self._schema)
        self._groups = NO_INTS
        self._number = 0
        self._next: int | None = None

    def add(self, batch: Batch) -> tuple[int, list[pl.DataFrame]]:
        rows = batch.changes.rows
        groups = self._index.find_or_insert(keys_of(rows, self._keys))
        loaded = self._load(groups)
        stored = Stored(self._groups[loaded], *self._bounds(loaded))
        merged = merge_sessions(stored, groups, batch.times, batch.before, self._gap)
        slots = self._place(merged, loaded, rows, groups)
        kept = merged.rows >= 0
        if kept.any():
            changes = batch.changes if kept.all() else batch.changes.filter(pl.Series(kept))
            self._panes.aggregation.update(slots[merged.rows[kept]], changes)
        return len(batch) - int(kept.sum()), []

    def _load(self, groups: Ints) -> Ints:
        """Slots of the open sessions of these groups."""
        present = np.zeros(self._index.capacity, np.bool_)
        present[groups] = True
        slots = self._panes.aggregation.all_slots()
        loaded: Ints = slots[present[self._groups[slots]]]
        return loaded

    def _place(self, merged: Merged, loaded: Ints, rows: pl.DataFrame, groups: Ints) -> Ints:
        """Slot of each session that stands; moves what has become part of another."""
        known = len(loaded)
        slots = np.full(len(merged.roots), -1, np.int64)
        slots[:known] = loaded
        stand = np.unique(merged.rows[merged.rows >= 0])
        fresh = stand[stand >= known]
        if len(fresh):
            first = fresh - known
            numbers = np.arange(self._number, self._number + len(fresh))
            self._number += len(fresh)
            slots[fresh] = self._panes.slots(rows[pl.Series(first)], numbers)
            self._reserve(slots[fresh])
            self._groups[slots[fresh]] = groups[first]
        if len(stand):
            self._spans[self._start][slots[stand]] = merged.starts[stand]
            self._spans[self._end][slots[stand]] = merged.ends[stand]
            self._next = earliest(self._next, merged.ends[stand])
        gone = np.flatnonzero(merged.roots[:known] != np.arange(known))
        if len(gone):
            aggregation = self._panes.aggregation
            aggregation.merge(slots[merged.roots[gone]], aggregation, loaded[gone])
            aggregation.remove(loaded[gone])
        return slots

    def _reserve(self, slots: Ints) -> None:
        self._spans.reserve(slots)
        length = int(slots.max(initial=-1)) + 1
        if len(self._groups) < length:
            self._groups = grown(self._groups, 2 * length)

    def _bounds(self, slots: Ints) -> tuple[Ints, Ints]:
        """Starts and ends of sessions."""
        return self._spans[self._start][slots], self._spans[self._end][slots]

    def fire(self, progress: int) -> list[pl.DataFrame]:
        if self._next is None or self._next > progress:
            return []
        slots = self._panes.aggregation.all_slots()
        starts, ends = self._bounds(slots)
        order = np.lexsort((starts, ends))
        slots, starts, ends = slots[order], starts[order], ends[order]
        due = int(np.searchsorted(ends, progress, side="right"))
        self._next = int(ends[due]) if due < len(ends) else None
        fired = self._panes.rows(slots[:due], starts[:due], ends[:due])
        self._panes.aggregation.remove(slots[:due])
        if len(self._index) > 2 * (len(slots) - due) + _SPARE:
            self._renumber()
        return [fired]

    def _renumber(self) -> None:
        """Numbers only the keys that have sessions."""
        self._index = KeyIndex(self._schema)
        slots = self._panes.aggregation.all_slots()
        self._reserve(slots)
        self._groups[slots] = self._index.find_or_insert(
            keys_of(self._panes.keys(slots), self._keys, len(slots))
        )

    def next_end(self) -> int | None:
        return self._next

    def restored(self, progress: int) -> None:
        self._panes.restored()
        self._spans.restored()
        self._renumber()
        slots = self._panes.aggregation.all_slots()
        if len(slots):
            self._number = int(self._panes.times[slots].max()) + 1
            self._next = int(self._spans[self._end][slots].min())


def keys_of(rows: pl.DataFrame, names: list[str], height: int | None = None) -> pl.DataFrame:
    """The key columns; without any, a frame of the same height."""
    if names:
        return rows.select(names)
    return pl.DataFrame(height=rows.height if height is None else height)
