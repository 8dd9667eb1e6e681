"""Sets of values by slot: one open-addressing table of all (slot, value) pairs, chained by slot.

A table row is one word: the upper half of the pair's hash, and the pair's number + 1; 0 marks a
free row. The hash tells almost all other pairs, and when the table grows nothing else is read.

Rows of ``known``: owner (what stands for the slot: changes when the slot is cleared) and value.
``links`` has the next pair of the same slot, + 1; 0 ends the chain. Rows of ``heads``: owner,
newest pair + 1, number of pairs.
"""

from __future__ import annotations

import numpy as np
from numba import int32, int64, types

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.index import home_pair
from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE, SIGNS, TABLE

OWNER, CHAIN, LENGTH = range(3)
_HALF = 0xFFFFFFFF
_HASH = 32
"""Shift of ``home_pair`` that leaves half a word."""
LINKS = int32[::1]
READ_LINKS = types.Array(int32, 1, "C", readonly=True)


@helper
def _hash(heads: np.ndarray, slot: int, word: int) -> int:
    return home_pair(heads[slot, OWNER] | slot, word, _HASH)


@kernel(int64(INTS, int64, TABLE, LINKS, TABLE, int64, READ_INTS, READ_INTS, INTS, int64, SIGNS))
def add(
    table: np.ndarray,
    shift: int,
    known: np.ndarray,
    links: np.ndarray,
    heads: np.ndarray,
    count: int,
    slots: np.ndarray,
    words: np.ndarray,
    hashes: np.ndarray,
    start: int,
    out: np.ndarray,
) -> int:
    """Adds values to slots from row ``start`` on; gives how many pairs there are then.

    ``out`` gets 1 where a pair is new, else 0. Stops where ``known`` is full: the caller sees that
    by an ``out`` of -1. ``hashes`` is room for the hashes of the rows.
    """
    mask = table.shape[0] - 1
    for i in range(start, slots.shape[0]):
        hashes[i] = _hash(heads, slots[i], words[i])
    for i in range(start, slots.shape[0]):
        if i + AHEAD < slots.shape[0]:
            prefetch(table, hashes[i + AHEAD] >> shift)
        slot, word, mixed = slots[i], words[i], hashes[i]
        owner = heads[slot, OWNER] | slot
        at = mixed >> shift
        found = False
        while table[at] != 0:
            row = table[at]
            if (row >> 32) & _HALF == mixed:
                pair = (row & _HALF) - 1
                if known[pair, 0] == owner and known[pair, 1] == word:
                    found = True
                    break
            at = (at + 1) & mask
        if found:
            out[i] = 0
            continue
        if count == known.shape[0]:
            out[i] = -1
            return count
        known[count, 0] = owner
        known[count, 1] = word
        links[count] = heads[slot, CHAIN]
        count += 1
        table[at] = (mixed << 32) | count
        heads[slot, CHAIN] = count
        heads[slot, LENGTH] += 1
        out[i] = 1
    return count


@kernel((READ_INTS, INTS, int64))
def widen(old: np.ndarray, table: np.ndarray, shift: int) -> None:
    """Puts the rows of a table into a larger one; both are walked nearly in order."""
    mask = table.shape[0] - 1
    for row in old:
        if row != 0:
            at = ((row >> 32) & _HALF) >> shift
            while table[at] != 0:
                at = (at + 1) & mask
            table[at] = row


@kernel((READ_LINKS, READ_TABLE, READ_INTS, INTS, INTS))
def pairs(
    links: np.ndarray, heads: np.ndarray, slots: np.ndarray, rows: np.ndarray, ids: np.ndarray
) -> None:
    """Pairs of each slot, oldest first; ``rows`` tells which of the slots a pair is of."""
    count = 0
    for i in range(slots.shape[0]):
        stop = count + heads[slots[i], LENGTH]
        link = int64(heads[slots[i], CHAIN])
        for place in range(stop - 1, count - 1, -1):
            rows[place] = i
            ids[place] = link - 1
            link = int64(links[link - 1])
        count = stop


@kernel(int64(READ_TABLE, READ_TABLE, INTS))
def living(known: np.ndarray, heads: np.ndarray, ids: np.ndarray) -> int:
    """Moves up those of the pairs whose slot wasn't cleared since; gives how many."""
    count = 0
    for pair in ids:
        owner = known[pair, 0]
        if heads[owner & _HALF, OWNER] | (owner & _HALF) == owner:
            ids[count] = pair
            count += 1
    return count


@kernel((TABLE, READ_INTS))
def clear(heads: np.ndarray, slots: np.ndarray) -> None:
    """Cuts slots off from their pairs."""
    for slot in slots:
        heads[slot, OWNER] += 1 << 32
        heads[slot, CHAIN] = 0
        heads[slot, LENGTH] = 0
