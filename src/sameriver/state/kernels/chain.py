"""Rows chained by slot, in order of arrival, and how joins walk them.

A chain's head is (first row + 1, last row + 1, rows, 0); 0 ends a chain, so that fresh arrays are
all zeros. ``nexts`` holds the row after each, plus 1; ``owners`` the slot of each row, -1 once it
is gone. ``access`` holds when each row was last written, and is empty where rows live for ever;
a row written at or before ``oldest`` has expired.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types, uint8, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import INTS, READ_INTS, READ_SIGN, TABLE

FIRST, LAST, LENGTH = 0, 1, 2
KINDS = uint8[::1]
READ_KINDS = types.Array(uint8, 1, "C", readonly=True)
INSERT, DELETE = 0, 3


@kernel(types.UniTuple(int64, 2)(TABLE, READ_INTS, int64, int64))
def reach(heads: np.ndarray, slots: np.ndarray, start: int, limit: int) -> tuple[int, int]:
    """How many of the slots from ``start`` on meet at most ``limit`` rows (but at least one slot),
    as the end of that run, and how many rows that is at most."""
    total = 0
    for i in range(start, slots.shape[0]):
        if i + AHEAD < slots.shape[0] and slots[i + AHEAD] >= 0:
            prefetch(heads, slots[i + AHEAD])
        if slots[i] >= 0:
            length = heads[slots[i], LENGTH]
            if i > start and total + length > limit:
                return i, total
            total += length
    return int64(slots.shape[0]), total


@kernel(
    int64(TABLE, READ_INTS, INTS, READ_INTS, int64, READ_INTS, int64, int64, INTS, INTS),
)
def pairs(
    heads: np.ndarray,
    nexts: np.ndarray,
    owners: np.ndarray,
    access: np.ndarray,
    oldest: int,
    slots: np.ndarray,
    start: int,
    stop: int,
    at: np.ndarray,
    ids: np.ndarray,
) -> int:
    """Row of the batch and row of the chain of all that meet; gives how many. Expired rows at the
    head of a chain go."""
    mortal = access.shape[0] > 0
    count = 0
    for i in range(start, stop):
        if i + AHEAD < stop and slots[i + AHEAD] >= 0:
            prefetch(heads, slots[i + AHEAD])
        slot = slots[i]
        if slot < 0:
            continue
        row = heads[slot, FIRST] - 1
        while mortal and row >= 0 and access[row] <= oldest:
            heads[slot, FIRST] = nexts[row]
            heads[slot, LENGTH] -= 1
            owners[row] = -1
            row = nexts[row] - 1
            if row < 0:
                heads[slot, LAST] = 0
        while row >= 0:
            if not mortal or access[row] > oldest:
                at[count] = i
                ids[count] = row
                count += 1
            row = nexts[row] - 1
    return count


@helper
def append(heads: np.ndarray, nexts: np.ndarray, slot: int, row: int) -> None:
    """Puts a row at the end of a chain."""
    last = heads[slot, LAST]
    if last == 0:
        heads[slot, FIRST] = row + 1
    else:
        nexts[last - 1] = row + 1
    heads[slot, LAST] = row + 1
    heads[slot, LENGTH] += 1
    nexts[row] = 0


@helper
def unlink(heads: np.ndarray, nexts: np.ndarray, slot: int, before: int, row: int) -> None:
    """Takes a row out of a chain, given the one before it (-1: it is the first)."""
    if before < 0:
        heads[slot, FIRST] = nexts[row]
    else:
        nexts[before] = nexts[row]
    if heads[slot, LAST] == row + 1:
        heads[slot, LAST] = before + 1
    heads[slot, LENGTH] -= 1


@kernel(void(TABLE, INTS, READ_INTS, int64))
def link(heads: np.ndarray, nexts: np.ndarray, owners: np.ndarray, start: int) -> None:
    """Appends the rows from ``start`` on to the chains of their owners."""
    for row in range(start, owners.shape[0]):
        if row + AHEAD < owners.shape[0]:
            prefetch(heads, owners[row + AHEAD])
        append(heads, nexts, owners[row], row)


@kernel(
    int64(
        TABLE, INTS, INTS, TABLE, READ_INTS, int64,
        READ_INTS, READ_SIGN, READ_INTS, READ_INTS, int64, boolean,
    ),
)  # fmt: skip
def apply(
    heads: np.ndarray,
    nexts: np.ndarray,
    owners: np.ndarray,
    prints: np.ndarray,
    access: np.ndarray,
    oldest: int,
    slots: np.ndarray,
    signs: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    row: int,
    replaces: bool,
) -> int:
    """Adds rows and takes the earliest of their like back, in order; new ones are numbered from
    ``row`` on. With ``replaces`` a row takes the place of its like. Gives how many rows went."""
    gone = 0
    mortal = access.shape[0] > 0
    for i in range(slots.shape[0]):
        slot = slots[i]
        if slot < 0:
            continue
        before, found = int64(-1), heads[slot, FIRST] - 1
        if signs[i] > 0 and not replaces:
            found = int64(-1)
        while found >= 0:
            same = prints[found, 0] == first[i] and prints[found, 1] == second[i]
            if same and (not mortal or access[found] > oldest):
                break
            before, found = found, nexts[found] - 1
        if found >= 0:
            unlink(heads, nexts, slot, before, found)
            owners[found] = -1
            gone += 1
        if signs[i] > 0:
            owners[row] = slot
            prints[row, 0] = first[i]
            prints[row, 1] = second[i]
            append(heads, nexts, slot, row)
            row += 1
    return gone


@kernel(void(READ_INTS, INTS))
def tally(at: np.ndarray, counts: np.ndarray) -> None:
    """Adds up how often each row of the batch is there."""
    for i in at:
        counts[i] += 1


@kernel(
    int64(
        READ_INTS, READ_INTS, int64, int64, READ_KINDS, INTS, boolean, boolean,
        KINDS, INTS, INTS,
    ),
)  # fmt: skip
def outer(
    at: np.ndarray,
    ids: np.ndarray,
    start: int,
    stop: int,
    kinds: np.ndarray,
    matches: np.ndarray,
    own: bool,
    other: bool,
    out_kinds: np.ndarray,
    out_at: np.ndarray,
    out_ids: np.ndarray,
) -> int:
    """The changes of an outer join for the rows ``start`` to ``stop`` of a batch, given what each
    meets; -1 stands for a padded side. ``matches`` counts for the rows of the other side, where
    ``other``; ``own``: whether a row of the batch comes padded where it meets none."""
    count = 0
    p = 0
    for i in range(start, stop):
        q = p
        while q < at.shape[0] and at[q] == i:
            q += 1
        kind = kinds[i]
        added = kind == 0 or kind == 2
        if own or (other and added):
            kind = uint8(INSERT) if added else uint8(DELETE)
        if p == q and own:
            out_kinds[count], out_at[count], out_ids[count] = kind, i, -1
            count += 1
        if other and added:
            for pair in range(p, q):
                if matches[ids[pair]] == 0:
                    out_kinds[count], out_at[count], out_ids[count] = DELETE, -1, ids[pair]
                    count += 1
                matches[ids[pair]] += 1
        for pair in range(p, q):
            out_kinds[count], out_at[count], out_ids[count] = kind, i, ids[pair]
            count += 1
        if other and not added:
            for pair in range(p, q):
                matches[ids[pair]] -= 1
                if matches[ids[pair]] == 0:
                    out_kinds[count], out_at[count], out_ids[count] = INSERT, -1, ids[pair]
                    count += 1
                matches[ids[pair]] = max(matches[ids[pair]], 0)
        p = q
    return count


@kernel(
    int64(READ_INTS, READ_INTS, READ_KINDS, INTS, boolean, KINDS, INTS),
)
def filtered(
    at: np.ndarray,
    ids: np.ndarray,
    kinds: np.ndarray,
    matches: np.ndarray,
    anti: bool,
    out_kinds: np.ndarray,
    out_ids: np.ndarray,
) -> int:
    """The stored left rows that a batch of right rows lets in or out of a SEMI or ANTI join."""
    count = 0
    for pair in range(at.shape[0]):
        kind, row = kinds[at[pair]], ids[pair]
        added = kind == 0 or kind == 2
        if not added:
            matches[row] -= 1
        if matches[row] < 0:
            matches[row] = 0
            continue
        if matches[row] == 0:
            if anti:
                kind = uint8(DELETE) if added else uint8(INSERT)
            out_kinds[count], out_ids[count] = kind, row
            count += 1
        if added:
            matches[row] += 1
    return count
