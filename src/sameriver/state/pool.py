"""Rows kept by position, for values that fit no machine word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from sameriver.common.frames import gathered, in_one_piece, picked, stacked
from sameriver.state.kernels.types import Ints


class Pool:
    """An append-only frame. Its chunks are merged so that each is at least twice the next."""

    def __init__(self, schema: pl.Schema) -> None:
        self._empty = pl.DataFrame(schema=schema)
        self._chunks: list[pl.DataFrame] = []
        self.height = 0

    def append(self, rows: pl.DataFrame) -> int:
        """Adds rows; gives the position of the first."""
        start = self.height
        if rows.height:
            self._chunks.append(rows)
            self.height += rows.height
            self._merge()
        return start

    def _merge(self) -> None:
        while len(self._chunks) > 1 and self._chunks[-2].height < 2 * self._chunks[-1].height:
            last = self._chunks.pop()
            self._chunks[-1] = in_one_piece(stacked([self._chunks[-1], last]))

    def gather(self, positions: Ints, names: Sequence[str] = ()) -> pl.DataFrame:
        """The rows at ``positions``, in that order; of these columns, if any are named."""
        if not len(positions):
            return picked(self._empty, names) if names else self._empty
        if len(self._chunks) > 1 and len(positions) * 8 > self.height:
            self._chunks = [pl.concat(self._chunks, rechunk=True)]
        chunks = [picked(chunk, names) for chunk in self._chunks] if names else self._chunks
        if len(chunks) == 1:
            return gathered(chunks[0], pl.Series(positions))
        return _gathered(chunks, positions)

    def keep(self, positions: Ints) -> None:
        """Only the rows at ``positions`` stay, and take the positions 0, 1, ..."""
        rows = self.gather(positions)
        self._chunks = [rows] if rows.height else []
        self.height = rows.height


def _gathered(chunks: Sequence[pl.DataFrame], positions: Ints) -> pl.DataFrame:
    """Rows of several frames by their position in all of them together.

    Chunk by chunk: Polars takes many times as long to gather text from a frame of several.
    """
    starts = np.cumsum([0, *(chunk.height for chunk in chunks[:-1])])
    of = np.searchsorted(starts, positions, "right") - 1
    order = np.argsort(of, kind="stable")
    ends = np.searchsorted(of[order], np.arange(len(chunks) + 1))
    parts = [
        gathered(chunk, pl.Series(positions[order[begin:end]] - start))
        for chunk, start, (begin, end) in zip(chunks, starts, pairwise(ends), strict=True)
        if begin < end
    ]
    if len(parts) == 1:
        return parts[0]
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return gathered(in_one_piece(stacked(parts)), pl.Series(back))
