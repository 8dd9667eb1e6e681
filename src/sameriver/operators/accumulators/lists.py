"""LISTAGG, ARRAY_AGG and COLLECT."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Columns

import numpy as np
import polars as pl

from sameriver.operators.accumulators.accumulator import Rows, Step, Words
from sameriver.operators.accumulators.grouped import list_of, multiset_of
from sameriver.operators.accumulators.holders import PoolHolder
from sameriver.state.kernels import fold
from sameriver.state.kernels.types import Ints
from sameriver.state.multiset import Multiset
from sameriver.state.sequence import Sequence


class GrowingList(PoolHolder):
    """LISTAGG (with a separator) and ARRAY_AGG (without) of rows that stay: the list so far."""

    operation = fold.SET
    running = False

    def __init__(self, at: int, dtype: pl.DataType, separator: str | None) -> None:
        super().__init__(at, dtype)
        self._separator = separator

    def fold(self, words: Words, rows: Rows) -> Step:
        kept = rows.present()
        touched, groups = np.unique(kept.slots, return_inverse=True)
        more = list_of(groups, kept.values.to_series(0), len(touched), self._separator)
        ids = np.zeros(len(rows.slots), np.int64)
        mine = slice(None) if rows.signs is None else rows.signs != 0
        ids[mine] = self._joined(words, touched, more)[groups]
        return Step(self.operation, self.at, (ids,), rows.signs)

    def _joined(self, words: Words, slots: Ints, more: pl.Series) -> Ints:
        """Positions of the lists of ``slots`` with ``more`` behind."""
        so_far = self.result(words[slots], slots)
        frame = pl.DataFrame([so_far.alias("so_far"), more.alias("more")])
        both = (
            pl.concat_list("so_far", "more")
            if self._separator is None
            else pl.concat_str("so_far", "more", separator=self._separator)
        )
        joined = pl.when(pl.col("so_far").is_null()).then("more").otherwise(both)
        return self.put(frame.select(joined.alias("value")).to_series())

    def absorb(
        self, words: Words, into: Ints, other: GrowingList, slots: Ints, theirs: Words
    ) -> None:
        present = np.flatnonzero(theirs[:, self.at + 1])
        lists = other.result(theirs[present], slots[present])
        theirs[:, self.at + 1] = 0
        targets, groups = np.unique(into[present], return_inverse=True)
        order = np.argsort(groups, kind="stable")
        flat = lists.gather(pl.Series(order))
        more = list_of(groups[order], flat, len(targets), self._separator)
        if self._separator is None:
            more = (
                pl.DataFrame([more]).select(pl.all().list.eval(pl.element().explode())).to_series()
            )
        words[targets, self.at] = self._joined(words, targets, more)
        words[targets, self.at + 1] = 1


class RetractingList:
    """LISTAGG and ARRAY_AGG under retraction: the values in order of arrival."""

    operation = fold.SET
    resident = False
    running = False

    def __init__(self, at: int, schema: pl.Schema, separator: str | None) -> None:
        self.at = at
        self._separator = separator
        self.values = Sequence(schema, nulls=separator is None)

    def reserve(self, capacity: int) -> None:
        self.values.reserve(capacity)

    def fold(self, words: Words, rows: Rows) -> None:
        kept = rows.present()
        self.values.change(kept.slots, kept.values, kept.weights())

    def result(self, words: Words, slots: Ints) -> pl.Series:
        rows, values = self.values.items(slots)
        return list_of(rows, values.to_series(0), len(slots), self._separator)

    def absorb(
        self, words: Words, into: Ints, other: RetractingList, slots: Ints, theirs: Words
    ) -> None:
        rows, values = other.values.items(slots)
        self.values.change(into[rows], values)

    def clear(self, slots: Ints) -> None:
        self.values.clear(slots)

    def tidy(self, words: Words, slots: Callable[[], Ints]) -> None:
        self.values.tidy()

    def save(self, words: Words) -> list[pl.Series]:
        return []

    def load(self, columns: Columns[pl.Series], words: Words) -> None:
        pass

    def load_side(self, words: Words, slots: Ints, rows: pl.DataFrame) -> None:
        self.values.load(slots, rows)


class Collect:
    """COLLECT: values with counts."""

    operation = fold.SET
    resident = False
    running = False

    def __init__(self, at: int, schema: pl.Schema) -> None:
        self.at = at
        self.values = Multiset(schema)

    def reserve(self, capacity: int) -> None:
        self.values.reserve(capacity)

    def fold(self, words: Words, rows: Rows) -> None:
        kept = rows.present()
        self.values.add(kept.slots, kept.values, kept.weights())

    def result(self, words: Words, slots: Ints) -> pl.Series:
        rows, values, counts = self.values.entries(slots)
        return multiset_of(rows, values.to_series(0), counts, len(slots))

    def absorb(self, words: Words, into: Ints, other: Collect, slots: Ints, theirs: Words) -> None:
        rows, values, counts = other.values.entries(slots, owed=True)
        self.values.add(into[rows], values, counts)

    def clear(self, slots: Ints) -> None:
        self.values.clear(slots)

    def tidy(self, words: Words, slots: Callable[[], Ints]) -> None:
        self.values.tidy()

    def save(self, words: Words) -> list[pl.Series]:
        return []

    def load(self, columns: Columns[pl.Series], words: Words) -> None:
        pass

    def load_side(self, words: Words, slots: Ints, rows: pl.DataFrame) -> None:
        counts = rows.to_series(rows.width - 1).to_numpy()
        self.values.add(slots, rows[:, :-1], counts)
