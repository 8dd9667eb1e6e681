"""Which slot a key has."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from sameriver.common.frames import gathered
from sameriver.state.kernels import index as kernels
from sameriver.state.kernels.types import NO_INTS, Ints
from sameriver.state.pool import Pool
from sameriver.state.room import grown
from sameriver.state.words import decode, encode, fits_word

SEEDS = (secrets.randbits(63), secrets.randbits(63))
"""Of the two hashes of a row; another pair in each process."""
_PAIRED = 2
"""Columns of words that are a key as they are."""
_NULL_MASKS = np.array(
    [(0, 0), *((secrets.randbits(63), secrets.randbits(63)) for _ in range(3))], np.int64
)
"""What words of a pair are mixed with, by which of them are NULL (bits): without it, nothing."""

_SMALLEST = 1 << 10
_MODEST = 1 << 20
_LOAD = 0.6


class Lookup:
    """A growing hash table from keys of one or two words to slots.

    Attributes:
        capacity: slots are below it.
    """

    def __init__(self, width: int, size: int = _SMALLEST) -> None:
        self._width = width
        self._meta = np.zeros(3, np.int64)
        self._free = NO_INTS
        self._null = -1
        self._known = np.zeros((0, 2) if width == 2 else 0, np.int64)
        self._resize(size)

    def __len__(self) -> int:
        return int(self._meta[kernels.KEYS])

    @property
    def capacity(self) -> int:
        return len(self._known)

    @property
    def size(self) -> int:
        """Places in the table, a power of two."""
        return len(self._table)

    @property
    def known(self) -> Ints:
        """The words of each slot's key."""
        return self._known

    def find(self, words: tuple[Ints, ...]) -> Ints:
        out = np.empty(len(words[0]), np.int64)
        find: Callable[..., None] = kernels.find if self._width == 1 else kernels.find_pairs
        find(self._table, self._shift, *words, out)
        return out

    def find_or_insert(self, words: tuple[Ints, ...]) -> Ints:
        out = np.empty(len(words[0]), np.int64)
        kernel: Callable[..., int] = (
            kernels.find_or_insert if self._width == 1 else kernels.find_or_insert_pairs
        )
        done = 0
        while True:
            done = kernel(
                self._table, self._shift, *words, self._known, self._free, self._meta, done, out
            )
            if done == len(out):
                return out
            self._grow()

    def find_null(self, insert: bool) -> int:
        """Slot of the key NULL; -1 if it has none and shall not get one."""
        if self._null < 0 and insert:
            if not self._meta[kernels.FREED] and self._meta[kernels.GIVEN] == self.capacity:
                self._grow()
            self._null = int(kernels.take_slot(self._meta, self._free))
        return self._null

    def remove(self, slots: Ints) -> None:
        freed = int(self._meta[kernels.FREED]) + len(slots)
        if freed > len(self._free):
            self._free = grown(self._free, 2 * freed)
        if self._null >= 0 and (slots == self._null).any():
            slots = slots[slots != self._null]
            kernels.give_slot(self._null, self._meta, self._free)
            self._null = -1
        slots = np.ascontiguousarray(slots)
        kernel = kernels.remove if self._width == 1 else kernels.remove_pairs
        kernel(self._table, self._shift, self._known, slots, self._free, self._meta)

    def slots(self) -> Ints:
        """Slots in use, rising."""
        return np.flatnonzero(self._used()).astype(np.int64, copy=False)

    def _used(self) -> np.ndarray:
        """Of each slot ever given out, whether it is in use."""
        used = np.ones(int(self._meta[kernels.GIVEN]), np.bool_)
        used[self._free[: int(self._meta[kernels.FREED])]] = False
        return used

    def reserve(self, count: int) -> None:
        """Makes room for ``count`` keys at once."""
        size = self.size
        while size * _LOAD < count:
            size *= 2
        if size > self.size:
            self._resize(size)

    def _grow(self) -> None:
        size = len(self._table)
        self._resize(size * (4 if size < _MODEST else 2))

    def _resize(self, size: int) -> None:
        self._shift = 65 - size.bit_length()
        # The old table goes first: its memory is what the new one is made of.
        self._table = np.zeros((0, self._width + 1), np.int64)
        self._table = np.zeros((size, self._width + 1), np.int64)
        self._known = grown(self._known, int(size * _LOAD))
        if len(self):
            used = self._used()
            if self._null >= 0:
                used[self._null] = False
            kernel = kernels.fill if self._width == 1 else kernels.fill_pairs
            kernel(self._table, self._shift, self._known, used)


class KeyIndex:
    """A persistent index from rows of key columns to slots; NULL is a key like any other.

    One or two columns whose values fit words are their own fingerprint. Other keys go by two
    hashes of the row, and the rows themselves are kept to be given back. Without columns there is
    one key.
    """

    def __init__(self, schema: pl.Schema) -> None:
        self._schema = schema
        types = list(schema.values())
        self._words = types if len(types) <= _PAIRED and all(map(fits_word, types)) else None
        self._lookup = Lookup(2 if len(types) > 1 or self._words is None else 1)
        self._rows = Pool(schema)
        self._positions = NO_INTS
        self._nulls = NO_INTS

    def __len__(self) -> int:
        return len(self._lookup)

    @property
    def capacity(self) -> int:
        """Slots are below it; it grows by doubling."""
        return self._lookup.capacity

    def slots(self) -> Ints:
        """Slots in use, rising."""
        return self._lookup.slots()

    def find(self, keys: pl.DataFrame) -> Ints:
        """Slot of each row, -1 where the key is unknown."""
        return self._look_up(keys, insert=False)

    def find_or_insert(self, keys: pl.DataFrame) -> Ints:
        """Slot of each row; new keys get one."""
        before = len(self)
        slots = self._look_up(keys, insert=True)
        if self._words is None and len(self) > before:
            self._keep(keys, slots)
        if 0 < len(self._nulls) < self.capacity:
            self._nulls = grown(self._nulls, self.capacity)
        return slots

    def keys(self, slots: Ints) -> pl.DataFrame:
        """The keys of slots in use."""
        if not self._schema:
            return pl.DataFrame(height=len(slots))
        if self._words is None:
            return self._rows.gather(self._positions[slots] - 1)
        words = self._lookup.known[slots]
        if len(self._words) == 1:
            return self._decoded([words], [slots != self._lookup.find_null(insert=False)])
        valid: list[np.ndarray | None] = [None, None]
        if len(self._nulls):
            nulls = self._nulls[slots]
            words ^= _NULL_MASKS[nulls]
            valid = [nulls & 1 == 0, nulls & 2 == 0]
        return self._decoded(list(np.ascontiguousarray(words.T)), valid)

    def _decoded(self, words: list[Ints], valid: Sequence[np.ndarray | None]) -> pl.DataFrame:
        columns = zip(self._schema.items(), words, valid, strict=True)
        return pl.DataFrame(
            [decode(own, type, known).alias(name) for (name, type), own, known in columns]
        )

    def reserve(self, count: int) -> None:
        """Makes room for ``count`` keys at once, where they are known to come."""
        self._lookup.reserve(count)

    def remove(self, slots: Ints) -> None:
        """Forgets the keys of slots (each once) and frees the slots."""
        self._lookup.remove(slots)
        if len(self._nulls):
            self._nulls[slots] = 0
        if self._words is None:
            self._positions[slots] = 0
            if self._rows.height > 2 * len(self) + _SMALLEST:
                self._compact()

    def _look_up(self, keys: pl.DataFrame, *, insert: bool) -> Ints:
        look = self._lookup.find_or_insert if insert else self._lookup.find
        if not self._schema:
            return look((np.zeros(keys.height, np.int64),))
        if self._words is None:
            return look(fingerprints(keys))
        words = tuple(map(encode, keys.get_columns()))
        if not any(column.null_count() for column in keys.get_columns()):
            return look(words)
        return self._look_up_nulls(keys, words, insert)

    def _look_up_nulls(self, keys: pl.DataFrame, words: tuple[Ints, ...], insert: bool) -> Ints:
        look = self._lookup.find_or_insert if insert else self._lookup.find
        null = [column.is_null().to_numpy() for column in keys.get_columns()]
        if len(words) == 1:
            slots = np.empty(keys.height, np.int64)
            slots[~null[0]] = look((words[0][~null[0]],))
            slots[null[0]] = self._lookup.find_null(insert)
            return slots
        which = null[0] + 2 * null[1]
        first, second = (np.where(own, 0, word) for own, word in zip(null, words, strict=True))
        masks = _NULL_MASKS[which]
        slots = look((first ^ masks[:, 0], second ^ masks[:, 1]))
        if insert:
            if len(self._nulls) < self.capacity:
                self._nulls = grown(self._nulls, self.capacity)
            self._nulls[slots] = which
        return slots

    def _keep(self, keys: pl.DataFrame, slots: Ints) -> None:
        """Keeps the rows of new keys."""
        if len(self._positions) < self.capacity:
            self._positions = grown(self._positions, self.capacity)
        rows = np.empty(len(slots), np.int64)
        count = kernels.place(self._positions, slots, self._rows.height, rows)
        kept = gathered(keys, pl.Series(rows[:count]))
        kept.columns = self._schema.names()
        self._rows.append(kept)

    def _compact(self) -> None:
        slots = self.slots()
        self._rows.keep(self._positions[slots] - 1)
        self._positions[slots] = np.arange(1, len(slots) + 1)


def fingerprints(rows: pl.DataFrame) -> tuple[Ints, Ints]:
    """Two independent hashes of each row."""
    first, second = (rows.hash_rows(seed=seed).to_numpy().view(np.int64) for seed in SEEDS)
    return first, second
