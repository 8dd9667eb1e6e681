"""Lays cells of text out as an Arrow column of views."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.lanes import copy_text, load_word

BYTES = types.Array(types.uint8, 1, "C", readonly=True)
FLAGS = types.Array(types.uint8, 1, "C")
INDEX = types.Array(types.int64, 1, "C")
WORD_TABLE = types.Array(types.uint64, 2, "C")

INLINE = 12
"""Text of so many bytes stands in the view itself."""
VIEW = 16
"""Bytes of a view."""
_HIGH = np.uint64(0x8080808080808080)


@kernel(types.int64(INDEX, INDEX, FLAGS))
def text_size(start: np.ndarray, end: np.ndarray, kind: np.ndarray) -> int:
    """Bytes of all texts that are too long to stand in their views."""
    size = 0
    for row in range(start.size):
        length = end[row] - start[row]
        if kind[row] > 1 and length > INLINE:
            size += length
    return size


@kernel(types.UniTuple(types.int64, 2)(BYTES, INDEX, INDEX, FLAGS, WORD_TABLE, FLAGS, FLAGS))
def lay_out(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    views: np.ndarray,
    valid: np.ndarray,
    long: np.ndarray,
) -> tuple[int, int]:
    """Fills views, two words each, the bits of cells that are filled, and the bytes of long texts.

    Counts NULLs; and not 0 unless it is sure that all is ASCII.
    """
    used, nulls, odd = 0, 0, np.uint64(0)
    valid[:] = 0
    for row in range(start.size):
        views[row, 0] = views[row, 1] = 0
        if kind[row] <= 1:
            nulls += 1
            continue
        valid[row >> 3] |= np.uint8(1 << (row & 7))
        first, length = start[row], end[row] - start[row]
        views[row, 0], views[row, 1], more = view_of(data, first, length, 0, used)
        if length > INLINE:
            more = copy_text(data, first, end[row], long, used)
            used += length
        odd |= more
    return nulls, int(odd != 0)


@helper
def view_of(
    data: np.ndarray, at: int, length: int, buffer: int, place: int
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The two words of a view of a text; a long one stands at ``place`` of a buffer, too.

    The last is 0 if the text is in the view and is ASCII.
    """
    head, rest = word_of(data, at, min(length, 8)), np.uint64(0)
    odd = _HIGH
    if length > INLINE:
        rest = np.uint64(place) << np.uint64(32) | np.uint64(buffer)
    else:
        if length > 4:
            rest = word_of(data, at + 4, length - 4)
        odd = (head | rest) & _HIGH
    return np.uint64(length) | head << np.uint64(32), rest, odd


@helper
def word_of(data: np.ndarray, at: int, size: int) -> np.uint64:
    """Up to eight bytes as one number; zeros where there are fewer."""
    if size <= 0:
        return np.uint64(0)
    rest = np.uint64(8 * (8 - size))
    if at + 8 <= data.size:
        return np.uint64(load_word(data, at) << rest >> rest)
    word = np.uint64(0)
    for k in range(size):
        word |= np.uint64(data[at + k]) << np.uint64(8 * k)
    return word
