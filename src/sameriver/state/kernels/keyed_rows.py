"""Which row of a key stays, and its change for another.

A key's row is in its slot's row of ``cells``: number of arrival (0: no row), time, when it was last
written, then its words. The words of a batch are a table with a row a word.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types, uint8, void

from sameriver.common.kernel import kernel
from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE, TABLE

ANY, LATEST, EARLIEST = 0, 1, 2
"""Which row replaces the one that is kept: any, one of the same time or a later, an earlier."""

ARRIVAL, TIME, ACCESS, WORDS = range(4)
NOT, NEW, OTHER = 0, 1, 2
"""Whether a row of a batch is chosen: not, as the first of its key, in place of another."""

CHOICE = uint8[::1]
READ_CHOICE = types.Array(uint8, 1, "C", readonly=True)


@kernel(void(TABLE, READ_INTS, READ_INTS, int64, int64, int64, int64, boolean, CHOICE))
def choose(
    cells: np.ndarray,
    slots: np.ndarray,
    times: np.ndarray,
    rule: int,
    first: int,
    now: int,
    oldest: int,
    each: bool,
    chosen: np.ndarray,
) -> None:
    """Offers rows to their keys, in order.

    Args:
        cells: their words still are those before the batch, the rest is that after it.
        slots: of each row.
        times: of each row.
        rule: see above.
        first: number of arrival of the first row.
        now: processing time.
        oldest: rows last written up to then are gone.
        each: a row that is replaced by one of this batch stays chosen.
        chosen: out: whether each row is.
    """
    for row in range(slots.shape[0]):
        if row + AHEAD < slots.shape[0]:
            prefetch(cells, slots[row + AHEAD])
        slot, time = slots[row], times[row]
        arrival = cells[slot, ARRIVAL]
        if arrival > 0 and cells[slot, ACCESS] <= oldest:
            arrival = 0
        if arrival > 0 and (
            (rule == LATEST and time < cells[slot, TIME])
            or (rule == EARLIEST and time >= cells[slot, TIME])
        ):
            chosen[row] = NOT
            continue
        chosen[row] = OTHER if arrival > 0 else NEW
        if arrival >= first and not each:
            chosen[row] = chosen[arrival - first]
            chosen[arrival - first] = NOT
        cells[slot, ARRIVAL], cells[slot, TIME], cells[slot, ACCESS] = first + row, time, now


@kernel(void(TABLE, READ_INTS, READ_CHOICE, READ_TABLE))
def put(cells: np.ndarray, slots: np.ndarray, chosen: np.ndarray, words: np.ndarray) -> None:
    """Writes the words of the chosen rows."""
    for row in range(slots.shape[0]):
        if row + AHEAD < slots.shape[0]:
            prefetch(cells, slots[row + AHEAD])
        if chosen[row] != NOT:
            for word in range(words.shape[0]):
                cells[slots[row], WORDS + word] = words[word, row]


@kernel(void(TABLE, READ_INTS, READ_CHOICE, READ_TABLE, INTS, CHOICE, TABLE))
def exchange(
    cells: np.ndarray,
    slots: np.ndarray,
    chosen: np.ndarray,
    words: np.ndarray,
    rows: np.ndarray,
    kinds: np.ndarray,
    out: np.ndarray,
) -> None:
    """The same, and gives each chosen row, after the one in whose place it comes.

    Args:
        cells: see above.
        slots: of each row.
        chosen: whether each row is.
        words: of the rows.
        rows: out: the row of the batch that each change is of.
        kinds: out: kinds of the changes.
        out: words of the changes.
    """
    count = 0
    for row in range(slots.shape[0]):
        if row + AHEAD < slots.shape[0]:
            prefetch(cells, slots[row + AHEAD])
        if chosen[row] == NOT:
            continue
        slot = slots[row]
        if chosen[row] == OTHER:
            for word in range(words.shape[0]):
                out[word, count] = cells[slot, WORDS + word]
            rows[count], kinds[count] = row, 1
            count += 1
        for word in range(words.shape[0]):
            out[word, count] = words[word, row]
            cells[slot, WORDS + word] = words[word, row]
        rows[count], kinds[count] = row, 2 if chosen[row] == OTHER else 0
        count += 1
