"""Open-addressing hash tables from keys to slots.

A table row is the key (one or two words) and ``slot + 1``; 0 marks a free row, so that a fresh
table is all zeros. Keys that collide follow each other; a removed row is closed by moving later
ones back, so there are no tombstones. A slot is a small number that the key keeps while it lives.

``meta`` holds the number of keys, of slots ever given out, and of slots on the free list.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE, TABLE

KEYS, GIVEN, FREED = 0, 1, 2
_FLAGS = boolean[::1]
_MULTIPLIER = -7046029254386353131
_SECOND = -4658895280553007687


@helper
def home(key: int, shift: int) -> int:
    """The row where a one-word key would like to be."""
    mixed = (key ^ int64(np.uint64(key) >> np.uint64(32))) * _MULTIPLIER
    row: int = int64(np.uint64(mixed) >> np.uint64(shift))
    return row


@helper
def home_pair(first: int, second: int, shift: int) -> int:
    """The row where a two-word key would like to be."""
    mixed = (second ^ int64(np.uint64(second) >> np.uint64(32))) * _SECOND
    mixed = (mixed ^ int64(np.uint64(mixed) >> np.uint64(29)) ^ first) * _MULTIPLIER
    row: int = int64(np.uint64(mixed) >> np.uint64(shift))
    return row


@helper
def _take_slot(meta: np.ndarray, free: np.ndarray) -> int:
    meta[KEYS] += 1
    slot: int = meta[GIVEN]
    if meta[FREED] > 0:
        meta[FREED] -= 1
        slot = free[meta[FREED]]
    else:
        meta[GIVEN] += 1
    return slot


@helper
def _give_slot(slot: int, meta: np.ndarray, free: np.ndarray) -> None:
    free[meta[FREED]] = slot
    meta[FREED] += 1
    meta[KEYS] -= 1


@kernel(int64(INTS, INTS))
def take_slot(meta: np.ndarray, free: np.ndarray) -> int:
    """A freed slot, else the next one."""
    return _take_slot(meta, free)


@kernel(void(int64, INTS, INTS))
def give_slot(slot: int, meta: np.ndarray, free: np.ndarray) -> None:
    """Puts a slot on the free list."""
    _give_slot(slot, meta, free)


@kernel(int64(TABLE, int64, READ_INTS, INTS, INTS, INTS, int64, INTS))
def find_or_insert(
    table: np.ndarray,
    shift: int,
    keys: np.ndarray,
    known: np.ndarray,
    free: np.ndarray,
    meta: np.ndarray,
    start: int,
    out: np.ndarray,
) -> int:
    """Slots of one-word keys from row ``start`` on; gives the row where the table was full.

    ``known`` gets the key of each new slot; its length limits the number of slots.
    """
    mask = table.shape[0] - 1
    count: int = keys.shape[0]
    for i in range(start, count):
        if i + AHEAD < count:
            prefetch(table, home(keys[i + AHEAD], shift))
        key = keys[i]
        at = home(key, shift)
        while table[at, 1] != 0 and table[at, 0] != key:
            at = (at + 1) & mask
        if table[at, 1] == 0:
            if meta[FREED] == 0 and meta[GIVEN] == known.shape[0]:
                return i
            slot = _take_slot(meta, free)
            table[at, 0] = key
            table[at, 1] = slot + 1
            known[slot] = key
        out[i] = table[at, 1] - 1
    return count


@kernel(void(TABLE, int64, READ_INTS, INTS))
def find(table: np.ndarray, shift: int, keys: np.ndarray, out: np.ndarray) -> None:
    """Slots of one-word keys, -1 where absent."""
    mask = table.shape[0] - 1
    for i in range(keys.shape[0]):
        if i + AHEAD < keys.shape[0]:
            prefetch(table, home(keys[i + AHEAD], shift))
        at = home(keys[i], shift)
        while table[at, 1] != 0 and table[at, 0] != keys[i]:
            at = (at + 1) & mask
        out[i] = table[at, 1] - 1


@kernel(void(TABLE, int64, READ_INTS, _FLAGS))
def fill(table: np.ndarray, shift: int, known: np.ndarray, used: np.ndarray) -> None:
    """Puts the keys of the slots that are ``used`` into an empty table."""
    mask = table.shape[0] - 1
    for slot in range(used.shape[0]):
        if slot + AHEAD < used.shape[0]:
            prefetch(table, home(known[slot + AHEAD], shift))
        if used[slot]:
            at = home(known[slot], shift)
            while table[at, 1] != 0:
                at = (at + 1) & mask
            table[at, 0] = known[slot]
            table[at, 1] = slot + 1


@kernel(void(TABLE, int64, READ_INTS, READ_INTS, INTS, INTS))
def remove(
    table: np.ndarray,
    shift: int,
    known: np.ndarray,
    slots: np.ndarray,
    free: np.ndarray,
    meta: np.ndarray,
) -> None:
    """Takes ``slots`` out and puts them on the free list."""
    mask = table.shape[0] - 1
    for slot in slots:
        at = home(known[slot], shift)
        while table[at, 1] != slot + 1:
            at = (at + 1) & mask
        hole, at = at, (at + 1) & mask
        while table[at, 1] != 0:
            if ((at - home(table[at, 0], shift)) & mask) >= ((at - hole) & mask):
                table[hole] = table[at]
                hole = at
            at = (at + 1) & mask
        table[hole, 1] = 0
        _give_slot(slot, meta, free)


@kernel(int64(TABLE, int64, READ_INTS, READ_INTS, TABLE, INTS, INTS, int64, INTS))
def find_or_insert_pairs(
    table: np.ndarray,
    shift: int,
    firsts: np.ndarray,
    seconds: np.ndarray,
    known: np.ndarray,
    free: np.ndarray,
    meta: np.ndarray,
    start: int,
    out: np.ndarray,
) -> int:
    """As ``find_or_insert``, for keys of two words."""
    mask = table.shape[0] - 1
    count: int = firsts.shape[0]
    for i in range(start, count):
        if i + AHEAD < count:
            prefetch(table, home_pair(firsts[i + AHEAD], seconds[i + AHEAD], shift))
        first, second = firsts[i], seconds[i]
        at = home_pair(first, second, shift)
        while table[at, 2] != 0 and (table[at, 0] != first or table[at, 1] != second):
            at = (at + 1) & mask
        if table[at, 2] == 0:
            if meta[FREED] == 0 and meta[GIVEN] == known.shape[0]:
                return i
            slot = _take_slot(meta, free)
            table[at, 0] = first
            table[at, 1] = second
            table[at, 2] = slot + 1
            known[slot, 0] = first
            known[slot, 1] = second
        out[i] = table[at, 2] - 1
    return count


@kernel(void(TABLE, int64, READ_INTS, READ_INTS, INTS))
def find_pairs(
    table: np.ndarray, shift: int, firsts: np.ndarray, seconds: np.ndarray, out: np.ndarray
) -> None:
    """As ``find``, for keys of two words."""
    mask = table.shape[0] - 1
    for i in range(firsts.shape[0]):
        if i + AHEAD < firsts.shape[0]:
            prefetch(table, home_pair(firsts[i + AHEAD], seconds[i + AHEAD], shift))
        at = home_pair(firsts[i], seconds[i], shift)
        while table[at, 2] != 0 and (table[at, 0] != firsts[i] or table[at, 1] != seconds[i]):
            at = (at + 1) & mask
        out[i] = table[at, 2] - 1


@kernel(void(TABLE, int64, READ_TABLE, _FLAGS))
def fill_pairs(table: np.ndarray, shift: int, known: np.ndarray, used: np.ndarray) -> None:
    """As ``fill``, for keys of two words."""
    mask = table.shape[0] - 1
    for slot in range(used.shape[0]):
        ahead = slot + AHEAD
        if ahead < used.shape[0]:
            prefetch(table, home_pair(known[ahead, 0], known[ahead, 1], shift))
        if used[slot]:
            at = home_pair(known[slot, 0], known[slot, 1], shift)
            while table[at, 2] != 0:
                at = (at + 1) & mask
            table[at, 0] = known[slot, 0]
            table[at, 1] = known[slot, 1]
            table[at, 2] = slot + 1


@kernel(void(TABLE, int64, TABLE, READ_INTS, INTS, INTS))
def remove_pairs(
    table: np.ndarray,
    shift: int,
    known: np.ndarray,
    slots: np.ndarray,
    free: np.ndarray,
    meta: np.ndarray,
) -> None:
    """As ``remove``, for keys of two words."""
    mask = table.shape[0] - 1
    for slot in slots:
        at = home_pair(known[slot, 0], known[slot, 1], shift)
        while table[at, 2] != slot + 1:
            at = (at + 1) & mask
        hole, at = at, (at + 1) & mask
        while table[at, 2] != 0:
            away = (at - home_pair(table[at, 0], table[at, 1], shift)) & mask
            if away >= ((at - hole) & mask):
                table[hole] = table[at]
                hole = at
            at = (at + 1) & mask
        table[hole, 2] = 0
        _give_slot(slot, meta, free)


@kernel(int64(INTS, READ_INTS, int64, INTS))
def place(positions: np.ndarray, slots: np.ndarray, height: int, rows: np.ndarray) -> int:
    """Gives slots without a position (0) the next ones from ``height`` on, counted from 1.

    ``rows`` gets the row of each; gives how many there are.
    """
    count = 0
    for i in range(slots.shape[0]):
        if positions[slots[i]] == 0:
            rows[count] = i
            count += 1
            positions[slots[i]] = height + count
    return count
