"""When each key was last written."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import numpy.typing as npt
import polars as pl

from sameriver.common.state import StateTable
from sameriver.state.handle import Capture
from sameriver.state.index import KeyIndex
from sameriver.state.kernels.types import Ints
from sameriver.state.room import grown
from sameriver.state.written import Written


class KeyTimes:
    """A handle: keys that live as long as they are written.

    Args:
        declaration: the columns of the key, and that of the last write.
        keys: the columns of the key.
        ttl: how long an untouched key lives.
    """

    def __init__(self, declaration: StateTable, keys: pl.Schema, ttl: timedelta) -> None:
        self.declaration = declaration
        self._index = KeyIndex(keys)
        self._times = np.zeros(0, np.int64)
        self._ttl = ttl // timedelta(milliseconds=1)
        self._next_sweep = 0
        self._written = Written()

    def __len__(self) -> int:
        return len(self._index)

    def touch(self, keys: pl.DataFrame, now: int) -> pl.DataFrame:
        """Keys are written; those of them, each once, that had expired before."""
        slots = self._slots(keys)
        old = np.unique(slots[self._expired(slots, now)])
        expired = self._index.keys(old)
        self._times[slots] = now
        self._written.mark(slots)
        return expired

    def sweep(self, now: int) -> pl.DataFrame:
        """Now and then forgets the keys that expired, and gives them."""
        slots = self._index.slots()
        old = slots[:0]
        if now >= self._next_sweep:
            self._next_sweep = now + self._ttl // 4
            old = slots[self._expired(slots, now)]
        expired = self._index.keys(old)
        self._index.remove(old)
        self._times[old] = 0
        self._written.free(old)
        return expired

    def _slots(self, keys: pl.DataFrame) -> Ints:
        slots = self._index.find_or_insert(keys)
        if len(self._times) < self._index.capacity:
            self._times = grown(self._times, self._index.capacity)
        return slots

    def _expired(self, slots: Ints, now: int) -> npt.NDArray[np.bool_]:
        """Whether each is known and was last written too long ago."""
        times = self._times[slots]
        old: npt.NDArray[np.bool_] = (times != 0) & (times <= now - self._ttl)
        return old

    # The handle.

    def snapshot(self) -> pl.DataFrame:
        return self._save(self._index.slots())[1]

    def capture(self, *, whole: bool) -> Capture:
        return self._written.capture(self._index.slots, self._save, whole=whole)

    def _save(self, slots: Ints) -> tuple[Ints, pl.DataFrame]:
        times = pl.Series(self.declaration.columns[-1].name, self._times[slots])
        return slots, self._index.keys(slots).with_columns(times.cast(pl.Datetime("ms", "UTC")))

    def restore(self, rows: pl.DataFrame) -> None:
        name = self.declaration.columns[-1].name
        times = rows[name].to_physical().cast(pl.Int64).to_numpy()
        slots = self._slots(rows.drop(name))
        self._times[slots] = times
