"""FIRST_VALUE, LAST_VALUE, MIN and MAX without retraction: one value a slot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from sameriver.operators.accumulators.accumulator import Rows, Step, Words
from sameriver.state.index import KeyIndex, Lookup
from sameriver.state.kernels import extreme, fold
from sameriver.state.kernels.types import Ints
from sameriver.state.pool import Pool
from sameriver.state.words import decode, encode, fits_word, mask

_OPERATIONS = {
    "MIN": fold.LEAST,
    "MAX": fold.GREATEST,
    "FIRST_VALUE": fold.FIRST,
    "LAST_VALUE": fold.LAST,
}
_ROOM = 1 << 16


class WordHolder:
    """A value that fits a word."""

    resident = True
    running = True

    def __init__(self, at: int, function: str, dtype: pl.DataType) -> None:
        self.at = at
        self.operation = _OPERATIONS[function]
        self._dtype = dtype

    def reserve(self, capacity: int) -> None:
        pass

    def fold(self, words: Words, rows: Rows) -> Step:
        return Step(self.operation, self.at, (encode(rows.values.to_series(0)),), rows.signs)

    def result(self, words: Words, slots: Ints) -> pl.Series:
        value = np.ascontiguousarray(words[:, self.at])
        return decode(value, self._dtype, words[:, self.at + 1] != 0)

    def absorb(
        self, words: Words, into: Ints, other: WordHolder, slots: Ints, theirs: Words
    ) -> None:
        pass

    def clear(self, slots: Ints) -> None:
        pass

    def tidy(self, words: Words, slots: Callable[[], Ints]) -> None:
        pass

    def save(self, words: Words) -> list[pl.Series]:
        return [self.result(words, words[:, 0])]

    def load(self, columns: Sequence[pl.Series], words: Words) -> None:
        words[:, self.at] = encode(columns[0])
        words[:, self.at + 1] = columns[0].is_not_null().to_numpy()


class PoolHolder:
    """A value in a pool; the word is its position.

    Holds LISTAGG and ARRAY_AGG without retraction too: the list so far is the value.
    """

    resident = True
    running = True
    operation = fold.LAST

    def __init__(self, at: int, dtype: pl.DataType) -> None:
        self.at = at
        self._dtype = dtype
        self._pool = Pool(pl.Schema({"value": dtype}))
        self._kept = 0

    def reserve(self, capacity: int) -> None:
        pass

    def put(self, values: pl.Series) -> Ints:
        """Positions of new values."""
        start = self._pool.append(values.alias("value").to_frame())
        return np.arange(start, start + len(values), dtype=np.int64)

    def result(self, words: Words, slots: Ints) -> pl.Series:
        present = words[:, self.at + 1] != 0
        if present.all():
            return self._pool.gather(np.ascontiguousarray(words[:, self.at])).to_series(0)
        positions = np.where(present, words[:, self.at], 0)
        if not self._pool.height:
            return pl.Series([None], dtype=self._dtype).new_from_index(0, len(words))
        return mask(self._pool.gather(positions).to_series(0), present)

    def clear(self, slots: Ints) -> None:
        pass

    def tidy(self, words: Words, slots: Callable[[], Ints]) -> None:
        if self._pool.height < 2 * self._kept + _ROOM:
            return
        used = slots()
        used = used[words[used, self.at + 1] != 0]
        self._pool.keep(words[used, self.at])
        words[used, self.at] = np.arange(len(used))
        self._kept = len(used)

    def save(self, words: Words) -> list[pl.Series]:
        return [self.result(words, words[:, 0])]

    def load(self, columns: Sequence[pl.Series], words: Words) -> None:
        words[:, self.at] = self.put(columns[0])
        words[:, self.at + 1] = columns[0].is_not_null().to_numpy()


class EndHolder(PoolHolder):
    """FIRST_VALUE and LAST_VALUE of values that fit no word."""

    def __init__(self, at: int, function: str, dtype: pl.DataType) -> None:
        super().__init__(at, dtype)
        self.operation = _OPERATIONS[function]

    def fold(self, words: Words, rows: Rows) -> Step:
        return Step(self.operation, self.at, (self.put(rows.values.to_series(0)),), rows.signs)

    def absorb(
        self, words: Words, into: Ints, other: EndHolder, slots: Ints, theirs: Words
    ) -> None:
        theirs[:, self.at] = self.put(other.result(theirs, slots))


class ExtremeHolder(PoolHolder):
    """MIN and MAX of values that fit no word."""

    operation = fold.SET

    def __init__(self, at: int, function: str, dtype: pl.DataType) -> None:
        super().__init__(at, dtype)
        self._descending = function == "MAX"

    def fold(self, words: Words, rows: Rows) -> Step:
        kept = rows.present()
        ids = self._running(words, kept.slots, kept.values.to_series(0))
        if rows.signs is not None:
            everywhere = np.zeros(len(rows.slots), np.int64)
            everywhere[rows.signs != 0] = ids
            ids = everywhere
        return Step(self.operation, self.at, (ids,), rows.signs)

    def _running(self, words: Words, slots: Ints, values: pl.Series) -> Ints:
        """Position of the slot's extreme value after each row."""
        keys, different = Lookup(1), KeyIndex(pl.Schema({"value": self._dtype}))
        groups = keys.find_or_insert((slots,))
        touched = keys.known[: len(keys)]
        known = words[touched]
        present = known[:, self.at + 1] != 0
        best = np.where(present, known[:, self.at], -1)
        current = self.result(known, touched)
        # What is equal is kept and ranked once.
        numbers = different.find_or_insert(values.alias("value").to_frame())
        fresh = different.keys(np.arange(len(different))).to_series()
        ids = self.put(fresh)[numbers]
        ranks = pl.concat([current.alias("value"), fresh]).rank(
            "dense", descending=self._descending
        )
        ordered = ranks.fill_null(0).cast(pl.Int64).to_numpy()
        own = ordered[len(touched) :][numbers]
        extreme.least(ordered[: len(touched)].copy(), best, groups, own, ids)
        return ids

    def absorb(
        self, words: Words, into: Ints, other: ExtremeHolder, slots: Ints, theirs: Words
    ) -> None:
        present = np.flatnonzero(theirs[:, self.at + 1])
        values = other.result(theirs[present], slots[present])
        theirs[present, self.at] = self._running(words, into[present], values)


def holder(at: int, function: str, dtype: pl.DataType) -> WordHolder | EndHolder | ExtremeHolder:
    """The accumulator of a function that keeps one value."""
    if fits_word(dtype):
        return WordHolder(at, function, dtype)
    kind = EndHolder if function in ("FIRST_VALUE", "LAST_VALUE") else ExtremeHolder
    return kind(at, function, dtype)
