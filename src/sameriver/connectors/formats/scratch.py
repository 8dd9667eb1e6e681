"""Memory for the cells of a piece of text.

Cells are many times what the rows take that are made of them, and are gone with the piece. To ask
the system for their memory each time takes as long as to read the text. So each thread keeps it.
"""

from __future__ import annotations

import math
from threading import local
from typing import Any

import numpy as np

_ALIGNED = 64
_MOST = 1 << 27
"""Bytes that a thread keeps; many short rows of many columns take more, for a while."""


class Scratch(local):
    """Arrays that are good until ``begin`` is called again in the same thread."""

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint8)
        self._used = 0

    def begin(self) -> None:
        """All arrays are given back; there is room for as many as there were, within bounds."""
        if min(self._used, _MOST) > len(self._memory):
            self._memory = np.empty(min(self._used + self._used // 4, _MOST), np.uint8)
        self._used = 0

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array of any values."""
        sizes = (shape,) if isinstance(shape, int) else shape
        size = math.prod(sizes) * np.dtype(dtype).itemsize
        start, self._used = self._used, self._used + -(-size // _ALIGNED) * _ALIGNED
        if self._used > len(self._memory):
            return np.empty(sizes, dtype)
        return np.reshape(self._memory[start : start + size].view(dtype), sizes)


SCRATCH = Scratch()
