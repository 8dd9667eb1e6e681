"""How often each row is there on the left and on the right."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.frames import picked
from sameriver.common.schema import Schema
from sameriver.common.state import StateTable
from sameriver.state.handle import Capture
from sameriver.state.index import KeyIndex
from sameriver.state.kernels import set_operation as kernels
from sameriver.state.kernels.types import Ints, Signs
from sameriver.state.room import grown
from sameriver.state.written import Written


class SideCounts:
    """Counts by row; a table of state.

    Args:
        declaration: key columns, then the counts left and right, then (with a TTL) the time of
            the last write.
    """

    def __init__(self, declaration: StateTable) -> None:
        self._declaration = declaration
        self._keys = Schema.of([(c.name, c.type) for c in declaration.key]).to_polars()
        self._ttl = int(declaration.ttl.total_seconds() * 1000) if declaration.ttl else None
        self._index = KeyIndex(self._keys)
        self._counts = np.zeros((0, 3), np.int64)
        self._next_sweep = 0
        self._written = Written()

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def __len__(self) -> int:
        return len(self._index)

    def slots(self, rows: pl.DataFrame, now: int) -> Ints:
        """The slot of each row; new rows get one, and expired ones count as new."""
        slots = self._index.find_or_insert(rows)
        if len(self._counts) < self._index.capacity:
            self._counts = grown(self._counts, self._index.capacity)
        if self._ttl is not None:
            old = slots[self._counts[slots, kernels.ACCESS] <= now - self._ttl]
            self._counts[old] = 0
        self._written.mark(slots)
        return slots

    def copies(self, slots: Ints, kind: int) -> Ints:
        """How often the rows of slots come out now."""
        out = np.empty(len(slots), np.int64)
        kernels.look(self._counts, slots, kind, out)
        return out

    def count(
        self, slots: Ints, signs: Signs, side: int, kind: int, now: int
    ) -> tuple[Ints, Ints, Ints]:
        """Counts rows of one side; old and new copies and the flags of each change."""
        old, new, flags = (np.empty(len(slots), np.int64) for _ in range(3))
        kernels.count(self._counts, slots, signs, side, kind, now, old, new, flags)
        return old, new, flags

    def free(self, slots: Ints, now: int) -> None:
        """Forgets those of the slots that are on no side; now and then all expired ones."""
        sides = self._counts[slots, : kernels.ACCESS]
        dead = slots[~sides.any(axis=1)]
        if len(dead):
            self._remove(np.unique(dead))
        if self._ttl is not None and now >= self._next_sweep:
            every = self._index.slots()
            self._remove(every[self._counts[every, kernels.ACCESS] <= now - self._ttl])
            self._next_sweep = now + self._ttl // 4

    def _remove(self, slots: Ints) -> None:
        self._index.remove(slots)
        self._counts[slots] = 0
        self._written.free(slots)

    def snapshot(self) -> pl.DataFrame:
        """All rows, columns as declared."""
        return self._save(self._index.slots())[1]

    def capture(self, *, whole: bool) -> Capture:
        return self._written.capture(self._index.slots, self._save, whole=whole)

    def _save(self, slots: Ints) -> tuple[Ints, pl.DataFrame]:
        frame = self._index.keys(slots)
        names = [column.name for column in self._declaration.values]
        counts = [
            pl.Series(name, self._counts[slots, place]) for place, name in enumerate(names[:2])
        ]
        if self._ttl is not None:
            access = pl.Series(names[2], self._counts[slots, kernels.ACCESS])
            counts.append(access.cast(pl.Datetime("ms", "UTC")))
        return slots, frame.with_columns(counts)

    def restore(self, rows: pl.DataFrame) -> None:
        slots = self.slots(picked(rows, self._keys), 0)
        for place, column in enumerate(self._declaration.values):
            values = rows.get_column(column.name).to_physical().cast(pl.Int64)
            self._counts[slots, place] = values.to_numpy()
