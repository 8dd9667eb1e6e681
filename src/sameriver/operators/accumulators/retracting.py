"""MIN, MAX, FIRST_VALUE and LAST_VALUE under retraction: all values are kept, by slot."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Columns

import numpy as np
import polars as pl

from sameriver.operators.accumulators.accumulator import Rows, Step, Words
from sameriver.operators.accumulators.grouped import extreme_of
from sameriver.state.kernels import fold
from sameriver.state.kernels.types import Ints, Signs
from sameriver.state.multiset import Multiset
from sameriver.state.sequence import Sequence
from sameriver.state.words import decode, mask


class _Beside:
    """All values in a table of its own; the words hold what the call gives at the moment."""

    operation = fold.SET

    def __init__(self, at: int) -> None:
        self.at = at

    def _step(self, rows: Rows, kept: Rows, values: Ints, present: Signs) -> Step:
        """Sets words to ``values`` (of the ``kept`` rows) row by row."""
        if rows.signs is None:
            return Step(self.operation, self.at, (values,), present)
        words, signs = np.zeros(len(rows.slots), np.int64), np.zeros(len(rows.slots), np.int8)
        words[rows.signs != 0] = values
        signs[rows.signs != 0] = present
        return Step(self.operation, self.at, (words,), signs)

    def save(self, words: Words) -> list[pl.Series]:
        return []

    def load(self, columns: Columns[pl.Series], words: Words) -> None:
        pass


class Extreme(_Beside):
    """MIN and MAX; no scan where the value fits a word."""

    def __init__(self, at: int, function: str, schema: pl.Schema) -> None:
        super().__init__(at)
        self._greatest = function == "MAX"
        self.values = Multiset(schema, greatest=self._greatest)
        self._dtype = schema.dtypes()[0]
        self.resident = self.running = self.values.ordered

    def reserve(self, capacity: int) -> None:
        self.values.reserve(capacity)

    def fold(self, words: Words, rows: Rows) -> Step | None:
        kept = rows.present()
        if not self.resident:
            self.values.add(kept.slots, kept.values, kept.weights())
            return None
        return self._step(rows, kept, *self.values.track(kept.slots, kept.values, kept.weights()))

    def result(self, words: Words, slots: Ints) -> pl.Series:
        if self.resident:
            value = np.ascontiguousarray(words[:, self.at])
            return decode(value, self._dtype, words[:, self.at + 1] != 0)
        rows, values, _ = self.values.entries(slots)
        return extreme_of(rows, values.to_series(0), len(slots), greatest=self._greatest)

    def absorb(self, words: Words, into: Ints, other: Extreme, slots: Ints, theirs: Words) -> None:
        rows, values, counts = other.values.entries(slots, owed=True)
        theirs[:, self.at + 1] = 0
        self._count(words, into[rows], values, counts)

    def clear(self, slots: Ints) -> None:
        self.values.clear(slots)

    def tidy(self, words: Words, slots: Callable[[], Ints]) -> None:
        self.values.tidy()

    def load_side(self, words: Words, slots: Ints, rows: pl.DataFrame) -> None:
        self._count(words, slots, rows[:, :-1], rows.to_series(rows.width - 1).to_numpy())

    def _count(self, words: Words, slots: Ints, values: pl.DataFrame, counts: Ints) -> None:
        """Adds counts of values and brings words up to date."""
        if not self.resident:
            self.values.add(slots, values, counts)
            return
        words[slots, self.at], present = self.values.track(slots, values, counts)
        words[slots, self.at + 1] = present > 0


class End(_Beside):
    """FIRST_VALUE and LAST_VALUE; what is taken back is the earliest of its like."""

    resident = True
    running = True

    def __init__(self, at: int, function: str, schema: pl.Schema) -> None:
        super().__init__(at)
        self.values = Sequence(schema, last=function == "LAST_VALUE")

    def reserve(self, capacity: int) -> None:
        self.values.reserve(capacity)

    def fold(self, words: Words, rows: Rows) -> Step:
        kept = rows.present()
        return self._step(rows, kept, *self.values.change(kept.slots, kept.values, kept.weights()))

    def result(self, words: Words, slots: Ints) -> pl.Series:
        present = words[:, self.at + 1] != 0
        if present.all():
            return self.values.values(np.ascontiguousarray(words[:, self.at])).to_series(0)
        some = self.values.values(words[present, self.at]).to_series(0)
        places = np.maximum(np.cumsum(present) - 1, 0)
        if not len(some):
            return pl.repeat(None, len(words), dtype=some.dtype, eager=True)
        return mask(some.gather(pl.Series(places)), present)

    def absorb(self, words: Words, into: Ints, other: End, slots: Ints, theirs: Words) -> None:
        rows, values = other.values.items(slots)
        theirs[:, self.at + 1] = 0
        self.values.change(into[rows], values)
        words[into, self.at], words[into, self.at + 1] = self.values.ends(into)

    def clear(self, slots: Ints) -> None:
        self.values.clear(slots)

    def tidy(self, words: Words, slots: Callable[[], Ints]) -> None:
        if self.values.tidy():
            used = slots()
            words[used, self.at], words[used, self.at + 1] = self.values.ends(used)

    def load_side(self, words: Words, slots: Ints, rows: pl.DataFrame) -> None:
        self.values.load(slots, rows)
        words[slots, self.at], words[slots, self.at + 1] = self.values.ends(slots)
