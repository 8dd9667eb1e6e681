"""Bitmaps, which are lists of rising numbers, and the portable bytes of Roaring bitmaps.

Lists are laid out one behind the other: all numbers, and where each list ends.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int8, int64, types, uint8, uint32

from sameriver.common.kernel import helper, kernel

PLAIN, RUNS = 12346, 12347
"""How bytes start: without runs, or with some."""
LISTED = 4096
"""A longer list takes more bytes than all bits do."""
BITS = 8192
FEW = 4
"""So many parts are found without a table of offsets if one holds runs."""
FINE, STRANGE, SHORT, MANY, UNSORTED = range(5)
"""What is wrong with bytes: how they start, where they stop, too many parts, their order."""
_PARTS = 65_536

_NUMBERS = types.Array(uint32, 1, "C", readonly=True)
_OCTETS = types.Array(uint8, 1, "C", readonly=True)
_ENDS = types.Array(int64, 1, "C", readonly=True)


@helper
def _sort(numbers: np.ndarray, start: int, end: int) -> None:
    """Shell's sort: in place, and quick for short lists and for those in order already."""
    gap = 1
    while 3 * gap < end - start:
        gap = 3 * gap + 1
    while gap:
        for at in range(start + gap, end):
            number, place = numbers[at], at
            while place - gap >= start and numbers[place - gap] > number:
                numbers[place] = numbers[place - gap]
                place -= gap
            numbers[place] = number
        gap //= 3


@kernel((uint32[::1], _ENDS, int64[::1]))
def rising(numbers: np.ndarray, ends: np.ndarray, out_ends: np.ndarray) -> None:
    """Sorts each list in place, without repeats; the lists move together."""
    start, size = 0, 0
    for row in range(len(ends)):
        _sort(numbers, start, ends[row])
        first = size
        for at in range(start, ends[row]):
            if size == first or numbers[size - 1] != numbers[at]:
                numbers[size] = numbers[at]
                size += 1
        start = ends[row]
        out_ends[row] = size


@kernel((_NUMBERS, _ENDS, _NUMBERS, _ENDS, boolean, boolean, boolean, uint32[::1], int64[::1]))
def merge(
    one: np.ndarray, one_ends: np.ndarray, two: np.ndarray, two_ends: np.ndarray,
    left: bool, both: bool, right: bool, out: np.ndarray, out_ends: np.ndarray,
) -> None:  # fmt: skip
    """The numbers of two lists: those of the first alone, of both, of the second alone."""
    a, b, size = 0, 0, 0
    for row in range(len(one_ends)):
        a_end, b_end = one_ends[row], two_ends[row]
        while a < a_end or b < b_end:
            first = b == b_end or (a < a_end and one[a] <= two[b])
            second = a == a_end or (b < b_end and two[b] <= one[a])
            out[size] = one[a] if first else two[b]
            size += both if first and second else left if first else right
            a += first
            b += second
        out_ends[row] = size


@helper
def _part(numbers: np.ndarray, start: int, end: int) -> tuple[int, int]:
    """Where the part ends, and in how many runs it is; 0: they would take more bytes."""
    upper, runs, at = numbers[start] >> 16, 1, start + 1
    while at < end and numbers[at] >> 16 == upper:
        runs += numbers[at] != numbers[at - 1] + 1
        at += 1
    listed = 2 * (at - start) if at - start <= LISTED else BITS
    return at, runs if 2 + 4 * runs < listed else 0


@helper
def _put(out: np.ndarray, at: int, value: int, octets: int) -> int:
    for place in range(octets):
        out[at + place] = (value >> (8 * place)) & 255
    return at + octets


@helper
def _body(numbers: np.ndarray, start: int, end: int, runs: int, out: np.ndarray, at: int) -> int:
    """Writes a part as it is shortest."""
    if runs:
        at = _put(out, at, runs, 2)
        first = start
        for place in range(start, end):
            if place + 1 == end or numbers[place + 1] != numbers[place] + 1:
                at = _put(out, _put(out, at, numbers[first] & 0xFFFF, 2), place - first, 2)
                first = place + 1
        return at
    if end - start <= LISTED:
        for place in range(start, end):
            at = _put(out, at, numbers[place] & 0xFFFF, 2)
        return at
    out[at : at + BITS] = 0
    for place in range(start, end):
        low = int64(numbers[place] & 0xFFFF)
        out[at + (low >> 3)] |= 1 << (low & 7)
    return at + BITS


@helper
def _size(count: int, runs: int) -> int:
    return 2 + 4 * runs if runs else min(2 * count, BITS)


@helper
def _head(numbers: np.ndarray, start: int, end: int, out: np.ndarray, at: int) -> int:
    """Writes what stands before the parts."""
    first, parts, ran, place = at, 0, 0, start
    while place < end:
        place, runs = _part(numbers, place, end)
        parts += 1
        ran += runs > 0
    if ran:
        at = _put(out, at, RUNS | (parts - 1) << 16, 4)
        flags = at
        at = _put(out, at, 0, (parts + 7) // 8)
    else:
        at = _put(out, _put(out, at, PLAIN, 4), parts, 4)
    tabled = not ran or parts >= FEW
    offsets = at + 4 * parts
    offset = offsets + 4 * parts - first
    place = start
    for part in range(parts):
        stop, runs = _part(numbers, place, end)
        if runs:
            out[flags + (part >> 3)] |= 1 << (part & 7)
        at = _put(out, _put(out, at, numbers[place] >> 16, 2), stop - place - 1, 2)
        if tabled:
            offsets = _put(out, offsets, offset, 4)
            offset += _size(stop - place, runs)
        place = stop
    return offsets if tabled else at


@kernel((_NUMBERS, _ENDS, uint8[::1], int64[::1]))
def write(numbers: np.ndarray, ends: np.ndarray, out: np.ndarray, out_ends: np.ndarray) -> None:
    """The bytes of each bitmap; ``out`` has room for 12 and 11 for each number."""
    start, at = 0, 0
    for row in range(len(ends)):
        at = _head(numbers, start, ends[row], out, at)
        while start < ends[row]:
            stop, runs = _part(numbers, start, ends[row])
            at = _body(numbers, start, stop, runs, out, at)
            start = stop
        out_ends[row] = at


@helper
def _get(data: np.ndarray, at: int, octets: int) -> int:
    value = 0
    for place in range(octets):
        value |= int64(data[at + place]) << (8 * place)
    return value


@helper
def _ran(
    data: np.ndarray, at: int, end: int, upper: int, out: np.ndarray, size: int, keep: bool
) -> tuple[int, int]:
    """Reads runs: behind them, and the numbers so far; -1 if they stop too soon."""
    if at + 2 > end or at + 2 + 4 * _get(data, at, 2) > end:
        return -1, size
    runs, at = _get(data, at, 2), at + 2
    for _ in range(runs):
        first, more = _get(data, at, 2), _get(data, at + 2, 2)
        if keep:
            for number in range(first, first + more + 1):
                out[size + number - first] = upper + (number & 0xFFFF)
        size += more + 1
        at += 4
    return at, size


@helper
def _unpacked(
    data: np.ndarray, at: int, end: int, upper: int, count: int, out: np.ndarray, size: int,
    keep: bool,
) -> tuple[int, int]:  # fmt: skip
    """Reads a list or bits, likewise."""
    if at + min(2 * count, BITS) > end:
        return -1, size
    if count <= LISTED:
        if keep:
            for place in range(count):
                out[size + place] = upper + _get(data, at + 2 * place, 2)
        return at + 2 * count, size + count
    for place in range(8 * BITS):
        if data[at + (place >> 3)] >> (place & 7) & 1:
            if keep:
                out[size] = upper + place
            size += 1
    return at + BITS, size


@helper
def _read(
    data: np.ndarray, start: int, end: int, out: np.ndarray, size: int, keep: bool
) -> tuple[int, int]:
    """What is wrong with the bytes of a bitmap, and the numbers so far, with its own."""
    if end - start < 4:
        return SHORT, size
    cookie, at = _get(data, start, 4), start + 4
    flags, ran = at, cookie & 0xFFFF == RUNS
    if ran:
        parts = (cookie >> 16) + 1
        at += (parts + 7) // 8
    elif cookie != PLAIN:
        return STRANGE, size
    elif at + 4 > end:
        return SHORT, size
    else:
        parts, at = _get(data, at, 4), at + 4
    if parts > _PARTS:
        return MANY, size
    heads, at = at, at + 4 * parts
    if at > end:
        return SHORT, size
    at += 0 if ran and parts < FEW else 4 * parts
    for part in range(parts):
        upper, count = _get(data, heads, 2) << 16, _get(data, heads + 2, 2) + 1
        heads += 4
        if ran and data[flags + (part >> 3)] >> (part & 7) & 1:
            at, size = _ran(data, at, end, upper, out, size, keep)
        else:
            at, size = _unpacked(data, at, end, upper, count, out, size, keep)
        if at < 0:
            return SHORT, size
    return FINE, size


@kernel((_OCTETS, _ENDS, boolean[::1], uint32[::1], boolean, int8[::1], int64[::1]))
def read(
    data: np.ndarray, ends: np.ndarray, known: np.ndarray, out: np.ndarray, keep: bool,
    wrong: np.ndarray, out_ends: np.ndarray,
) -> None:  # fmt: skip
    """What is wrong with the bytes of each bitmap that is ``known``, and where its numbers end.

    The numbers themselves are written with ``keep``; ``out`` must have room for them.
    """
    start, size = 0, 0
    for row in range(len(ends)):
        first = size
        if known[row]:
            wrong[row], size = _read(data, start, ends[row], out, size, keep)
            for at in range(first + 1, size):
                if keep and out[at] <= out[at - 1]:
                    wrong[row] = UNSORTED
        start = ends[row]
        out_ends[row] = size
