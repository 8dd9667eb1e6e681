"""How often INTERSECT and EXCEPT give a row, as its counts on both sides change."""

from __future__ import annotations

import numpy as np
from numba import int64, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.types import INTS, READ_INTS, READ_SIGN, TABLE, Signs

INTERSECT, EXCEPT, INTERSECT_ALL, EXCEPT_ALL = range(4)
"""Kinds of operations."""

LEFT, RIGHT, ACCESS = range(3)
"""Columns of the counts: rows on either side, and when the row was last written (ms)."""

FRESH, GONE = 1, 2
"""Flags of a change: the row was on no side before, is on none now."""


@helper
def copies(left: int, right: int, kind: int) -> int:
    """How often a row that is there ``left`` and ``right`` times comes out."""
    if kind == INTERSECT:
        return 1 if left > 0 and right > 0 else 0
    if kind == EXCEPT:
        return 1 if left > 0 and right == 0 else 0
    if kind == INTERSECT_ALL:
        return min(left, right)
    return max(left - right, 0)


@kernel(void(TABLE, READ_INTS, int64, INTS))
def look(counts: np.ndarray, slots: np.ndarray, kind: int, out: np.ndarray) -> None:
    """How often the rows of slots come out now."""
    for i in range(slots.shape[0]):
        slot = slots[i]
        out[i] = copies(counts[slot, LEFT], counts[slot, RIGHT], kind)


@kernel(void(TABLE, READ_INTS, READ_SIGN, int64, int64, int64, INTS, INTS, INTS))
def count(
    counts: np.ndarray,
    slots: np.ndarray,
    signs: Signs,
    side: int,
    kind: int,
    now: int,
    old: np.ndarray,
    new: np.ndarray,
    flags: np.ndarray,
) -> None:
    """Counts rows of one side in order; gives how often each came out before and after it.

    A row that is taken back from where it is not changes nothing: then both are 0.
    """
    for i in range(slots.shape[0]):
        slot = slots[i]
        left, right = counts[slot, LEFT], counts[slot, RIGHT]
        old[i], new[i], flags[i] = 0, 0, 0
        if signs[i] < 0 and counts[slot, side] == 0:
            continue
        counts[slot, side] += signs[i]
        counts[slot, ACCESS] = now
        old[i] = copies(left, right, kind)
        new[i] = copies(counts[slot, LEFT], counts[slot, RIGHT], kind)
        if left + right == 0:
            flags[i] = FRESH
        if counts[slot, LEFT] + counts[slot, RIGHT] == 0:
            flags[i] = GONE
