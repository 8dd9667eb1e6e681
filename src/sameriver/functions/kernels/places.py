"""Where a text stands in another one, counted in letters."""

from __future__ import annotations

import numpy as np
from numba import int64, types, uint8

from sameriver.common.kernel import helper, kernel

_OCTETS = types.Array(uint8, 1, "C", readonly=True)
_NUMBERS = types.Array(int64, 1, "C", readonly=True)


@helper
def _forward(data: np.ndarray, at: int, end: int, letters: int) -> int:
    """So many letters on; -1 if there are fewer."""
    while letters > 0 and at < end:
        at += 1
        while at < end and data[at] & 192 == 128:
            at += 1
        letters -= 1
    return at if letters == 0 else -1


@helper
def _backward(data: np.ndarray, start: int, at: int, letters: int) -> int:
    """So many letters back; -1 if there are fewer."""
    while letters > 0 and at > start:
        at -= 1
        while data[at] & 192 == 128:
            at -= 1
        letters -= 1
    return at if letters == 0 else -1


@helper
def _stands(data: np.ndarray, at: int, needles: np.ndarray, first: int, last: int) -> bool:
    same = 0
    while first + same < last and data[at + same] == needles[first + same]:
        same += 1
    return first + same == last


@helper
def _one(
    data: np.ndarray, start: int, end: int, needles: np.ndarray, first: int, last: int,
    begin: int, occurrence: int,
) -> int:  # fmt: skip
    """Where the needle is found; -1 if it is not.

    The next one starts a letter later or, backward, ends a letter earlier; backward the first one
    ends with the letter of the start. Nothing is found at the first end, wherever the start is.
    """
    size, limit = last - first, end
    if begin == 0:
        return -1
    if size == 0:
        return start if begin > 0 else end
    if begin > 0:
        at = _forward(data, start, end, begin - 1)
    else:
        at = _backward(data, start, end, -begin)
        at = limit = _forward(data, at, end, 1) if at >= 0 else -1
    while at >= 0:
        if at + size <= limit and _stands(data, at, needles, first, last):
            occurrence -= 1
            if occurrence == 0:
                return at
            limit = end if begin > 0 else at + size - 1
        at = _forward(data, at, end, 1) if begin > 0 else _backward(data, start, at, 1)
    return -1


@kernel((_OCTETS, _NUMBERS, _OCTETS, _NUMBERS, _NUMBERS, _NUMBERS, int64[::1]))
def nth_place(
    data: np.ndarray,
    ends: np.ndarray,
    needles: np.ndarray,
    needle_ends: np.ndarray,
    begins: np.ndarray,
    occurrences: np.ndarray,
    found: np.ndarray,
) -> None:
    """Letters up to the n-th place of each needle from a letter on, and one; 0 if absent.

    Letters are counted from 1, and backward from the end if negative.
    """
    start, first = 0, 0
    for row in range(len(ends)):
        end, last = ends[row], needle_ends[row]
        at = _one(data, start, end, needles, first, last, begins[row], occurrences[row])
        letters = 0
        for place in range(start, at + 1):
            letters += place == at or data[place] & 192 != 128
        found[row] = letters
        start, first = end, last
