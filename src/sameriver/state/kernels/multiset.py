"""Values with counts, by slot: chained for listing, and in a heap for the least one.

An entry is a (slot, value) that was ever added. Rows of ``entries``: its count; the next entry of
the slot's chain; first child and next sibling in the slot's pairing heap. Rows of ``heads``: owner
(what stands for the slot in an entry's key: changes when the slot is cleared), newest entry of the
chain, length of the chain, root of the heap. Links are entry + 1; 0 says not linked, -1 last.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE, SIGNS, TABLE

COUNT, NEXT, CHILD, SIBLING = range(4)
OWNER, CHAIN, LENGTH, ROOT = range(4)
_SLOT = 0xFFFFFFFF


@kernel(void(READ_TABLE, READ_INTS, INTS))
def owners(heads: np.ndarray, slots: np.ndarray, out: np.ndarray) -> None:
    """What stands for each slot in the keys of its entries."""
    for i in range(slots.shape[0]):
        out[i] = heads[slots[i], OWNER] | slots[i]


@kernel(void(TABLE, READ_INTS))
def clear(heads: np.ndarray, slots: np.ndarray) -> None:
    """Cuts slots off from their entries."""
    for slot in slots:
        heads[slot, OWNER] += 1 << 32
        heads[slot, CHAIN] = 0
        heads[slot, LENGTH] = 0
        heads[slot, ROOT] = 0


@helper
def _add(entries: np.ndarray, heads: np.ndarray, slot: int, entry: int, weight: int) -> int:
    """Adds a weight to an entry; gives the change in how many entries are at 0."""
    emptied = 0
    old = entries[entry, COUNT]
    if entries[entry, NEXT] == 0:
        chain = heads[slot, CHAIN]
        entries[entry, NEXT] = chain if chain != 0 else -1
        heads[slot, CHAIN] = entry + 1
        heads[slot, LENGTH] += 1
    elif old == 0:
        emptied -= 1
    entries[entry, COUNT] = old + weight
    if old + weight == 0:
        emptied += 1
    return emptied


@kernel(int64(TABLE, TABLE, READ_INTS, READ_INTS, READ_INTS, SIGNS))
def add(
    entries: np.ndarray,
    heads: np.ndarray,
    slots: np.ndarray,
    ids: np.ndarray,
    weights: np.ndarray,
    out: np.ndarray,
) -> int:
    """Adds weights (none: 1 each) to entries, in order; gives how many are at 0 now but weren't.

    ``out`` gets +1 where a value came into being (its count rose above 0), -1 where it vanished,
    else 0.
    """
    emptied = 0
    for i in range(slots.shape[0]):
        if i + AHEAD < slots.shape[0]:
            prefetch(entries, ids[i + AHEAD])
        old = entries[ids[i], COUNT]
        weight = weights[i] if weights.shape[0] > 0 else 1
        emptied += _add(entries, heads, slots[i], ids[i], weight)
        out[i] = int64(old + weight > 0) - int64(old > 0)
    return emptied


@helper
def _link(entries: np.ndarray, known: np.ndarray, flip: int, left: int, right: int) -> int:
    """Joins two heaps (roots as links); gives the root of both."""
    if left == 0:
        return right
    if right == 0:
        return left
    if (known[right - 1, 1] ^ flip) < (known[left - 1, 1] ^ flip):
        left, right = right, left
    child = entries[left - 1, CHILD]
    entries[right - 1, SIBLING] = child if child != 0 else -1
    entries[left - 1, CHILD] = right
    entries[left - 1, SIBLING] = -1
    return left


@helper
def _pop(entries: np.ndarray, known: np.ndarray, flip: int, root: int) -> int:
    """Takes the root off a heap; gives the new root."""
    child = entries[root - 1, CHILD]
    entries[root - 1, CHILD] = 0
    entries[root - 1, SIBLING] = 0
    pairs = int64(0)
    while child > 0:
        following = entries[child - 1, SIBLING]
        entries[child - 1, SIBLING] = -1
        joined = child
        if following > 0:
            after = entries[following - 1, SIBLING]
            entries[following - 1, SIBLING] = -1
            joined = _link(entries, known, flip, child, following)
            following = after
        entries[joined - 1, SIBLING] = pairs if pairs != 0 else -1
        pairs = joined
        child = following
    root = int64(0)
    while pairs > 0:
        following = entries[pairs - 1, SIBLING]
        entries[pairs - 1, SIBLING] = -1
        root = _link(entries, known, flip, root, pairs)
        pairs = following
    return root


@kernel(int64(TABLE, READ_TABLE, TABLE, READ_INTS, READ_INTS, READ_INTS, int64, INTS, SIGNS))
def track(
    entries: np.ndarray,
    known: np.ndarray,
    heads: np.ndarray,
    slots: np.ndarray,
    ids: np.ndarray,
    weights: np.ndarray,
    flip: int,
    least: np.ndarray,
    present: np.ndarray,
) -> int:
    """Adds weights to entries, in order; after each, the slot's least value, if it has one.

    With ``flip`` -1 the greatest value. ``present`` is 1, or -1 where the slot has no value.
    """
    emptied = 0
    for i in range(slots.shape[0]):
        slot, entry = slots[i], ids[i]
        emptied += _add(entries, heads, slot, entry, weights[i])
        root = heads[slot, ROOT]
        if entries[entry, COUNT] > 0 and entries[entry, SIBLING] == 0:
            entries[entry, SIBLING] = -1
            root = _link(entries, known, flip, root, entry + 1)
        while root != 0 and entries[root - 1, COUNT] <= 0:
            root = _pop(entries, known, flip, root)
        heads[slot, ROOT] = root
        present[i] = 1 if root != 0 else -1
        least[i] = known[root - 1, 1] if root != 0 else 0
    return emptied


@kernel(int64(READ_TABLE, READ_TABLE, READ_INTS, boolean, INTS, INTS))
def list_entries(
    entries: np.ndarray,
    heads: np.ndarray,
    slots: np.ndarray,
    owed: bool,
    rows: np.ndarray,
    ids: np.ndarray,
) -> int:
    """Entries with a count above 0 of each slot, oldest first; gives how many.

    ``owed``: those below 0 too. ``rows`` tells which of the slots an entry is of.
    """
    count = 0
    for i in range(slots.shape[0]):
        start = count
        link = heads[slots[i], CHAIN]
        while link > 0:
            times = entries[link - 1, COUNT]
            if times > 0 or (owed and times < 0):
                rows[count] = i
                ids[count] = link - 1
                count += 1
            link = entries[link - 1, NEXT]
        for j in range((count - start) // 2):
            ids[start + j], ids[count - 1 - j] = ids[count - 1 - j], ids[start + j]
    return count


@kernel(int64(READ_TABLE, READ_TABLE, READ_TABLE, INTS))
def living(entries: np.ndarray, known: np.ndarray, heads: np.ndarray, ids: np.ndarray) -> int:
    """Moves up those of the entries whose slot wasn't cleared since and whose count isn't 0."""
    count = 0
    for entry in ids:
        owner = known[entry, 0]
        slot = owner & _SLOT
        if heads[slot, OWNER] | slot == owner and entries[entry, COUNT] != 0:
            ids[count] = entry
            count += 1
    return count
