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
_ABREAST = 32
"""Chains that are walked at a time."""
KINDS = uint8[::1]
READ_KINDS = types.Array(uint8, 1, "C", readonly=True)
INSERT, DELETE = 0, 3


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


@kernel(
    types.UniTuple(int64, 2)(
        TABLE, INTS, INTS, READ_INTS, int64, READ_INTS, int64, int64, INTS, INTS
    ),
)  # fmt: skip
def reach(
    heads: np.ndarray,
    nexts: np.ndarray,
    owners: np.ndarray,
    access: np.ndarray,
    oldest: int,
    slots: np.ndarray,
    start: int,
    limit: int,
    rows: np.ndarray,
    places: np.ndarray,
) -> tuple[int, int]:
    """How many of the slots from ``start`` on meet at most ``limit`` rows (but at least one slot),
    as the end of that run, and how many rows that is at most. Expired rows at the head of a chain
    go.

    By slot from ``start`` on, ``rows`` gets the first row it meets, or -1, and ``places`` how many
    rows the slots before it meet.
    """
    total = 0
    for i in range(start, slots.shape[0]):
        if i + AHEAD < slots.shape[0] and slots[i + AHEAD] >= 0:
            prefetch(heads, slots[i + AHEAD])
        slot, row, length = slots[i], int64(-1), int64(0)
        if slot >= 0:
            row = heads[slot, FIRST] - 1
            while access.shape[0] > 0 and row >= 0 and access[row] <= oldest:
                unlink(heads, nexts, slot, int64(-1), row)
                owners[row] = -1
                row = heads[slot, FIRST] - 1
            length = heads[slot, LENGTH]
        if i > start and total + length > limit:
            return i, total
        rows[i - start], places[i - start] = row, total
        total += length
    return int64(slots.shape[0]), total


@kernel(
    boolean(READ_INTS, READ_INTS, int64, READ_INTS, READ_INTS, int64, INTS, INTS),
)
def pairs(
    nexts: np.ndarray,
    access: np.ndarray,
    oldest: int,
    rows: np.ndarray,
    places: np.ndarray,
    start: int,
    at: np.ndarray,
    ids: np.ndarray,
) -> bool:
    """Row of the batch and row of the chain of all that meet, as ``reach`` counted them; a row
    that has expired is -1, and it says whether there are any.

    Chains are walked many at a time, so that their rows load side by side.
    """
    mortal = access.shape[0] > 0
    expired = False
    row = np.empty(_ABREAST, np.int64)
    place, asked = np.empty_like(row), np.empty_like(row)
    for block in range(0, rows.shape[0], _ABREAST):
        active = 0
        for i in range(block, min(block + _ABREAST, rows.shape[0])):
            if rows[i] >= 0:
                prefetch(nexts, rows[i])
                row[active], place[active], asked[active] = rows[i], places[i], start + i
                active += 1
        while active > 0:
            left = 0
            for j in range(active):
                here, to = row[j], place[j]
                at[to], ids[to] = asked[j], here
                if mortal and access[here] <= oldest:
                    ids[to] = -1
                    expired = True
                after = nexts[here] - 1
                if after >= 0:
                    prefetch(nexts, after)
                    row[left], place[left], asked[left] = after, to + 1, asked[j]
                    left += 1
            active = left
    return expired


@kernel(void(TABLE, INTS, READ_INTS, int64))
def link(heads: np.ndarray, nexts: np.ndarray, owners: np.ndarray, start: int) -> None:
    """Appends the rows from ``start`` on to the chains of their owners."""
    for row in range(start, owners.shape[0]):
        if row + 2 * AHEAD < owners.shape[0]:
            prefetch(heads, owners[row + 2 * AHEAD])
            last = heads[owners[row + AHEAD], LAST]
            if last > 0:
                prefetch(nexts, last - 1)
        append(heads, nexts, owners[row], row)


@kernel(
    int64(
        TABLE, INTS, INTS, TABLE, READ_INTS, int64,
        READ_INTS, READ_SIGN, READ_INTS, READ_INTS, int64, boolean, INTS,
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
    removed: np.ndarray,
) -> int:
    """Adds rows and takes the earliest of their like back, in order; new ones are numbered from
    ``row`` on. With ``replaces`` a row takes the place of its like. Gives how many rows went, and
    puts their numbers into ``removed``."""
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
            removed[gone] = found
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
