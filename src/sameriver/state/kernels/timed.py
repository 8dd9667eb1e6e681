"""Rows found by key and time: sorted runs of (word, check, time, row).

A run is a table of four columns, sorted by word, time and row. Word and check are two independent
hashes of the row's key; ``row`` is its position among the rows held. ``alive`` tells by position
which rows are still there. ``starts`` is where the words of the same first bits, all but ``shift``
of them, begin in a run: hashes are spread evenly, so that hardly anything is left to search.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint8, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE, TABLE, Ints

Flags = npt.NDArray[np.uint8]
"""A NumPy array of uint8 that holds 0 or 1."""

READ_FLAGS = types.Array(uint8, 1, "C", readonly=True)

WORD, CHECK, TIME, ROW = range(4)
LOW, HIGH = 2, 3
"""Columns of a question: word, check, and the lowest and highest time asked for."""


@helper
def _first(run: Any, starts: Any, shift: int, word: int, time: int) -> int:
    """Where the first entry at or after (word, time) is."""
    bucket = (word >> shift) + (len(starts) >> 1)
    low: int = starts[bucket]
    high: int = starts[bucket + 1]
    while low < high:
        middle = (low + high) >> 1
        entry = run[middle]
        if entry[0] < word or (entry[0] == word and entry[2] < time):
            low = middle + 1
        else:
            high = middle
    return low


@kernel(void(READ_TABLE, int64, INTS))
def directory(run: Ints, shift: int, starts: Ints) -> None:
    """Fills ``starts`` (zeros): one more than there are buckets, which are a power of two."""
    half = len(starts) >> 1
    for i in range(len(run)):
        starts[(run[i, 0] >> shift) + half + 1] += 1
    for bucket in range(1, len(starts)):
        starts[bucket] += starts[bucket - 1]


@kernel(int64(READ_TABLE, READ_INTS, int64, READ_TABLE, READ_FLAGS, INTS))
def count(run: Ints, starts: Ints, shift: int, asked: Ints, alive: Flags, firsts: Ints) -> int:
    """How many entries answer the questions; ``firsts`` is where the entries of each begin."""
    total = 0
    for i in range(len(asked)):
        word, check, high = asked[i, 0], asked[i, 1], asked[i, 3]
        place = _first(run, starts, shift, word, asked[i, 2])
        firsts[i] = place
        while place < len(run) and run[place, 0] == word and run[place, 2] <= high:
            if run[place, 1] == check and alive[run[place, 3]]:
                total += 1
            place += 1
    return total


@kernel(void(READ_TABLE, READ_TABLE, READ_FLAGS, INTS, INTS, INTS))
def pairs(run: Ints, asked: Ints, alive: Flags, firsts: Ints, questions: Ints, rows: Ints) -> None:
    """Question and row of each answer, after ``count``."""
    total = 0
    for i in range(len(asked)):
        word, check, high = asked[i, 0], asked[i, 1], asked[i, 3]
        place = firsts[i]
        while place < len(run) and run[place, 0] == word and run[place, 2] <= high:
            if run[place, 1] == check and alive[run[place, 3]]:
                questions[total] = i
                rows[total] = run[place, 3]
                total += 1
            place += 1


@kernel(void(READ_TABLE, READ_INTS, int64, READ_TABLE, READ_FLAGS, INTS, INTS))
def latest(
    run: Ints, starts: Ints, shift: int, asked: Ints, alive: Flags, times: Ints, rows: Ints
) -> None:
    """The last row of each question's key and range of time, if later than ``times``, ``rows``.

    Of equal times the row that came last is taken; row -1: none so far.
    """
    for i in range(len(asked)):
        word, check, low, high = asked[i, 0], asked[i, 1], asked[i, 2], asked[i, 3]
        if low > high:
            continue
        place = _first(run, starts, shift, word, high)
        while place < len(run) and run[place, 0] == word and run[place, 2] == high:
            place += 1
        place -= 1
        while place >= 0 and run[place, 0] == word and run[place, 2] >= low:
            row = run[place, 3]
            if run[place, 1] == check and alive[row]:
                time = run[place, 2]
                newer = time > times[i] or (time == times[i] and row > rows[i])
                if rows[i] < 0 or newer:
                    times[i] = time
                    rows[i] = row
                break
            place -= 1


@kernel(void(READ_TABLE, READ_TABLE, TABLE))
def merge(first: Ints, second: Ints, out: Ints) -> None:
    """Two runs as one; of equals those of the first come first."""
    i, j = 0, 0
    for place in range(len(out)):
        if j == len(second):
            take = True
        elif i == len(first):
            take = False
        else:
            left, right = first[i], second[j]
            take = left[0] < right[0] or (left[0] == right[0] and left[2] <= right[2])
        if take:
            out[place] = first[i]
            i += 1
        else:
            out[place] = second[j]
            j += 1
