"""Sets of values by slot: one open-addressing table of all (slot, value) pairs, chained by slot.

A table row is one word: the upper half of the pair's hash, and the pair's number + 1; 0 marks a
free row. The hash tells almost all other pairs, and when the table grows nothing else is read.

Rows of ``known``: owner (what stands for the slot: changes when the slot is cleared) and value.
``held`` has a bit for each of the sets that holds the pair. ``links`` has the next pair of the same
slot, + 1; 0 ends the chain. Rows of ``heads``: owner, newest pair + 1, number of pairs.
"""

from __future__ import annotations

import numpy as np
from numba import int8, int32, int64, types, uint8

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.index import home_pair
from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE, TABLE

OWNER, CHAIN, LENGTH = range(3)
_HALF = 0xFFFFFFFF
_HASH = 32
"""Shift of ``home_pair`` that leaves half a word."""
LINKS = int32[::1]
READ_LINKS = types.Array(int32, 1, "C", readonly=True)
BITS = uint8[::1]
MARKS = int8[:, ::1]


@helper
def _hash(heads: np.ndarray, slot: int, word: int) -> int:
    return home_pair(heads[slot, OWNER] | slot, word, _HASH)


@helper
def _bits(marks: np.ndarray, row: int) -> int:
    """A bit for each mark of a row."""
    bits = 0
    for each in range(marks.shape[0]):
        bits |= (marks[each, row] & 1) << each
    return bits


@helper
def _find(
    table: np.ndarray, shift: int, known: np.ndarray, owner: int, word: int, mixed: int
) -> int:
    """The place in ``table`` of a pair, or the free one where it belongs."""
    mask = table.shape[0] - 1
    at = mixed >> shift
    while table[at] != 0:
        row = table[at]
        if (row >> 32) & _HALF == mixed:
            pair = (row & _HALF) - 1
            if known[pair, 0] == owner and known[pair, 1] == word:
                return at
        at = (at + 1) & mask
    return at


@kernel(
    int64(
        INTS, int64, TABLE, BITS, LINKS, TABLE, int64, READ_INTS, READ_INTS, INTS, int64, MARKS
    )
)  # fmt: skip
def add(
    table: np.ndarray,
    shift: int,
    known: np.ndarray,
    held: np.ndarray,
    links: np.ndarray,
    heads: np.ndarray,
    count: int,
    slots: np.ndarray,
    words: np.ndarray,
    pairs: np.ndarray,
    start: int,
    marks: np.ndarray,
) -> int:
    """Adds values to sets of slots from row ``start`` on; gives how many pairs there are then.

    ``marks`` has a row a set: 1 where the value goes into it. They stay where it wasn't there
    before. ``pairs`` gets the pair of each row; where ``known`` is full they end with a -1.
    """
    for i in range(start, slots.shape[0]):
        pairs[i] = _hash(heads, slots[i], words[i])
    for i in range(start, slots.shape[0]):
        if i + AHEAD < slots.shape[0]:
            prefetch(table, pairs[i + AHEAD] >> shift)
        slot, mixed, bits = slots[i], pairs[i], _bits(marks, i)
        owner = heads[slot, OWNER] | slot
        at = _find(table, shift, known, owner, words[i], mixed)
        if table[at] != 0:
            pair = (table[at] & _HALF) - 1
            new = bits & ~held[pair]
        elif count == known.shape[0]:
            pairs[i] = -1
            return count
        else:
            pair, new = count, bits
            known[pair, 0] = owner
            known[pair, 1] = words[i]
            held[pair] = 0
            links[pair] = heads[slot, CHAIN]
            count += 1
            table[at] = (mixed << 32) | count
            heads[slot, CHAIN] = count
            heads[slot, LENGTH] += 1
        held[pair] |= bits
        pairs[i] = pair
        for each in range(marks.shape[0]):
            marks[each, i] = (new >> each) & 1
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
