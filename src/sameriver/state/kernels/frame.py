"""Rows in the frame of each key: chains in order, the first leaves as the last comes.

Rows go by number. ``ends`` has a row a slot: first and last row (number + 1, 0: none) and how many
there are. ``items`` has a row a stored row: the next one of its chain (number + 1), its time and
its slot.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.types import INTS, READ_INTS, SIGNS, TABLE, Ints, Signs

HEAD, TAIL, COUNT = range(3)
NEXT, TIME, SLOT = range(3)


@helper
def _pop(ends: Ints, items: Ints, slot: int) -> int:
    """Takes the first row off a chain."""
    row: int = ends[slot, 0] - 1
    ends[slot, 0] = items[row, 0]
    ends[slot, 2] -= 1
    if ends[slot, 2] == 0:
        ends[slot, 1] = 0
    return row


@helper
def _push(ends: Ints, items: Ints, slot: int, row: int, time: int) -> None:
    """Puts a row at the end of a chain."""
    items[row, 0] = 0
    items[row, 1] = time
    items[row, 2] = slot
    if ends[slot, 2] == 0:
        ends[slot, 0] = row + 1
    else:
        items[ends[slot, 1] - 1, 0] = row + 1
    ends[slot, 1] = row + 1
    ends[slot, 2] += 1


@kernel(
    int64(
        TABLE, TABLE, READ_INTS, READ_INTS, int64, int64, int64, boolean,
        INTS, INTS, SIGNS, INTS, INTS,
    )
)  # fmt: skip
def advance(
    ends: Ints,
    items: Ints,
    slots: Ints,
    times: Ints,
    first: int,
    size: int,
    reach: int,
    peers: bool,
    changed: Ints,
    rows: Ints,
    signs: Signs,
    after: Ints,
    oldest: Ints,
) -> int:
    """Moves frames on by one row after another; gives the number of changes of frames.

    Args:
        ends: as above.
        items: as above.
        slots: of the new rows, which are sorted by slot and time.
        times: of the new rows.
        first: number of the first new row.
        size: how many rows a frame has at most; 0: a frame goes back by time.
        reach: how far a frame goes back in time.
        peers: whether rows of the same slot and time share a frame.
        changed: slot of each change.
        rows: row of each change.
        signs: +1 for a row that comes, -1 for one that leaves.
        after: the change after which the frame of each new row stands.
        oldest: the first row of the frame of each new row, -1 while the frame is not full.
    """
    count = 0
    for i in range(len(slots)):
        slot, time = slots[i], times[i]
        while ends[slot, COUNT] > 0 and (
            (size > 0 and ends[slot, COUNT] >= size)
            or (size == 0 and items[ends[slot, HEAD] - 1, TIME] < time - reach)
        ):
            changed[count], rows[count], signs[count] = slot, _pop(ends, items, slot), -1
            count += 1
        _push(ends, items, slot, first + i, time)
        changed[count], rows[count], signs[count] = slot, first + i, 1
        after[i] = count
        oldest[i] = ends[slot, HEAD] - 1 if ends[slot, COUNT] == size else -1
        count += 1
    if peers:
        for i in range(len(slots) - 2, -1, -1):
            if slots[i] == slots[i + 1] and times[i] == times[i + 1]:
                after[i] = after[i + 1]
    return count


@kernel(int64(TABLE, TABLE, READ_INTS, int64, INTS, INTS))
def release(ends: Ints, items: Ints, slots: Ints, until: int, changed: Ints, rows: Ints) -> int:
    """Takes rows whose time is at or before ``until`` off the chains; gives how many."""
    count = 0
    for slot in slots:
        while ends[slot, COUNT] > 0 and items[ends[slot, HEAD] - 1, TIME] <= until:
            changed[count], rows[count] = slot, _pop(ends, items, slot)
            count += 1
    return count


@kernel(void(TABLE, TABLE, READ_INTS, INTS, INTS))
def list_rows(ends: Ints, items: Ints, slots: Ints, owners: Ints, rows: Ints) -> None:
    """Slot and number of all rows, chain by chain."""
    count = 0
    for slot in slots:
        link = ends[slot, HEAD]
        while link > 0:
            owners[count], rows[count] = slot, link - 1
            link = items[link - 1, NEXT]
            count += 1


def empty(count: int) -> Ints:
    return np.empty(count, np.int64)
