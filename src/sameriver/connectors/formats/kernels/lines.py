"""Finds lines of text."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import kernel
from sameriver.connectors.formats.kernels.lanes import LANES, equal, first, high, how_many
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


@kernel(types.int64(BYTES, INDEX, INDEX, INDEX))
def split_lines(data: np.ndarray, number: np.ndarray, start: np.ndarray, end: np.ndarray) -> int:
    """Number, start and end (without the line end) of each line that isn't blank; counts these."""
    used, line, begin, at = 0, 0, 0, 0
    while begin < data.size:
        if at + LANES <= data.size:
            found = equal(data, at, 10)
            if not found:
                at += LANES
                continue
            at += first(found)
        elif at < data.size and data[at] != 10:
            at += 1
            continue
        stop = at - 1 if at > begin and data[at - 1] == 13 else at
        if stop > begin:
            number[used], start[used], end[used] = line, begin, stop
            used += 1
        line, begin, at = line + 1, at + 1, at + 1
    return used
