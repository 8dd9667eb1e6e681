"""Rows listed by key, of which the last one counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from sameriver.common.changes import MIN_WATERMARK
from sameriver.common.schema import Schema
from sameriver.common.state import StateTable
from sameriver.state.handle import Capture
from sameriver.state.index import KeyIndex, fingerprints
from sameriver.state.kernels import chain
from sameriver.state.kernels import row_lists as kernels
from sameriver.state.kernels.types import Ints, Signs
from sameriver.state.pool import Pool
from sameriver.state.room import grown
from sameriver.state.written import Written

_SMALLEST = 1 << 10


class RowLists:
    """A handle: the rows of each key, in order of arrival.

    A list lives as long as it is written, as a whole.

    Args:
        declaration: the columns of rows and, with a TTL, last that of the last write.
        rows: the columns of a row.
        keys: those that make up the key.
        told_by: those that tell the rows of a key apart, so that a row replaces its like; empty:
            a key has one row; None: rows are a multiset.
    """

    def __init__(
        self,
        declaration: StateTable,
        rows: Schema,
        *,
        keys: Sequence[str],
        told_by: Sequence[str] | None,
        now: Callable[[], int],
    ) -> None:
        self.declaration = declaration
        self._schema = rows.to_polars()
        self._keys = list(keys)
        self._told_by = rows.names if told_by is None else told_by
        self._replaces = told_by is not None
        ttl = declaration.ttl
        self._ttl = int(ttl.total_seconds() * 1000) if ttl else 0
        self._now = now
        self._next_sweep = 0
        self._index = KeyIndex(pl.Schema({key: self._schema[key] for key in keys}))
        self._pool = Pool(self._schema)
        self._heads = np.zeros((0, kernels.WIDTH), np.int64)
        self._nexts, self._owners = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._prints = np.zeros((0, 2), np.int64)
        self._alive = 0
        self._changes = 0
        self._written = Written()

    def __len__(self) -> int:
        """How many rows there are."""
        return self._alive

    def change(self, rows: pl.DataFrame, signs: Signs, *, folded: bool) -> tuple[Ints, Ints]:
        """Adds rows (sign 1), and takes the earliest of their like back (-1), in order.

        Args:
            rows: of the schema; of one to be taken back only what it is found by counts.
            signs: of each.
            folded: only the last change of a key is told, as what all of them did.

        Returns:
            Numbers of the row that counted before and after each change; -1: none. They hold
            until the next change.
        """
        self._tidy()
        slots = self._slots(rows)
        added = signs > 0
        self._reserve(self._pool.height + int(np.count_nonzero(added)))
        before, after = np.empty(len(slots), np.int64), np.empty(len(slots), np.int64)
        now = self._now()
        _, gone = kernels.turn(
            self._heads,
            self._nexts,
            self._owners,
            self._prints,
            slots,
            signs,
            self._fingerprints(rows),
            self._pool.height,
            self._changes,
            now,
            now - self._ttl if self._ttl else MIN_WATERMARK,
            self._replaces,
            folded,
            before,
            after,
        )
        self._changes += len(slots)
        self._alive -= gone
        self._add(rows.filter(pl.Series(added)))
        self._written.mark(slots)
        empty = slots[self._heads[slots, chain.LENGTH] == 0]
        if len(empty):
            empty = np.unique(empty)
            self._index.remove(empty)
            self._written.free(empty)
        return before, after

    def gather(self, numbers: Ints) -> pl.DataFrame:
        """The rows of these numbers."""
        return self._pool.gather(numbers)

    def _slots(self, rows: pl.DataFrame) -> Ints:
        slots = self._index.find_or_insert(rows.select(self._keys))
        if len(self._heads) < self._index.capacity:
            self._heads = grown(self._heads, self._index.capacity)
        return slots

    def _fingerprints(self, rows: pl.DataFrame) -> Ints:
        """What tells the rows apart; one row, of no meaning, where nothing does."""
        if not self._told_by:
            return np.zeros((1, 2), np.int64)
        return np.stack(fingerprints(rows.select(self._told_by)), axis=1)

    def _add(self, rows: pl.DataFrame) -> None:
        self._pool.append(rows.select(self._schema.names()))
        self._alive += rows.height

    def _reserve(self, size: int) -> None:
        if size <= len(self._nexts):
            return
        size = max(2 * len(self._nexts), size, _SMALLEST)
        self._nexts, self._owners = grown(self._nexts, size), grown(self._owners, size)
        if self._told_by:
            self._prints = grown(self._prints, size)

    def _tidy(self) -> None:
        """Frees expired lists now and then, and the room of rows that went, if there are many."""
        now = self._now()
        if self._ttl and now >= self._next_sweep:
            self._next_sweep = now + self._ttl // 4
            slots = self._index.slots()
            old = slots[self._heads[slots, kernels.ACCESS] <= now - self._ttl]
            self._alive -= kernels.clear(self._heads, self._nexts, self._owners, old)
            self._index.remove(old)
            self._written.free(old)
        if self._pool.height > 2 * self._alive + _SMALLEST:
            self._compact()

    def _compact(self) -> None:
        """Numbers the rows anew."""
        rows = np.flatnonzero(self._owners[: self._pool.height] >= 0)
        self._pool.keep(rows)
        self._owners[: len(rows)] = self._owners[rows]
        if self._told_by:
            self._prints[: len(rows)] = self._prints[rows]
        self._heads[:, : chain.LENGTH + 1] = 0
        chain.link(self._heads, self._nexts, self._owners[: len(rows)], 0)

    # The handle.

    def snapshot(self) -> pl.DataFrame:
        return self._save(self._index.slots())[1]

    def capture(self, *, whole: bool) -> Capture:
        return self._written.capture(self._index.slots, self._save, whole=whole)

    def _save(self, slots: Ints) -> tuple[Ints, pl.DataFrame]:
        """The rows of slots as declared, and the slot of each."""
        size = int(self._heads[slots, chain.LENGTH].sum())
        of, numbers = np.empty(size, np.int64), np.empty(size, np.int64)
        kernels.listed(self._heads, self._nexts, slots, of, numbers)
        frame = self._pool.gather(numbers)
        if self._ttl:
            access = pl.Series(self.declaration.columns[-1].name, self._heads[of, kernels.ACCESS])
            frame = frame.with_columns(access.cast(pl.Datetime("ms", "UTC")))
        return of, frame.select(column.name for column in self.declaration.columns)

    def restore(self, rows: pl.DataFrame) -> None:
        slots = self._slots(rows)
        self._reserve(rows.height)
        access = np.zeros(len(slots), np.int64)
        if self._ttl:
            last = rows[self.declaration.columns[-1].name]
            access = last.to_physical().cast(pl.Int64).to_numpy()
        kernels.written(self._heads, self._owners, access, slots)
        if self._told_by:
            self._prints[: rows.height] = self._fingerprints(rows)
        chain.link(self._heads, self._nexts, self._owners[: rows.height], 0)
        self._add(rows)
