"""Finds lines of text."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
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


USED, LINE, BEGIN, AT, ODD = range(5)
"""What is known of a text whose lines are being found: how many of them count, the number of the
next one, where it begins, up to where was looked, and whether any of that is not ASCII."""
FOUND = 5


@helper
def find_lines(
    data: np.ndarray,
    upto: int,
    number: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    found: np.ndarray,
) -> bool:
    """Goes on to note number, start and end (without the line end) of each line that isn't blank.

    Stops when ``upto`` bytes or a few more were looked at; the end of the text, which may end a
    line, counts as one. False: there are more lines than places for them.
    """
    used, line, begin, at = found[USED], found[LINE], found[BEGIN], found[AT]
    odd = np.uint64(found[ODD])
    while begin < data.size and at < upto:
        if at + LANES <= data.size:
            odd |= high(data, at)
            ends = equal(data, at, 10)
        else:
            ends = np.uint64(0)
            for rest in range(at, data.size):
                odd |= np.uint64(data[rest] >> 7)
                ends |= np.uint64(data[rest] == 10) << np.uint64(rest - at)
            if not ends or data[data.size - 1] != 10:
                ends |= np.uint64(1) << np.uint64(data.size - at)
        while ends:
            stop = at + first(ends)
            ends &= ends - np.uint64(1)
            after = stop + 1
            if stop > begin and data[stop - 1] == 13:
                stop -= 1
            if stop > begin:
                if used == number.size:
                    return False
                number[used], start[used], end[used] = line, begin, stop
                used += 1
            line, begin = line + 1, after
        at += LANES
    found[USED], found[LINE], found[BEGIN], found[AT] = used, line, begin, at
    found[ODD] = odd != 0
    return True


@kernel(types.boolean(BYTES, INDEX, INDEX, INDEX, INDEX))
def split_lines(
    data: np.ndarray, number: np.ndarray, start: np.ndarray, end: np.ndarray, found: np.ndarray
) -> bool:
    """Finds all lines of a text, of which ``found`` says that nothing is known."""
    return find_lines(data, data.size + 1, number, start, end, found)
