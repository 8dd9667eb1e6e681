"""Words for values of any type."""

from __future__ import annotations

import polars as pl

from sameriver.state.index import KeyIndex
from sameriver.state.kernels.types import Ints
from sameriver.state.words import decode, encode, fits_word


class Values:
    """Words of values: the value itself where it fits, else its number in a dictionary.

    Args:
        schema: the columns of a value.
        nulls: whether NULL is a value; else rows with one never get here.
    """

    def __init__(self, schema: pl.Schema, *, nulls: bool = False) -> None:
        types = list(schema.values())
        self.schema = schema
        self._nulls = nulls
        self.ordered = len(types) == 1 and fits_word(types[0]) and not nulls
        self._index = None if self.ordered else KeyIndex(schema)

    def words(self, values: pl.DataFrame) -> Ints:
        """The word of each row."""
        if self._index is None:
            return encode(values.to_series(0))
        return self._index.find_or_insert(values)

    def values(self, words: Ints) -> pl.DataFrame:
        """The values that have these words."""
        if self._index is None:
            ((name, dtype),) = self.schema.items()
            return decode(words, dtype).alias(name).to_frame()
        return self._index.keys(words)

    def emptied(self) -> Values:
        """A new one for the same values."""
        return Values(self.schema, nulls=self._nulls)
