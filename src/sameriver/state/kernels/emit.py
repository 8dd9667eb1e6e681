"""What a changed result emits."""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types, uint8, void

from sameriver.common.kernel import kernel
from sameriver.state.kernels.prefetch import AHEAD, prefetch
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


@kernel(void(READ_INTS, READ_TABLE, READ_TABLE, READ_INTS, int64, TABLE))
def weave(
    places: np.ndarray,
    before: np.ndarray,
    words: np.ndarray,
    slots: np.ndarray,
    first: int,
    out: np.ndarray,
) -> None:
    """Old words (``before``) and new ones (of ``slots``) of the rows to emit.

    ``out`` has a row a word; those from ``first`` on are filled.
    """
    size = slots.shape[0]
    for i in range(places.shape[0]):
        place = places[i]
        if i + AHEAD < places.shape[0] and places[i + AHEAD] >= size:
            prefetch(words, slots[places[i + AHEAD] - size])
        if place < size:
            for word in range(first, out.shape[0]):
                out[word, i] = before[place, word]
        else:
            slot = slots[place - size]
            for word in range(first, out.shape[0]):
                out[word, i] = words[slot, word]
