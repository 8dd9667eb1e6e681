"""Sets of values, by slot."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.state.kernels import value_set as kernels
from sameriver.state.kernels.types import Ints
from sameriver.state.room import grown
from sameriver.state.values import Values
from sameriver.state.written import Written

_SMALLEST = 1 << 10
_FEWEST_DEAD = 1 << 12
_LOAD = 0.7
_BITS = 33
"""Of a hash, and one: a table of ``2**n`` rows is entered at the upper n bits."""
MOST_SETS = 8
"""Sets of a slot that can stand together."""

Marks = np.ndarray[tuple[int, int], np.dtype[np.int8]]
"""A row a set, a column a value: 1 or 0."""


class ValueSet:
    """Sets of values, by slot, that only grow until they are cleared: half of a ``Multiset``.

    A slot may have several sets, for values of which many are in more than one: a value is there
    once, with a bit for each set that holds it.

    Args:
        schema: the columns of a value.
        nulls: whether NULL is a value.
        sets: sets of each slot, at most ``MOST_SETS``.

    Attributes:
        sets: each alone, as it is saved.
    """

    def __init__(self, schema: pl.Schema, *, nulls: bool = False, sets: int = 1) -> None:
        self._values = Values(schema, nulls=nulls)
        self._heads = np.zeros((0, 3), np.int64)
        self.sets = tuple(OneSet(self, number) for number in range(sets))
        self._start(_SMALLEST)

    def _start(self, size: int) -> None:
        self._table = np.zeros(size, np.int64)
        self._known = np.zeros((0, 2), np.int64)
        self._held = np.zeros(0, np.uint8)
        self._links = np.zeros(0, np.int32)
        self._count = self._dead = 0
        self._make_room()

    def _make_room(self) -> None:
        """Room for as many pairs as the table may hold."""
        self._shift = _BITS - len(self._table).bit_length()
        capacity = int(len(self._table) * _LOAD)
        self._known, self._held = grown(self._known, capacity), grown(self._held, capacity)
        self._links = grown(self._links, capacity)

    def reserve(self, capacity: int) -> None:
        """Makes room for slots below ``capacity``."""
        if len(self._heads) < capacity:
            self._heads = grown(self._heads, capacity)

    def add(self, slots: Ints, values: pl.DataFrame, marks: Marks) -> None:
        """Adds values, in order, to the sets where they are marked; marks stay where one is new."""
        words, pairs = self._values.words(values), np.empty(len(slots), np.int64)
        start = 0
        while True:
            self._count = kernels.add(
                self._table, self._shift, self._known, self._held, self._links, self._heads,
                self._count, slots, words, pairs, start, marks,
            )  # fmt: skip
            stopped = np.flatnonzero(pairs[start:] < 0)
            if not len(stopped):
                break
            start += int(stopped[0])
            self._widen()
        for one, new in zip(self.sets, marks, strict=True):
            if one.written.on:
                one.written.mark(pairs[new != 0])

    def _widen(self) -> None:
        old = self._table
        self._table = np.zeros(2 * len(old), np.int64)
        self._make_room()
        kernels.widen(old, self._table, self._shift)

    def entries(self, slots: Ints) -> tuple[Ints, pl.DataFrame, Marks]:
        """Values of slots: which of the slots, the value, its sets; in order of arrival."""
        rows, pairs = self._list(slots)
        return rows, self._values.values(self._known[pairs, 1]), self._marks(pairs)

    def _list(self, slots: Ints) -> tuple[Ints, Ints]:
        """Pairs of slots, and which of the slots each is of."""
        size = int(self._heads[slots, kernels.LENGTH].sum())
        rows, ids = np.empty(size, np.int64), np.empty(size, np.int64)
        kernels.pairs(self._links, self._heads, slots, rows, ids)
        return rows, ids

    def _marks(self, pairs: Ints) -> Marks:
        held = self._held[pairs]
        return np.array([held >> one.number & 1 for one in self.sets], np.int8)

    def numbers(self) -> Ints:
        """All pairs, dead ones too."""
        return np.arange(self._count)

    def living(self, pairs: Ints) -> Ints:
        """Those of the pairs that were not cleared."""
        pairs = pairs.copy()
        return pairs[: kernels.living(self._known, self._heads, pairs)]

    def held(self, pairs: Ints, number: int) -> Ints:
        """Those of the pairs that a set holds."""
        held: Ints = pairs[self._held[pairs] >> number & 1 != 0]
        return held

    def told(self, pairs: Ints) -> tuple[Ints, pl.DataFrame]:
        """The slot and the value of each pair."""
        return self._known[pairs, 0] & 0xFFFFFFFF, self._values.values(self._known[pairs, 1])

    def clear(self, slots: Ints) -> None:
        """Forgets the values of slots (each once)."""
        self._dead += int(self._heads[slots, kernels.LENGTH].sum())
        if any(one.written.on for one in self.sets):
            _, pairs = self._list(slots)
            for one in self.sets:
                one.written.free(pairs)
        kernels.clear(self._heads, slots)
        self.tidy()

    def tidy(self) -> None:
        """Reclaims the room of values that went."""
        if 2 * self._dead <= self._count + _FEWEST_DEAD:
            return
        pairs = self.living(self.numbers())
        (slots, values), marks = self.told(pairs), self._marks(pairs)
        for one in self.sets:
            one.written.renumber()
        self._values = self._values.emptied()
        self._heads[:, kernels.CHAIN :] = 0
        # What was needed is likely to be needed again.
        if 4 * self._count < len(self._known):
            self._start(max(len(self._table) // 2, _SMALLEST))
        else:
            self._table.fill(0)
            self._count = self._dead = 0
        self.add(slots, values, marks)


class OneSet:
    """One of the sets of each slot, as it is saved.

    Attributes:
        number: which.
        written: marks pairs.
    """

    def __init__(self, values: ValueSet, number: int) -> None:
        self._values = values
        self.number = number
        self.written = Written()

    def numbers(self) -> Ints:
        """All pairs, those of other sets too."""
        return self._values.numbers()

    def save(self, pairs: Ints) -> tuple[Ints, Ints, pl.DataFrame]:
        """Those of the pairs that live here, and the slot and value of each."""
        pairs = self._values.held(self._values.living(pairs), self.number)
        return pairs, *self._values.told(pairs)

    def load(self, slots: Ints, values: pl.DataFrame) -> None:
        """Takes over what was saved."""
        marks = np.zeros((len(self._values.sets), len(slots)), np.int8)
        marks[self.number] = 1
        self._values.add(slots, values, marks)
