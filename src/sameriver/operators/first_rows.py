"""Which rows of a batch can be among the first of their key, so that others needn't be made."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.frames import picked
from sameriver.operators.ranking import ranked
from sameriver.plan.physical.ordering import key_names
from sameriver.plan.physical.top_n import TopN
from sameriver.state.index import KeyIndex
from sameriver.state.kernels.first_rows import first
from sameriver.state.kernels.types import Ints
from sameriver.state.words import encode, fits_word


class FirstRows:
    """The rows of a batch that the ranking ``node`` needs: the first few of each key.

    Attributes:
        columns: those by which that is found out.
    """

    def __init__(self, node: TopN) -> None:
        self._order, self._end = node.order, node.end
        self._partition = node.input.schema.select(node.partition).to_polars()
        self._names = key_names(node.order)
        self.columns = frozenset((*node.partition, *self._names))

    @staticmethod
    def of(node: TopN) -> FirstRows | None:
        """None if every row may show, or be needed once others are taken back."""
        numbered = node.function == "ROW_NUMBER" and bool(node.order)
        return FirstRows(node) if numbered and node.folded and not node.retract else None

    def numbers(self, rows: pl.DataFrame) -> Ints:
        """Numbers of the rows that are needed, rising."""
        index = KeyIndex(self._partition)
        groups = index.find_or_insert(picked(rows, self._partition))
        columns = [rows[name] for name in self._names]
        if self._end > 1 or not all(map(_is_plain, columns)):
            numbers, ranks = ranked(rows, groups, self._order, "ROW_NUMBER")
            return np.sort(numbers[ranks <= self._end])
        words = np.empty((len(columns), rows.height), np.int64)
        for word, column, key in zip(words, columns, self._order, strict=True):
            word[:] = ~encode(column) if key.descending else encode(column)
        best = np.full(len(index), -1, np.int64)
        first(groups, words, best)
        return np.sort(best)


def _is_plain(values: pl.Series) -> bool:
    """Whether words compare as the values do."""
    return fits_word(values.dtype) and not values.dtype.is_float() and not values.null_count()
