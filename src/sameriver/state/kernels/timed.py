"""Rows found by key and time: sorted runs of (word, check, time, row).

A run is a table of four columns, sorted by word, time and row. Word and check are two independent
hashes of the row's key; ``row`` is its position among the rows held. ``alive`` tells by position
which rows are still there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint8, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.types import INTS, READ_TABLE, TABLE, Ints

Flags = npt.NDArray[np.uint8]
"""A NumPy array of uint8 that holds 0 or 1."""

READ_FLAGS = types.Array(uint8, 1, "C", readonly=True)

WORD, CHECK, TIME, ROW = range(4)
LOW, HIGH = 2, 3
"""Columns of a question: word, check, and the lowest and highest time asked for."""


@helper
def _first(run: Any, word: int, time: int) -> int:
    """Where the first entry at or after (word, time) is."""
    low, high = 0, len(run)
    while low < high:
        middle = (low + high) >> 1
        entry = run[middle]
        if entry[0] < word or (entry[0] == word and entry[2] < time):
            low = middle + 1
        else:
            high = middle
    return low


@kernel(int64(READ_TABLE, READ_TABLE, READ_FLAGS, INTS))
def count(run: Ints, asked: Ints, alive: Flags, firsts: Ints) -> int:
    """How many entries answer the questions; ``firsts`` is where the entries of each begin."""
    total = 0
    for i in range(len(asked)):
        word, check, high = asked[i, 0], asked[i, 1], asked[i, 3]
        place = _first(run, word, asked[i, 2])
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


@kernel(void(READ_TABLE, READ_TABLE, READ_FLAGS, INTS, INTS))
def latest(run: Ints, asked: Ints, alive: Flags, times: Ints, rows: Ints) -> None:
    """The last row of each question's key and range of time, if later than ``times``, ``rows``.

    Of equal times the row that came last is taken; row -1: none so far.
    """
    for i in range(len(asked)):
        word, check, low, high = asked[i, 0], asked[i, 1], asked[i, 2], asked[i, 3]
        if low > high:
            continue
        place = _first(run, word, high)
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
