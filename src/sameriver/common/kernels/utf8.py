"""Whether bytes are UTF-8."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.text_views import BYTES, FLAGS, INDEX


@helper
def is_utf8(data: np.ndarray, at: int, end: int) -> bool:
    """Whether ``data[at:end]`` is well-formed."""
    while at < end:
        byte = data[at]
        at += 1
        if byte < 0x80:
            continue
        more = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
        if byte < 0xC2 or byte > 0xF4 or at + more > end:
            return False
        low = 0xA0 if byte == 0xE0 else 0x90 if byte == 0xF0 else 0x80
        high = 0x9F if byte == 0xED else 0x8F if byte == 0xF4 else 0xBF
        if data[at] < low or data[at] > high:
            return False
        for rest in range(at + 1, at + more):
            if data[rest] & 0xC0 != 0x80:
                return False
        at += more
    return True


@kernel(types.void(BYTES, INDEX, INDEX, FLAGS, FLAGS))
def find_odd(
    data: np.ndarray, start: np.ndarray, end: np.ndarray, kind: np.ndarray, odd: np.ndarray
) -> None:
    """Sets which cells that have a value, of kind 2 or more, are not UTF-8."""
    for row in range(start.size):
        odd[row] = kind[row] > 1 and not is_utf8(data, start[row], end[row])
