"""Values in order of arrival, by slot."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.state.index import Lookup
from sameriver.state.kernels import multiset, types
from sameriver.state.kernels import sequence as kernels
from sameriver.state.kernels.types import Ints, Signs
from sameriver.state.room import grown
from sameriver.state.values import Values
from sameriver.state.written import Written

_SMALLEST = 1 << 12


class Sequence:
    """Values in order of arrival, by slot; what is taken back is the earliest of its like.

    A value taken back before it came is owed: it cancels the next of its like.

    Args:
        schema: the columns of a value.
        nulls: whether NULL is a value.
        last: whether ``change`` gives the last value of a slot, not the first.

    Attributes:
        written: marks slots.
    """

    def __init__(self, schema: pl.Schema, *, nulls: bool = False, last: bool = False) -> None:
        self._values = Values(schema, nulls=nulls)
        self._end = kernels.LAST if last else kernels.FIRST
        self._heads = np.zeros((0, 4), np.int64)
        self.written = Written()
        self._start()

    def _start(self) -> None:
        self._lookup = Lookup(2)
        self._entries = np.zeros((self._lookup.capacity, 3), np.int64)
        self._items = np.zeros((_SMALLEST, 4), np.int64)
        self._given = 0
        self._floor = 0

    def reserve(self, capacity: int) -> None:
        """Makes room for slots below ``capacity``."""
        if len(self._heads) < capacity:
            self._heads = grown(self._heads, capacity)

    def change(
        self, slots: Ints, values: pl.DataFrame, weights: Ints | None = None
    ) -> tuple[Ints, Signs]:
        """Appends values (weight 1, or None) and takes them back (-1, or owes: -n), in order.

        Gives the word of the slot's first (or last) value after each row, and -1 for a sign where
        it has none.
        """
        self.written.mark(slots)
        words = self._values.words(values)
        owners = np.empty(len(slots), np.int64)
        multiset.owners(self._heads, slots, owners)
        ids = self._lookup.find_or_insert((owners, words))
        if len(self._entries) < self._lookup.capacity:
            self._entries = grown(self._entries, self._lookup.capacity)
        if len(self._items) < self._given + len(slots):
            self._items = grown(self._items, 2 * (self._given + len(slots)))
        ends, present = np.empty(len(slots), np.int64), np.empty(len(slots), np.int8)
        self._given = kernels.change(
            self._entries,
            self._items,
            self._heads,
            self._lookup.known,
            slots,
            ids,
            types.NO_INTS if weights is None else weights,
            self._given,
            self._end,
            ends,
            present,
        )
        return ends, present

    def values(self, words: Ints) -> pl.DataFrame:
        """The values that have these words."""
        return self._values.values(words)

    def ends(self, slots: Ints) -> tuple[Ints, Ints]:
        """Word of the first (or last) value of each slot, and whether it has one (1 or 0)."""
        links = self._heads[slots, self._end]
        entries = self._items[np.maximum(links - 1, 0), kernels.ENTRY]
        return self._lookup.known[entries, 1], (links > 0).astype(np.int64)

    def items(self, slots: Ints) -> tuple[Ints, pl.DataFrame]:
        """Which of the slots, and the value, of all in order of arrival, slot by slot."""
        size = int(self._heads[slots, kernels.LENGTH].sum())
        rows, items = np.empty(size, np.int64), np.empty(size, np.int64)
        kernels.list_items(self._items, self._heads, slots, rows, items)
        return rows, self._values.values(self._lookup.known[self._items[items, kernels.ENTRY], 1])

    def owed(self) -> tuple[Ints, pl.DataFrame, Ints]:
        """Slot, value and how many of it were taken back before they came."""
        ids = np.empty(len(self._lookup), np.int64)
        known = self._lookup.known
        count = kernels.owing(self._entries, known, self._heads, len(ids), ids)
        ids = ids[:count]
        slots = known[ids, 0] & 0xFFFFFFFF
        return slots, self._values.values(known[ids, 1]), self._entries[ids, kernels.OWED]

    def numbers(self) -> Ints:
        """All slots there may be."""
        return np.arange(len(self._heads))

    def save(self, slots: Ints) -> tuple[Ints, Ints, pl.DataFrame]:
        """What slots have: the slot (twice), and positions and values; what is owed is below 0."""
        rows, values = self.items(slots)
        owing, missing, counts = self.owed()
        asked = np.isin(owing, slots)
        owing, missing, counts = owing[asked], missing.filter(pl.Series(asked)), counts[asked]
        debts = np.repeat(np.arange(len(counts)), counts)
        positions = np.concatenate([np.arange(len(rows)), -1 - np.arange(len(debts))])
        frame = pl.concat([values, missing[pl.Series(debts)]])
        frame = frame.insert_column(0, pl.Series("$position", positions))
        owners = np.concatenate([slots[rows], owing[debts]])
        return owners, owners, frame

    def load(self, slots: Ints, rows: pl.DataFrame) -> None:
        """Takes over what ``save`` gave; columns go by position."""
        positions = rows.to_series(0).to_numpy()
        order = np.argsort(positions, kind="stable")
        weights = np.where(positions[order] < 0, -1, 1)
        self.change(slots[order], rows[pl.Series(order)][:, 1:], weights)

    def clear(self, slots: Ints) -> None:
        """Forgets the values of slots (each once)."""
        self.written.free(slots)
        multiset.clear(self._heads, slots)

    def tidy(self) -> bool:
        """Reclaims the room of values that went; gives whether words have changed."""
        size = max(self._given, len(self._lookup))
        if size <= 2 * self._floor + _SMALLEST:
            return False
        rebuild = size > 2 * int(self._heads[:, kernels.LENGTH].sum())
        if rebuild:
            self._rebuild()
        self._floor = max(self._given, len(self._lookup))
        return rebuild

    def _rebuild(self) -> None:
        slots = np.flatnonzero(self._heads[:, kernels.LENGTH]).astype(np.int64)
        rows, values = self.items(slots)
        owing, missing, counts = self.owed()
        self._values = self._values.emptied()
        self._heads[:, kernels.FIRST :] = 0
        self._start()
        self.change(slots[rows], values)
        self.change(owing, missing, -counts)
