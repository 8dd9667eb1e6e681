"""Finds lines of text."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.lanes import LANES, equal, first, how_many
from sameriver.connectors.formats.kernels.types import BYTES, INDEX


@kernel(types.int64(BYTES))
def last_line(data: np.ndarray) -> int:
    """Where the last whole line ends; 0: there is none."""
    at = data.size
    while at > 0 and data[at - 1] != 10:
        at -= 1
    return at


@kernel(types.int64(BYTES, types.int64))
def count_byte(data: np.ndarray, byte: int) -> int:
    """How often a byte is there."""
    at, total = 0, 0
    while at + LANES <= data.size:
        total += how_many(equal(data, at, byte))
        at += LANES
    for rest in range(at, data.size):
        total += data[rest] == byte
    return total


USED, LINE, BEGIN = range(3)
"""What is known of a text whose lines are being found: how many of them count, the number of the
next one, and where it begins."""
FOUND = 3


@helper
def line_end(data: np.ndarray, at: int) -> int:
    """Where the line ends that ``at`` is in; the end of the text ends one, too."""
    while at + LANES <= data.size:
        ends = equal(data, at, 10)
        if ends:
            return at + first(ends)
        at += LANES
    while at < data.size and data[at] != 10:
        at += 1
    return at


@kernel(types.boolean(BYTES, INDEX, INDEX, INDEX, INDEX))
def split_lines(
    data: np.ndarray, number: np.ndarray, start: np.ndarray, end: np.ndarray, found: np.ndarray
) -> bool:
    """Notes number, start and end (without the line end) of each line that isn't blank.

    ``found`` is what is known of them, at first nothing. False: there are more than places.
    """
    used, line, begin = found[USED], found[LINE], found[BEGIN]
    while begin < data.size:
        after = line_end(data, begin)
        stop = after - 1 if after > begin and data[after - 1] == 13 else after
        if stop > begin:
            if used == number.size:
                return False
            number[used], start[used], end[used] = line, begin, stop
            used += 1
        line, begin = line + 1, after + 1
    found[USED], found[LINE], found[BEGIN] = used, line, begin
    return True
