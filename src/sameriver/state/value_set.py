"""Sets of values, by slot."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.state.index import grown
from sameriver.state.kernels import value_set as kernels
from sameriver.state.kernels.types import Ints, Signs
from sameriver.state.values import Values
from sameriver.state.written import Written

_SMALLEST = 1 << 10
_FEWEST_DEAD = 1 << 12
_LOAD = 0.7
_BITS = 33
"""Of a hash, and one: a table of ``2**n`` rows is entered at the upper n bits."""


class ValueSet:
    """Sets of values, by slot, that only grow until they are cleared: half of a ``Multiset``.

    Args:
        schema: the columns of a value.
        nulls: whether NULL is a value.

    Attributes:
        written: marks pairs.
    """

    def __init__(self, schema: pl.Schema, *, nulls: bool = False) -> None:
        self._values = Values(schema, nulls=nulls)
        self._heads = np.zeros((0, 3), np.int64)
        self.written = Written()
        self._start(_SMALLEST)

    def _start(self, size: int) -> None:
        self._table = np.zeros(size, np.int64)
        self._known = np.zeros((0, 2), np.int64)
        self._links = np.zeros(0, np.int32)
        self._count = self._dead = 0
        self._make_room()

    def _make_room(self) -> None:
        """Room for as many pairs as the table may hold."""
        self._shift = _BITS - len(self._table).bit_length()
        capacity = int(len(self._table) * _LOAD)
        # In place: no copy of what may be gigabytes. Nothing else holds on to these arrays.
        self._known.resize((capacity, 2), refcheck=False)
        self._links.resize(capacity, refcheck=False)

    def reserve(self, capacity: int) -> None:
        """Makes room for slots below ``capacity``."""
        if len(self._heads) < capacity:
            self._heads = grown(self._heads, capacity)

    def add(self, slots: Ints, values: pl.DataFrame, weights: Ints | None = None) -> Signs:
        """Adds values, in order; 1 where one is new, else 0. Weights don't matter here."""
        return self._add(slots, self._values.words(values))

    def _add(self, slots: Ints, words: Ints) -> Signs:
        out, hashes = np.zeros(len(slots), np.int8), np.empty(len(slots), np.int64)
        start, first = 0, self._count
        while True:
            self._count = kernels.add(
                self._table, self._shift, self._known, self._links, self._heads, self._count,
                slots, words, hashes, start, out,
            )  # fmt: skip
            stopped = np.flatnonzero(out[start:] < 0)
            if not len(stopped):
                self.written.mark(np.arange(first, self._count))
                return out
            start += int(stopped[0])
            self._widen()

    def _widen(self) -> None:
        old = self._table
        self._table = np.zeros(2 * len(old), np.int64)
        self._make_room()
        kernels.widen(old, self._table, self._shift)

    def entries(self, slots: Ints, *, owed: bool = False) -> tuple[Ints, pl.DataFrame, None]:
        """Values of slots: which of the slots, and the value; in order of arrival."""
        rows, ids = self._list(slots)
        return rows, self._values.values(self._known[ids, 1]), None

    def _list(self, slots: Ints) -> tuple[Ints, Ints]:
        """Pairs of slots, and which of the slots each is of."""
        size = int(self._heads[slots, kernels.LENGTH].sum())
        rows, ids = np.empty(size, np.int64), np.empty(size, np.int64)
        kernels.pairs(self._links, self._heads, slots, rows, ids)
        return rows, ids

    def numbers(self) -> Ints:
        """All pairs, dead ones too."""
        return np.arange(self._count)

    def save(self, ids: Ints) -> tuple[Ints, Ints, pl.DataFrame]:
        """Those of the pairs that live, and the slot and value of each."""
        ids = ids.copy()
        ids = ids[: kernels.living(self._known, self._heads, ids)]
        slots = self._known[ids, 0] & 0xFFFFFFFF
        return ids, slots, self._values.values(self._known[ids, 1])

    def clear(self, slots: Ints) -> None:
        """Forgets the values of slots (each once)."""
        self._dead += int(self._heads[slots, kernels.LENGTH].sum())
        if self.written.on:
            self.written.free(self._list(slots)[1])
        kernels.clear(self._heads, slots)
        self.tidy()

    def tidy(self) -> None:
        """Reclaims the room of values that went."""
        if 2 * self._dead <= self._count + _FEWEST_DEAD:
            return
        _, slots, values = self.save(self.numbers())
        self.written.renumber()
        self._values = self._values.emptied()
        self._heads[:, kernels.CHAIN :] = 0
        # What was needed is likely to be needed again.
        if 4 * self._count < len(self._known):
            self._start(max(len(self._table) // 2, _SMALLEST))
        else:
            self._table.fill(0)
            self._count = self._dead = 0
        self.add(slots, values)
