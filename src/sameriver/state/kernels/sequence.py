"""Values in order of arrival, by slot; one that is taken back is the earliest of its like.

An entry is a (slot, value). Rows of ``entries``: how many were taken back before they came, the
first and last occurrence. Rows of ``items`` (occurrences): entry, previous and next of the slot,
next of the same value. Rows of ``heads``: owner (as in multisets), first and
last occurrence, number of occurrences. Links are item + 1; 0 is none.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE, SIGNS, TABLE

OWED, FIRST_SAME, LAST_SAME = range(3)
ENTRY, PREVIOUS, NEXT, SAME = range(4)
OWNER, FIRST, LAST, LENGTH = range(4)


@helper
def _append(
    entries: np.ndarray, items: np.ndarray, heads: np.ndarray, slot: int, entry: int, item: int
) -> None:
    last = heads[slot, LAST]
    items[item, ENTRY] = entry
    items[item, PREVIOUS] = last
    items[item, NEXT] = 0
    items[item, SAME] = 0
    if last > 0:
        items[last - 1, NEXT] = item + 1
    else:
        heads[slot, FIRST] = item + 1
    heads[slot, LAST] = item + 1
    heads[slot, LENGTH] += 1
    if entries[entry, FIRST_SAME] == 0:
        entries[entry, FIRST_SAME] = item + 1
    else:
        items[entries[entry, LAST_SAME] - 1, SAME] = item + 1
    entries[entry, LAST_SAME] = item + 1


@helper
def _take_back(
    entries: np.ndarray, items: np.ndarray, heads: np.ndarray, slot: int, entry: int
) -> None:
    item = entries[entry, FIRST_SAME] - 1
    entries[entry, FIRST_SAME] = items[item, SAME]
    before, after = items[item, PREVIOUS], items[item, NEXT]
    if before > 0:
        items[before - 1, NEXT] = after
    else:
        heads[slot, FIRST] = after
    if after > 0:
        items[after - 1, PREVIOUS] = before
    else:
        heads[slot, LAST] = before
    heads[slot, LENGTH] -= 1


@kernel(
    int64(
        TABLE,
        TABLE,
        TABLE,
        READ_TABLE,
        READ_INTS,
        READ_INTS,
        READ_INTS,
        int64,
        int64,
        INTS,
        SIGNS,
    )
)
def change(
    entries: np.ndarray,
    items: np.ndarray,
    heads: np.ndarray,
    known: np.ndarray,
    slots: np.ndarray,
    ids: np.ndarray,
    weights: np.ndarray,
    given: int,
    end: int,
    values: np.ndarray,
    present: np.ndarray,
) -> int:
    """Appends and takes back, in order, from item ``given`` on; gives the next free item.

    A weight of -n owes n. After each row ``values`` gets the slot's first value (``end`` FIRST) or
    last one; ``present`` is 1, or -1 where the slot has none.
    """
    for i in range(slots.shape[0]):
        slot, entry = slots[i], ids[i]
        weight = weights[i] if weights.shape[0] > 0 else 1
        if weight > 0 and entries[entry, OWED] > 0:
            entries[entry, OWED] -= 1
        elif weight > 0:
            _append(entries, items, heads, slot, entry, given)
            given += 1
        else:
            for _ in range(-weight):
                if entries[entry, FIRST_SAME] > 0:
                    _take_back(entries, items, heads, slot, entry)
                else:
                    entries[entry, OWED] += 1
        link = heads[slot, end]
        present[i] = 1 if link > 0 else -1
        values[i] = known[items[link - 1, ENTRY], 1] if link > 0 else 0
    return given


@kernel(int64(READ_TABLE, READ_TABLE, READ_INTS, INTS, INTS))
def list_items(
    items: np.ndarray, heads: np.ndarray, slots: np.ndarray, rows: np.ndarray, out: np.ndarray
) -> int:
    """Occurrences of each slot in order; ``rows`` tells which slot; gives how many."""
    count = 0
    for i in range(slots.shape[0]):
        link = heads[slots[i], FIRST]
        while link > 0:
            rows[count] = i
            out[count] = link - 1
            count += 1
            link = items[link - 1, NEXT]
    return count


@kernel(int64(READ_TABLE, READ_TABLE, READ_TABLE, int64, INTS))
def owing(
    entries: np.ndarray, known: np.ndarray, heads: np.ndarray, given: int, ids: np.ndarray
) -> int:
    """Entries of living slots that owe something; gives how many."""
    count = 0
    for entry in range(given):
        owner = known[entry, 0]
        living = heads[owner & 0xFFFFFFFF, OWNER] | (owner & 0xFFFFFFFF) == owner
        if living and entries[entry, OWED] > 0:
            ids[count] = entry
            count += 1
    return count
