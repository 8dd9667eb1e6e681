"""Lists of rows by key, in order of arrival, of which the last one counts.

They are chains (see ``chain``) whose heads have two more columns: when the list was last written,
and the number of the last change that reached it, plus 1.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.chain import FIRST, LAST, append, unlink
from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import INTS, READ_INTS, READ_SIGN, TABLE

ACCESS, SEEN, WIDTH = 3, 4, 5


@helper
def empty(heads: np.ndarray, nexts: np.ndarray, owners: np.ndarray, slot: int) -> int:
    """Takes all rows from a list; gives how many."""
    row, count = heads[slot, FIRST] - 1, 0
    while row >= 0:
        owners[row] = -1
        count += 1
        row = nexts[row] - 1
    heads[slot, :ACCESS] = 0
    return count


@kernel(int64(TABLE, INTS, INTS, READ_INTS))
def clear(heads: np.ndarray, nexts: np.ndarray, owners: np.ndarray, slots: np.ndarray) -> int:
    """Takes all rows from lists; gives how many."""
    count = 0
    for slot in slots:
        count += empty(heads, nexts, owners, slot)
    return count


@kernel(void(TABLE, READ_INTS, READ_INTS, INTS, INTS))
def listed(
    heads: np.ndarray, nexts: np.ndarray, slots: np.ndarray, of: np.ndarray, rows: np.ndarray
) -> None:
    """The rows of lists, in order, and the list of each."""
    count = 0
    for slot in slots:
        row = heads[slot, FIRST] - 1
        while row >= 0:
            of[count], rows[count] = slot, row
            count += 1
            row = nexts[row] - 1


@kernel(void(TABLE, INTS, READ_INTS, READ_INTS))
def written(heads: np.ndarray, owners: np.ndarray, access: np.ndarray, slots: np.ndarray) -> None:
    """Sets when the lists of the first rows were last written."""
    for row in range(slots.shape[0]):
        heads[slots[row], ACCESS] = access[row]
        owners[row] = slots[row]


@helper
def _take(
    heads: np.ndarray,
    nexts: np.ndarray,
    owners: np.ndarray,
    prints: np.ndarray,
    slot: int,
    given: np.ndarray,
    i: int,
) -> int:
    """Takes the earliest row like change ``i`` from its list; -1: there is none."""
    previous = int64(-1)
    found: int = heads[slot, FIRST] - 1
    while found >= 0 and prints.shape[0] > 0:
        if prints[found, 0] == given[i, 0] and prints[found, 1] == given[i, 1]:
            break
        previous, found = found, nexts[found] - 1
    if found >= 0:
        unlink(heads, nexts, slot, previous, found)
        owners[found] = -1
    return found


@kernel(
    types.UniTuple(int64, 2)(
        TABLE, INTS, INTS, TABLE, READ_INTS, READ_SIGN, TABLE,
        int64, int64, int64, int64, boolean, boolean, INTS, INTS,
    ),
)  # fmt: skip
def turn(
    heads: np.ndarray,
    nexts: np.ndarray,
    owners: np.ndarray,
    prints: np.ndarray,
    slots: np.ndarray,
    signs: np.ndarray,
    given: np.ndarray,
    row: int,
    number: int,
    now: int,
    oldest: int,
    replaces: bool,
    folded: bool,
    before: np.ndarray,
    after: np.ndarray,
) -> tuple[int, int]:
    """Adds rows at the end of their lists and takes the earliest of their like back, in order.

    Args:
        heads: of the lists.
        nexts: of the rows.
        owners: of the rows.
        prints: what tells the rows of a list apart, two words a row; none: nothing does.
        slots: the list of each change.
        signs: of each change.
        given: words of each change.
        row: number of the first new row.
        number: of the first change.
        now: processing time.
        oldest: a list last written up to then is gone.
        replaces: a new row takes the place of its like.
        folded: the last change of a list stands for all.
        before: out: the last row of the list before each change, or -1.
        after: out: the same after it.

    Returns:
        The number after that of the last new row, and how many rows went.
    """
    gone = 0
    alike = prints.shape[0] == 0
    for i in range(slots.shape[0]):
        if i + AHEAD < slots.shape[0]:
            prefetch(heads, slots[i + AHEAD])
        slot, added = slots[i], signs[i] > 0
        if heads[slot, FIRST] > 0 and heads[slot, ACCESS] <= oldest:
            gone += empty(heads, nexts, owners, slot)
        before[i] = heads[slot, LAST] - 1
        found = int64(-1)
        if replaces or not added:
            found = _take(heads, nexts, owners, prints, slot, given, i)
        gone += found >= 0
        if added:
            owners[row] = slot
            if not alike:
                prints[row] = given[i]
            append(heads, nexts, slot, row)
            row += 1
        if added or found >= 0:
            heads[slot, ACCESS] = now
        after[i] = heads[slot, LAST] - 1
        earlier = heads[slot, SEEN] - 1 - number
        if folded and earlier >= 0:
            before[i] = before[earlier]
            before[earlier] = after[earlier] = -1
        heads[slot, SEEN] = number + i + 1
    return row, gone
