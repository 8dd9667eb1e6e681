"""Rows of words by number: how they come and go."""

from __future__ import annotations

import numpy as np
from numba import int64, void

from sameriver.common.kernel import kernel
from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import READ_INTS, READ_TABLE, TABLE


@kernel(void(TABLE, int64, READ_TABLE))
def fill(cells: np.ndarray, start: int, words: np.ndarray) -> None:
    """Writes rows from ``start`` on; ``words`` has a row a word."""
    for row in range(words.shape[1]):
        for word in range(words.shape[0]):
            cells[start + row, word] = words[word, row]


@kernel(void(READ_TABLE, READ_INTS, TABLE))
def gather(cells: np.ndarray, rows: np.ndarray, out: np.ndarray) -> None:
    """Reads rows; ``out`` gets a row a word."""
    for i in range(rows.shape[0]):
        if i + AHEAD < rows.shape[0]:
            prefetch(cells, rows[i + AHEAD])
        for word in range(out.shape[0]):
            out[word, i] = cells[rows[i], word]
