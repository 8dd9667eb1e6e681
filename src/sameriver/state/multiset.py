"""Values with counts, by slot."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.state.index import Lookup
from sameriver.state.kernels import multiset as kernels
from sameriver.state.kernels.types import NO_INTS, Ints, Signs
from sameriver.state.room import grown
from sameriver.state.values import Values
from sameriver.state.written import Written

_SMALLEST = 1 << 12
_FEWEST = 1 << 10


class Multiset:
    """Values with counts, by slot. Counts may be negative until what was taken back comes.

    Args:
        schema: the columns of a value.
        nulls: whether NULL is a value.
        greatest: whether ``track`` gives the greatest value, not the least.

    Attributes:
        written: marks entries.
    """

    def __init__(self, schema: pl.Schema, *, greatest: bool = False, nulls: bool = False) -> None:
        self._values = Values(schema, nulls=nulls)
        self._flip = -1 if greatest else 0
        self._heads = np.zeros((0, 4), np.int64)
        self._tracked = False
        self.written = Written()
        self._start()

    def _start(self, size: int = _FEWEST) -> None:
        self._lookup = Lookup(2, size)
        self._entries = np.zeros((self._lookup.capacity, 4), np.int64)
        self._garbage = 0

    @property
    def schema(self) -> pl.Schema:
        return self._values.schema

    @property
    def ordered(self) -> bool:
        """Whether ``track`` works: words sort as the values do."""
        return self._values.ordered

    def reserve(self, capacity: int) -> None:
        """Makes room for slots below ``capacity``."""
        if len(self._heads) < capacity:
            self._heads = grown(self._heads, capacity)

    def add(self, slots: Ints, values: pl.DataFrame, weights: Ints | None = None) -> Signs:
        """Counts values (None: +1 each), in order; +1 where one came into being, -1 where it went.

        Everywhere else 0.
        """
        ids = self._find(slots, self._values.words(values))
        out = np.empty(len(slots), np.int8)
        weights = NO_INTS if weights is None else weights
        self._garbage += kernels.add(self._entries, self._heads, slots, ids, weights, out)
        return out

    def track(
        self, slots: Ints, values: pl.DataFrame, weights: Ints | None = None
    ) -> tuple[Ints, Signs]:
        """As ``add``, but gives the word of the slot's least value after each row.

        The sign is -1 where the slot has no value left.
        """
        self._tracked = True
        ids = self._find(slots, self._values.words(values))
        weights = np.ones(len(slots), np.int64) if weights is None else weights
        return self._track(slots, ids, weights)

    def _track(self, slots: Ints, ids: Ints, weights: Ints) -> tuple[Ints, Signs]:
        least = np.empty(len(slots), np.int64)
        present = np.empty(len(slots), np.int8)
        self._garbage += kernels.track(
            self._entries,
            self._lookup.known,
            self._heads,
            slots,
            ids,
            weights,
            self._flip,
            least,
            present,
        )
        return least, present

    def _find(self, slots: Ints, words: Ints) -> Ints:
        owners = np.empty(len(slots), np.int64)
        kernels.owners(self._heads, slots, owners)
        ids = self._lookup.find_or_insert((owners, words))
        if len(self._entries) < self._lookup.capacity:
            self._entries = grown(self._entries, self._lookup.capacity)
        self.written.mark(ids)
        return ids

    def entries(self, slots: Ints, *, owed: bool = False) -> tuple[Ints, pl.DataFrame, Ints]:
        """Values of slots: which of the slots, the value, its count; in order of arrival.

        ``owed``: also values with a count below 0, which a merge has to carry over.
        """
        rows, ids = self._list(slots, owed)
        words = self._lookup.known[ids, 1]
        return rows, self._values.values(words), self._entries[ids, kernels.COUNT]

    def _list(self, slots: Ints, owed: bool) -> tuple[Ints, Ints]:
        """Entries of slots, and which of the slots each is of."""
        size = int(self._heads[slots, kernels.LENGTH].sum())
        rows, ids = np.empty(size, np.int64), np.empty(size, np.int64)
        count = kernels.list_entries(self._entries, self._heads, slots, owed, rows, ids)
        return rows[:count], ids[:count]

    def everything(self) -> tuple[Ints, pl.DataFrame, Ints]:
        """Slot, value and count of all, counts below 0 too."""
        return self._told(self._living(self.numbers()))

    def numbers(self) -> Ints:
        """All entries, dead ones too."""
        return np.arange(len(self._lookup))

    def save(self, ids: Ints) -> tuple[Ints, Ints, pl.DataFrame]:
        """Those of the entries that live, and the slot, and value and count, of each."""
        ids = self._living(ids)
        slots, values, counts = self._told(ids)
        return ids, slots, values.with_columns(pl.Series("$count", counts))

    def _living(self, ids: Ints) -> Ints:
        ids = ids.copy()
        return ids[: kernels.living(self._entries, self._lookup.known, self._heads, ids)]

    def _told(self, ids: Ints) -> tuple[Ints, pl.DataFrame, Ints]:
        known = self._lookup.known
        slots = known[ids, 0] & 0xFFFFFFFF
        return slots, self._values.values(known[ids, 1]), self._entries[ids, kernels.COUNT]

    def clear(self, slots: Ints) -> None:
        """Forgets the values of slots (each once)."""
        self._garbage += int(self._heads[slots, kernels.LENGTH].sum())
        if self.written.on:
            self.written.free(self._list(slots, owed=True)[1])
        kernels.clear(self._heads, slots)
        if 2 * self._garbage > len(self._lookup) + _SMALLEST:
            self._rebuild()

    def tidy(self) -> None:
        """Reclaims the room of values that went."""
        if 2 * self._garbage > len(self._lookup) + _SMALLEST:
            self._rebuild()

    def _rebuild(self) -> None:
        slots, values, counts = self.everything()
        self.written.renumber()
        self._values = self._values.emptied()
        self._heads[:, kernels.CHAIN :] = 0
        # What was needed is likely to be needed again: only half of it is given up.
        self._start(max(self._lookup.size // 2, _FEWEST))
        (self.track if self._tracked else self.add)(slots, values, counts)
