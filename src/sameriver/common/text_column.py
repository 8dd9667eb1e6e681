"""Parts of a buffer as a Polars column of text.

Polars has no fast call that cuts a column out of a buffer by positions. So the column is laid out
here as Arrow's views. It owns a copy of its own bytes, which lives as long as the column does, and
not the whole piece of the file.
"""

from __future__ import annotations

import ctypes

import numpy as np
import polars as pl

from sameriver.common.arrow_column import TEXT, arrow_column, block
from sameriver.common.kernels.text_views import VIEW, lay_out, text_size

_BYTES = ctypes.create_string_buffer(b"vz")
FILLED = 2
"""The least kind of a cell that has a value."""
_BUFFERS = 4
"""Bits of what is filled, views, long texts, and the sizes of the latter."""


def text_column(
    data: np.ndarray, start: np.ndarray, end: np.ndarray, kind: np.ndarray, *, text: bool | None
) -> pl.Series:
    """``data[start[i]:end[i]]`` for each cell, NULL where ``kind`` says that there is no value.

    The column is String with ``text``, for which each part must be UTF-8; with None it is String if
    all of it is sure to be ASCII; else it is Binary.
    ``kind`` is ``FILLED`` or more where there is a value.
    """
    rows = len(start)
    long = text_size(start, end, kind)
    bits = -(-rows // 64) * 8
    # All in one block: what must be aligned comes first.
    place, memory = block(_BUFFERS * 8 + 8 + rows * VIEW + bits + long)
    table, rest = memory[: _BUFFERS * 8 + 8].view(np.int64), memory[_BUFFERS * 8 + 8 :]
    views, rest = rest[: rows * VIEW], rest[rows * VIEW :]
    valid, texts = rest[:bits], rest[bits:]
    words = views.view(np.uint64).reshape(-1, 2)
    nulls, odd = lay_out(data, start, end, kind, words, valid, texts)
    text = not odd if text is None else text
    table[:] = (*(part.ctypes.data for part in (valid, views, texts)), place + _BUFFERS * 8, long)
    return arrow_column(TEXT if text else _BYTES, rows, nulls, place, _BUFFERS)
