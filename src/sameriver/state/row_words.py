"""Rows as words, for tables that keep each row in one piece."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import polars as pl

from sameriver.state.kernels.types import Ints
from sameriver.state.words import decode, encode, fits_word

Table = npt.NDArray[np.int64]
"""Two dimensions of int64."""

_BITS = 63
"""NULLs that a word tells."""


class RowWords:
    """How rows of a schema look as words: first a bit for each NULL, then the values that fit a
    word. What doesn't fit is ``wide`` and has to be kept elsewhere.

    Attributes:
        width: words of a row.
        wide: the columns that fit no word.
    """

    def __init__(self, schema: pl.Schema) -> None:
        self._names = schema.names()
        self._narrow = {name: dtype for name, dtype in schema.items() if fits_word(dtype)}
        self._first = -(-len(self._narrow) // _BITS)
        self._nulls = False
        self.width = self._first + len(self._narrow)
        self.wide = pl.Schema({n: t for n, t in schema.items() if n not in self._narrow})

    def encode(self, rows: pl.DataFrame, room: int = 0) -> Table:
        """A row a word, and a column a row of the frame.

        Args:
            rows: has the columns of the schema, and perhaps others.
            room: how many words of the caller's to leave room for at the end.
        """
        words = np.empty((self.width + room, rows.height), np.int64)
        words[: self._first] = 0
        for number, name in enumerate(self._narrow):
            column = rows[name]
            words[self._first + number] = encode(column)
            if column.null_count():
                self._nulls = True
                word, bit = divmod(number, _BITS)
                words[word] |= column.is_null().to_numpy().astype(np.int64) << bit
        return words

    def decode(
        self, words: Table, wide: pl.DataFrame, names: Collection[str] | None = None
    ) -> pl.DataFrame:
        """The rows of such words, given their wide columns; with ``names`` these columns only."""
        names = self._names if names is None else names
        columns = {column.name: column for column in wide.get_columns()}
        for number, (name, dtype) in enumerate(self._narrow.items()):
            if name not in names:
                continue
            valid = self._valid(words, number) if self._nulls else None
            columns[name] = decode(words[self._first + number], dtype, valid).alias(name)
        if not columns:
            return pl.DataFrame(height=words.shape[1])
        return pl.DataFrame([columns[name] for name in self._names if name in names])

    @staticmethod
    def _valid(words: Table, number: int) -> np.ndarray:
        word, bit = divmod(number, _BITS)
        valid: Ints = words[word] >> bit & 1 == 0
        return valid
