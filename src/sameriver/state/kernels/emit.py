"""What a changed result emits."""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, njit, types, uint8

from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE, TABLE

KINDS = uint8[::1]
MASK = types.Array(boolean, 1, "C", readonly=True)


@njit(int64(READ_INTS, MASK, MASK, KINDS, INTS), nogil=True, cache=True)
def plan(
    fresh: np.ndarray,
    alive: np.ndarray,
    changed: np.ndarray,
    kinds: np.ndarray,
    sources: np.ndarray,
) -> int:
    """Kinds of the rows to emit and where each comes from; gives how many.

    A new result gives +I, a changed one -U and +U, one that is gone -D. Source i is the old row
    of result i, source -1 - i its new row.
    """
    count = 0
    for i in range(fresh.shape[0]):
        if fresh[i] != 0:
            if alive[i]:
                kinds[count], sources[count] = 0, -1 - i
                count += 1
        elif not alive[i]:
            kinds[count], sources[count] = 3, i
            count += 1
        elif changed[i]:
            kinds[count], sources[count] = 1, i
            kinds[count + 1], sources[count + 1] = 2, -1 - i
            count += 2
    return count


@njit((READ_INTS, READ_TABLE, READ_TABLE, READ_INTS, TABLE), nogil=True, cache=True)
def weave(
    sources: np.ndarray,
    before: np.ndarray,
    words: np.ndarray,
    touched: np.ndarray,
    out: np.ndarray,
) -> None:
    """Copies the old (``before``) and new words (of the ``touched`` slots) of rows to emit."""
    for i in range(sources.shape[0]):
        if i + AHEAD < sources.shape[0] and sources[i + AHEAD] < 0:
            prefetch(words, touched[-1 - sources[i + AHEAD]])
        if sources[i] >= 0:
            for word in range(words.shape[1]):
                out[i, word] = before[sources[i], word]
        else:
            slot = touched[-1 - sources[i]]
            for word in range(words.shape[1]):
                out[i, word] = words[slot, word]
