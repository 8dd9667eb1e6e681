"""Which rows can still be among the first n of their key."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.common.schema import Schema
from sameriver.plan.expressions import SortKey
from sameriver.plan.physical.ordering import key_names
from sameriver.state.kernels.types import Ints
from sameriver.state.room import grown
from sameriver.state.words import encode, fits_word

_LEAST, _MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class Threshold:
    """The first sort key of the n-th row of each slot, as a word; no bound where there is none.

    It lets a row too many pass rather than one too few. It derives from the rows and is no state.
    """

    def __init__(self, order: Sequence[SortKey], schema: Schema) -> None:
        self._key = order[0]
        self._name = key_names(order)[0]
        dtype = schema.select([self._name]).to_polars()[self._name]
        self._known = fits_word(dtype)
        self._exact = len(order) == 1 and not dtype.is_float()
        self._bounds = np.zeros(0, np.int64)

    def lets(self, rows: pl.DataFrame, slots: Ints) -> np.ndarray:
        """Whether each row may come before the n-th of its slot."""
        if not self._known:
            return np.ones(len(slots), np.bool_)
        self._grow(slots)
        words, bounds = self._words(rows), self._bounds[slots]
        lets = words <= bounds
        if self._exact:
            lets &= (words != bounds) | (words == _LEAST) | (words == _MOST)
        return lets

    def set(self, rows: pl.DataFrame, slots: Ints) -> None:
        """These rows are the n-th ones of their slots."""
        if self._known and len(slots):
            self._grow(slots)
            self._bounds[slots] = self._words(rows)

    def clear(self, slots: Ints) -> None:
        """Slots that have no n-th row any more."""
        if self._known and len(slots):
            self._grow(slots)
            self._bounds[slots] = _MOST

    def _words(self, rows: pl.DataFrame) -> Ints:
        """Words that sort as the key does; NULL is an extreme one."""
        values = rows[self._name]
        words = encode(values)
        if self._key.descending:
            words = ~words
        if values.null_count():
            null = _LEAST if self._key.nulls_first else _MOST
            words = np.where(values.is_null().to_numpy(), null, words)
        return words

    def _grow(self, slots: Ints) -> None:
        size = len(self._bounds)
        if len(slots) and int(slots.max()) >= size:
            self._bounds = grown(self._bounds, 2 * int(slots.max()) + 1024)
            self._bounds[size:] = _MOST
