"""What a changed result emits."""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types, uint8, void

from sameriver.common.kernel import kernel
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE, TABLE

KINDS = uint8[::1]
MASK = types.Array(boolean, 1, "C", readonly=True)


@kernel(int64(READ_INTS, MASK, MASK, KINDS, INTS, INTS))
def plan(
    fresh: np.ndarray,
    alive: np.ndarray,
    changed: np.ndarray,
    kinds: np.ndarray,
    items: np.ndarray,
    places: np.ndarray,
) -> int:
    """Kinds of the rows to emit and which result each shows; gives how many.

    A new result gives +I, a changed one -U and +U, one that is gone -D. ``places`` has the number
    of the result for its old row, and that plus the number of results for its new row.
    """
    count = 0
    size = fresh.shape[0]
    for i in range(size):
        if fresh[i] != 0:
            if alive[i]:
                kinds[count], items[count], places[count] = 0, i, size + i
                count += 1
        elif not alive[i]:
            kinds[count], items[count], places[count] = 3, i, i
            count += 1
        elif changed[i]:
            kinds[count], items[count], places[count] = 1, i, i
            kinds[count + 1], items[count + 1], places[count + 1] = 2, i, size + i
            count += 2
    return count


@kernel(void(READ_INTS, READ_TABLE, READ_TABLE, int64, TABLE))
def weave(
    places: np.ndarray, before: np.ndarray, after: np.ndarray, first: int, out: np.ndarray
) -> None:
    """Old and new words of the rows to emit, as ``plan`` places them.

    ``out`` has a row a word; those from ``first`` on are filled.
    """
    size = after.shape[0]
    for i in range(places.shape[0]):
        place = places[i]
        if place < size:
            for word in range(first, out.shape[0]):
                out[word, i] = before[place, word]
        else:
            for word in range(first, out.shape[0]):
                out[word, i] = after[place - size, word]
