"""Finds lines of text."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import kernel
from sameriver.common.kernels.lanes import LANES, equal, first, high, how_many
from sameriver.connectors.formats.kernels.types import BYTES, INDEX


@kernel(types.int64(BYTES))
def survey(data: np.ndarray) -> int:
    """Twice the number of line ends, and one more if all of it is ASCII."""
    at, total, odd = 0, 0, np.uint64(0)
    while at + LANES <= data.size:
        total += how_many(equal(data, at, 10))
        odd |= high(data, at)
        at += LANES
    plain = odd == 0
    for rest in range(at, data.size):
        total += data[rest] == 10
        plain &= data[rest] < 128
    return 2 * total + int(plain)


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


@kernel(types.boolean(BYTES, INDEX, INDEX, INDEX, INDEX))
def split_lines(
    data: np.ndarray, number: np.ndarray, start: np.ndarray, end: np.ndarray, totals: np.ndarray
) -> bool:
    """Number, start and end (without the line end) of each line that isn't blank.

    ``totals`` becomes how many of them there are, how many line ends, and 1 if all is ASCII. False:
    there are more lines than places for them.
    """
    used, line, begin, at, odd = 0, 0, 0, 0, np.uint64(0)
    while begin < data.size:
        if at + LANES <= data.size:
            odd |= high(data, at)
            found = equal(data, at, 10)
            at += LANES
        else:
            found = np.uint64(0)
            for rest in range(at, data.size):
                odd |= np.uint64(data[rest] >> 7)
                found |= np.uint64(data[rest] == 10) << np.uint64(rest - at)
            if not found or data[data.size - 1] != 10:
                found |= np.uint64(1) << np.uint64(data.size - at)
            at += LANES
        while found:
            stop = at - LANES + first(found)
            found &= found - np.uint64(1)
            after = stop + 1
            if stop > begin and data[stop - 1] == 13:
                stop -= 1
            if stop > begin:
                if used == number.size:
                    return False
                number[used], start[used], end[used] = line, begin, stop
                used += 1
            line, begin = line + 1, after
    totals[0], totals[1], totals[2] = used, line - (begin > data.size), odd == 0
    return True
