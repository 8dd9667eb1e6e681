"""Lays cells of text out as an Arrow column of views."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import kernel

BYTES = types.Array(types.uint8, 1, "C", readonly=True)
FLAGS = types.Array(types.uint8, 1, "C")
INDEX = types.Array(types.int64, 1, "C")
FLAG_TABLE = types.Array(types.uint8, 2, "C")

INLINE = 12
"""Text of so many bytes stands in the view itself."""
VIEW = 16
"""Bytes of a view."""


@kernel(types.int64(INDEX, INDEX, FLAGS))
def text_size(start: np.ndarray, end: np.ndarray, kind: np.ndarray) -> int:
    """Bytes of all texts that are too long to stand in their views."""
    size = 0
    for row in range(start.size):
        length = end[row] - start[row]
        if kind[row] > 1 and length > INLINE:
            size += length
    return size


@kernel(types.int64(BYTES, INDEX, INDEX, FLAGS, FLAG_TABLE, FLAGS, FLAGS))
def lay_out(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    views: np.ndarray,
    valid: np.ndarray,
    long: np.ndarray,
) -> int:
    """Fills views, the bits of cells that are filled, and the bytes of long texts; counts NULLs."""
    numbers = views.view(np.int32)
    used, nulls = np.uint64(0), 0
    valid[:] = 0
    for row in range(start.size):
        numbers[row, 0] = numbers[row, 1] = numbers[row, 2] = numbers[row, 3] = 0
        if kind[row] <= 1:
            nulls += 1
            continue
        valid[row >> 3] |= np.uint8(1 << (row & 7))
        first, length = np.uint64(start[row]), np.uint64(end[row] - start[row])
        numbers[row, 0] = np.int32(length)
        if length <= np.uint64(INLINE):
            for k in range(length):
                views[row, np.uint64(4) + np.uint64(k)] = data[first + np.uint64(k)]
            continue
        for k in range(4):
            views[row, 4 + k] = data[first + np.uint64(k)]
        numbers[row, 3] = np.int32(used)
        for k in range(length):
            long[used + np.uint64(k)] = data[first + np.uint64(k)]
        used += length
    return nulls
