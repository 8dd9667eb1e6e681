"""Stored rows, to be found by key: one side of a join."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
import polars as pl

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK
from sameriver.common.frames import picked
from sameriver.common.schema import Schema
from sameriver.common.state import StateTable
from sameriver.state.handle import Capture
from sameriver.state.index import KeyIndex, fingerprints
from sameriver.state.kernels import chain as kernels
from sameriver.state.kernels import row_words as cells
from sameriver.state.kernels.types import NO_INTS, Ints, Signs
from sameriver.state.pool import Pool
from sameriver.state.room import grown
from sameriver.state.row_words import RowWords
from sameriver.state.written import Written

_SMALLEST = 1 << 12


class ChainedRows:
    """Rows, chained by the slot of their key in order of arrival.

    Args:
        declaration: the table; its last columns are the counter of matches and the time of the
            last write, where there are any.
        rows: the columns of a row, key columns among them.
        keys: the columns by which rows are found.
        upsert_key: columns that tell rows apart, so that a row replaces the one before; empty:
            rows are a multiset.
        index: the slots of keys, shared with the other side.
        retract: whether rows are taken back.
        counted: whether the matches of rows are counted.
    """

    def __init__(
        self,
        declaration: StateTable,
        rows: Schema,
        index: KeyIndex,
        *,
        keys: Sequence[str],
        upsert_key: Sequence[str],
        retract: bool,
        counted: bool,
        now: Callable[[], int],
    ) -> None:
        self.declaration = declaration
        self._schema = rows.to_polars()
        self._keys = list(keys)
        self._told_by = list(upsert_key) or list(rows.names)
        self._replaces = bool(upsert_key)
        self._index = index
        self._retract, self._counted = retract, counted
        ttl = declaration.ttl
        self._ttl = int(ttl.total_seconds() * 1000) if ttl else 0
        self._now = now
        self._words = RowWords(self._schema)
        self._cells = np.zeros((0, self._words.width), np.int64)
        self._pool = Pool(self._words.wide)
        self._height = 0
        self._heads = np.zeros((0, 4), np.int64)
        self._nexts, self._owners = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._prints = np.zeros((0, 2), np.int64)
        self._access = np.zeros(0, np.int64)
        self.matches = np.zeros(0, np.int64)
        self._earliest = MAX_WATERMARK
        self._floor = 0
        self._written = Written()

    def __len__(self) -> int:
        """Rows that are not gone."""
        return len(self._living())

    def pairs(self, slots: Ints, start: int, limit: int) -> tuple[int, Ints, Ints]:
        """Which rows the slots from ``start`` on meet: row of the batch, and number here; about
        ``limit`` at a time. Gives also where the next call must start."""
        self._reserve_heads()
        rows, places = (np.empty(len(slots) - start, np.int64) for _ in range(2))
        access, oldest = self._mortal(), self._oldest()
        stop, size = kernels.reach(
            self._heads, self._nexts, self._owners, access, oldest,
            slots, start, limit, rows, places,
        )  # fmt: skip
        at, ids = np.empty(size, np.int64), np.empty(size, np.int64)
        run = stop - start
        if kernels.pairs(self._nexts, access, oldest, rows[:run], places[:run], start, at, ids):
            alive = ids >= 0
            at, ids = at[alive], ids[alive]
        return stop, at, ids

    def lengths(self, slots: Ints) -> Ints:
        """How many rows each slot has at most."""
        self._reserve_heads()
        lengths: Ints = self._heads[slots, kernels.LENGTH]
        return lengths

    def living(self, but: int) -> Ints:
        """The numbers of all rows, but for those of one slot."""
        alive = self._living()
        others: Ints = alive[self._owners[alive] != but]
        return others

    def gather(self, ids: Ints, names: Collection[str] | None = None) -> pl.DataFrame:
        """The rows of these numbers; of their columns those of these names, None: all."""
        words = np.empty((self._words.width, len(ids)), np.int64)
        cells.gather(self._cells, ids, words)
        names = self._schema if names is None else names
        wide = not self._words.wide.keys().isdisjoint(names)
        return self._words.decode(words, self._pool.gather(ids) if wide else pl.DataFrame(), names)

    def touch(self, ids: Ints) -> None:
        """The rows' counters have been written."""
        self._written.mark(ids)
        if self._ttl:
            self._access[ids] = self._now()

    def change(self, rows: pl.DataFrame, slots: Ints, signs: Signs | None, matches: Ints) -> None:
        """Adds rows, and takes back the earliest of their like (sign -1), in order.

        Rows without a slot (-1) meet nothing and are not kept. ``matches``: how many rows of the
        other side each meets, if that is counted.
        """
        self._reserve_heads()
        added = slots >= 0
        if signs is not None:
            added &= signs > 0
        kept = rows if added.all() else rows.filter(pl.Series(added))
        start, count = self._add(kept), kept.height
        self._written.mark(np.arange(start, start + count))
        if self._counted:
            self.matches[start : start + count] = matches[added]
        if self._ttl:
            self._access[start : start + count] = self._now()
            self._earliest = min(self._earliest, self._now())
        if self._retract:
            self._apply(rows, slots, signs, start)
        else:
            self._owners[start : start + count] = slots[added]
            kernels.link(self._heads, self._nexts, self._owners[: start + count], start)

    def _add(self, rows: pl.DataFrame) -> int:
        """Stores rows; gives the number of the first."""
        start = self._height
        self._height += rows.height
        self._reserve_rows(self._height)
        cells.fill(self._cells, start, self._words.encode(rows))
        if self._words.wide:
            self._pool.append(picked(rows, self._words.wide))
        return start

    def tidy(self) -> bool:
        """Reclaims the room of rows that went, if there are many; gives whether it did."""
        height = self._height
        ever = not (self._retract or len(self._mortal()))
        if ever or height <= 2 * self._floor + _SMALLEST:
            return False
        alive = self._living()
        rebuild = 2 * len(alive) < height
        if rebuild:
            self._keep(alive)
        self._floor = self._height
        return rebuild

    def unused(self, slots: Ints) -> Ints:
        """Those of the slots that have no row."""
        self._reserve_heads()
        empty: Ints = slots[self._heads[slots, kernels.LENGTH] == 0]
        return empty

    def snapshot(self) -> pl.DataFrame:
        return self._save(self._living())[1]

    def capture(self, *, whole: bool) -> Capture:
        return self._written.capture(self._living, self._save, whole=whole)

    def _save(self, alive: Ints) -> tuple[Ints, pl.DataFrame]:
        rows = self.gather(alive)
        names = [column.name for column in self.declaration.columns]
        stored = [name for name in names if name in self._schema]
        frame = rows.select(stored)
        extra = [values[alive] for values in self._extra()]
        columns = [pl.Series(n, v) for n, v in zip(names[len(stored) :], extra, strict=True)]
        return alive, frame.with_columns(columns)

    def restore(self, rows: pl.DataFrame) -> None:
        keys = picked(rows, self._keys)
        slots = self._index.find_or_insert(keys)
        self._reserve_heads()
        stored = picked(rows, self._schema)
        self._add(stored)
        names = [c.name for c in self.declaration.columns if c.name not in self._schema]
        for values, name in zip(self._extra(), names, strict=True):
            values[: rows.height] = rows[name].to_physical().cast(pl.Int64).to_numpy()
        self._owners[: rows.height] = slots
        if self._retract:
            self._prints[: rows.height] = np.stack(self._fingerprints(stored), axis=1)
        kernels.link(self._heads, self._nexts, self._owners[: rows.height], 0)
        self._floor = rows.height
        self._earliest = self._least_access()

    def _extra(self) -> list[Ints]:
        """What is kept of each row beside its columns, as declared."""
        return [self.matches] * self._counted + [self._access] * bool(self._ttl)

    def _apply(self, rows: pl.DataFrame, slots: Ints, signs: Signs | None, start: int) -> None:
        if signs is None:
            signs = np.ones(len(slots), np.int8)
        removed = np.empty(len(slots), np.int64)
        gone = kernels.apply(
            self._heads,
            self._nexts,
            self._owners,
            self._prints,
            self._mortal(),
            self._oldest(),
            slots,
            signs,
            *self._fingerprints(rows),
            start,
            self._replaces,
            removed,
        )
        self._written.free(removed[:gone])

    def _fingerprints(self, rows: pl.DataFrame) -> tuple[Ints, Ints]:
        return fingerprints(picked(rows, self._told_by))

    def _oldest(self) -> int:
        return self._now() - self._ttl if self._ttl else MIN_WATERMARK

    def _mortal(self) -> Ints:
        """When rows were written; empty where none can have expired."""
        return self._access if self._oldest() >= self._earliest else NO_INTS

    def _least_access(self) -> int:
        return int(self._access[: self._height].min(initial=MAX_WATERMARK))

    def _living(self) -> Ints:
        alive = self._owners[: self._height] >= 0
        if len(self._mortal()):
            alive &= self._access[: self._height] > self._oldest()
        return np.flatnonzero(alive).astype(np.int64)

    def _keep(self, alive: Ints) -> None:
        """Numbers the living rows anew."""
        self._written.renumber()
        if self._words.wide:
            self._pool.keep(alive)
        self._height = size = len(alive)
        for values in (self._cells, self._owners, self._prints, self._access, self.matches):
            if len(values):
                values[:size] = values[alive]
        self._earliest = self._least_access()
        self._heads[:] = 0
        kernels.link(self._heads, self._nexts, self._owners[:size], 0)

    def _reserve_heads(self) -> None:
        if len(self._heads) < self._index.capacity:
            self._heads = grown(self._heads, self._index.capacity)

    def _reserve_rows(self, size: int) -> None:
        if size <= len(self._nexts):
            return
        size = max(len(self._nexts) * 3 // 2, size, _SMALLEST)
        self._cells = grown(self._cells, size)
        self._nexts, self._owners = grown(self._nexts, size), grown(self._owners, size)
        if self._counted:
            self.matches = grown(self.matches, size)
        if self._ttl:
            self._access = grown(self._access, size)
        if self._retract:
            self._prints = grown(self._prints, size)
