"""Lists of rows, one a slot.

The places of a list's rows lie in one piece in ``log``. ``lists`` holds by slot where its piece
ends, and its length: zeros where there is no list. What a list leaves behind in the log is waste.
"""

from __future__ import annotations

import numpy as np
from numba import int64, void

from sameriver.common.kernel import kernel
from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE, TABLE, Ints

END, LENGTH = 0, 1


@kernel(void(READ_INTS, INTS, INTS))
def positions(slots: Ints, counts: Ints, out: Ints) -> None:
    """How many rows of its slot there are up to each row; ``counts`` are zeros, and stay so."""
    for i in range(len(slots)):
        counts[slots[i]] += 1
        out[i] = counts[slots[i]]
    for i in range(len(slots)):
        counts[slots[i]] = 0


@kernel(int64(READ_TABLE, READ_INTS))
def size(lists: np.ndarray, slots: Ints) -> int:
    """How many rows there are in the lists of slots."""
    total = 0
    for i in range(len(slots)):
        if i + AHEAD < len(slots):
            prefetch(lists, slots[i + AHEAD])
        total += lists[slots[i], LENGTH]
    return total


@kernel(void(READ_TABLE, READ_INTS, READ_INTS, INTS, INTS))
def listed(lists: np.ndarray, log: Ints, slots: Ints, of: Ints, places: Ints) -> None:
    """The slot and the place of each row in the lists of slots, list by list."""
    count = 0
    for i in range(len(slots)):
        if i + AHEAD < len(slots):
            prefetch(log, lists[slots[i + AHEAD], END] - lists[slots[i + AHEAD], LENGTH])
        end = lists[slots[i], END]
        for at in range(end - lists[slots[i], LENGTH], end):
            of[count], places[count] = slots[i], log[at]
            count += 1


@kernel(int64(TABLE, INTS, int64, READ_INTS, READ_INTS))
def put(lists: np.ndarray, log: Ints, end: int, slots: Ints, places: Ints) -> int:
    """Makes the lists of slots that have none; the log ends at ``end``. Gives where it ends then.

    ``slots`` and ``places`` are those of each row, each list in order.
    """
    for i in range(len(slots)):
        lists[slots[i], LENGTH] += 1
    for i in range(len(slots)):
        if lists[slots[i], END] == 0:
            lists[slots[i], END] = end
            end += lists[slots[i], LENGTH]
        log[lists[slots[i], END]] = places[i]
        lists[slots[i], END] += 1
    return end
