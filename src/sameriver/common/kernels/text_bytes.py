"""Lays texts of an Arrow column of views out one behind the other."""

from __future__ import annotations

import numpy as np
from numba import int64, types

from sameriver.common.kernel import kernel
from sameriver.common.kernels.copying import copy
from sameriver.common.kernels.text_views import INLINE, VIEW

_VIEWS = types.Array(types.int64, 2, "C", readonly=True)
_WORDS = types.Array(types.int64, 1, "C", readonly=True)
_BITS = types.Array(types.uint8, 1, "C", readonly=True)
_LOW = 2**32 - 1


@kernel(int64(_VIEWS, _BITS, int64, int64[::1]))
def measure(views: np.ndarray, valid: np.ndarray, offset: int, ends: np.ndarray) -> int:
    """Where each text ends; ``valid`` has a bit for each from ``offset`` on, or is empty."""
    end = 0
    for row in range(ends.size):
        bit = offset + row
        if valid.size == 0 or valid[bit >> 3] >> (bit & 7) & 1:
            end += views[row, 0] & _LOW
        ends[row] = end
    return end


@kernel(types.void(_VIEWS, _WORDS, int64[::1], types.uint8[::1]))
def lay_out(views: np.ndarray, buffers: np.ndarray, ends: np.ndarray, out: np.ndarray) -> None:
    """Copies the texts to where they end; ``buffers`` are the addresses that views speak of."""
    start = 0
    for row in range(ends.size):
        size = ends[row] - start
        if size > INLINE:
            word = views[row, 1]
            place = buffers[word & _LOW] + (word >> 32 & _LOW)
        else:
            place = views.ctypes.data + row * VIEW + 4
        if size:
            copy(out, start, place, size)
        start += size
