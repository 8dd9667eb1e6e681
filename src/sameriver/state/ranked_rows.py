"""Rows of each key in an order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.common.frames import picked
from sameriver.common.state import StateTable
from sameriver.state.handle import Capture
from sameriver.state.index import KeyIndex
from sameriver.state.kernels import ranked_rows as kernels
from sameriver.state.kernels.types import NO_INTS, Ints
from sameriver.state.pool import Pool
from sameriver.state.room import grown
from sameriver.state.written import Written

_SMALLEST = 1 << 10
_DENSE = 16
"""Slots of a row from which on going through all slots takes longer than sorting."""


class RankedRows:
    """A handle: lists of rows, one a key. A batch takes out the lists of its keys and puts the new
    ones back.

    Args:
        declaration: the key ends with a position, which holds the order of the rows of a key in a
            snapshot; the last value is the time of the last write if there is a TTL.
        schema: the columns of rows.
        keys: the columns that make up the key.
    """

    def __init__(self, declaration: StateTable, schema: pl.Schema, keys: Sequence[str]) -> None:
        self._declaration = declaration
        self._names = schema.names()
        self._keys = list(keys)
        self._index = KeyIndex(pl.Schema({key: schema[key] for key in keys}))
        self._pool = Pool(schema)
        self._lists = np.zeros((0, 2), np.int64)
        self._log = NO_INTS
        self._end = self._live = 0
        self._ttl = int(declaration.ttl.total_seconds() * 1000) if declaration.ttl else None
        self._access = np.zeros(0, np.int64)
        self._flags = np.zeros(0, np.bool_)
        self._counts = np.zeros(0, np.int64)
        self._next_sweep = 0
        self._written = Written()

    def __len__(self) -> int:
        return self._live

    @property
    def capacity(self) -> int:
        """Slots are below it."""
        return self._index.capacity

    def slots(self, rows: pl.DataFrame) -> Ints:
        """The slot of each row's key; new keys get one."""
        keys = picked(rows, self._keys)
        slots = self._index.find_or_insert(keys)
        if len(self._access) < self._index.capacity:
            self._access = grown(self._access, self._index.capacity)
            self._flags = grown(self._flags, self._index.capacity)
            self._counts = grown(self._counts, self._index.capacity)
            self._lists = grown(self._lists, self._index.capacity)
        return slots

    def expired(self, slots: Ints, now: int) -> Ints:
        """Those of the slots whose list is gone by its age."""
        return NO_INTS if self._ttl is None else slots[self._access[slots] <= now - self._ttl]

    def take(self, slots: Ints, now: int) -> tuple[Ints, Ints]:
        """Takes out the lists of slots: the slot and the place of each row, each list in order.

        What has expired is gone. Lists that change are ``touch``ed.
        """
        self._written.mark(slots)
        of, places = self._listed(slots)
        self._lists[slots] = 0
        self._live -= len(places)
        if self._ttl is not None:
            fresh = self._access[of] > now - self._ttl
            of, places = of[fresh], places[fresh]
        return of, places

    def gather(self, places: Ints, names: Sequence[str] = ()) -> pl.DataFrame:
        """The rows at these places; of these columns, if any are named."""
        return self._pool.gather(places, names)

    def distinct(self, slots: Ints) -> Ints:
        """The slots there are, rising."""
        if len(slots) * _DENSE < self.capacity:
            return np.unique(slots)
        self._flags[slots] = True
        found = np.flatnonzero(self._flags).astype(np.int64, copy=False)
        self._flags[found] = False
        return found

    def positions(self, slots: Ints) -> Ints:
        """The position of each row within its list, from 1; each list in order."""
        out = np.empty(len(slots), np.int64)
        kernels.positions(slots, self._counts, out)
        return out

    def touch(self, slots: Ints, now: int) -> None:
        """Tells that lists were written."""
        self._access[slots] = now

    def _listed(self, slots: Ints) -> tuple[Ints, Ints]:
        """The slot and the place of each row in the lists of slots (each once)."""
        size = kernels.size(self._lists, slots)
        of, places = np.empty(size, np.int64), np.empty(size, np.int64)
        kernels.listed(self._lists, self._log, slots, of, places)
        return of, places

    def add(self, rows: pl.DataFrame) -> int:
        """Stores rows that are in no list yet; gives the place of the first."""
        return self._pool.append(picked(rows, self._names))

    def put(self, slots: Ints, places: Ints) -> None:
        """Puts lists back: slot and place of each row, each list in order."""
        if self._end + len(slots) > len(self._log):
            self._log = grown(self._log, 2 * (self._end + len(slots)))
        self._end = kernels.put(self._lists, self._log, self._end, slots, places)
        self._live += len(slots)

    def tidy(self, slots: Ints) -> None:
        """Forgets those of the keys whose lists are empty, and the rows that are in no list."""
        touched = self.distinct(slots)
        self._index.remove(touched[self._lists[touched, kernels.LENGTH] == 0])
        waste = max(self._end, self._pool.height)
        if waste > 2 * self._live + _SMALLEST:
            self._compact()

    def _compact(self) -> None:
        of, places = self._listed(self._index.slots())
        self._lists[of] = 0
        self._pool.keep(places)
        self._end = self._live = 0
        self.put(of, np.arange(len(places)))

    def sweep(self, now: int) -> Ints:
        """Now and then frees the expired keys; gives their slots."""
        if self._ttl is None or now < self._next_sweep:
            return NO_INTS
        self._next_sweep = now + self._ttl // 4
        every = self._index.slots()
        old = every[self._access[every] <= now - self._ttl]
        self.take(old, now)
        self._index.remove(old)
        return old

    # The handle.

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        return self._save(self._index.slots())[1]

    def capture(self, *, whole: bool) -> Capture:
        return self._written.capture(self._index.slots, self._save, whole=whole)

    def _save(self, slots: Ints) -> tuple[Ints, pl.DataFrame]:
        owners, places = self._listed(slots)
        columns = self._declaration.columns
        position, *access = (c.name for c in columns if c.name not in self._names)
        extra = [pl.Series(position, np.arange(len(places)))]
        for name in access:
            times = pl.Series(name, self._access[owners])
            extra.append(times.cast(pl.Datetime("ms", "UTC")))
        rows = self._pool.gather(places).with_columns(extra)
        return owners, rows.select(column.name for column in columns)

    def restore(self, rows: pl.DataFrame) -> None:
        columns = self._declaration.columns
        position, *access = (c.name for c in columns if c.name not in self._names)
        rows = rows.sort(position, maintain_order=True)
        slots = self.slots(rows)
        for name in access:
            self._access[slots] = rows[name].to_physical().cast(pl.Int64).to_numpy()
        start = self.add(rows)
        self.put(slots, np.arange(start, start + rows.height))
