"""Texts in other charsets than UTF-8, and back."""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types, uint8

from sameriver.common.kernel import helper, kernel

ASCII, LATIN = 128, 256
"""How many letters charsets of one octet a letter know; they are those of Unicode."""
_STRANGE = 0xFFFD
"""Stands for what is no letter."""

_OCTETS = types.Array(uint8, 1, "C", readonly=True)
_ENDS = types.Array(int64, 1, "C", readonly=True)


@helper
def decoded(data: np.ndarray, at: int) -> tuple[int, int]:
    """A letter of UTF-8, and where the next one starts."""
    lead = int64(data[at])
    if lead < 0x80:
        return lead, at + 1
    more = 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
    code = lead & (0x3F >> more)
    for place in range(at + 1, at + more + 1):
        code = code << 6 | int64(data[place]) & 0x3F
    return code, at + more + 1


@helper
def encoded(code: int, out: np.ndarray, size: int) -> int:
    """Writes a letter in UTF-8."""
    if code < 0x80:
        out[size] = code
        return size + 1
    more = 1 if code < 0x800 else 2 if code < 0x10000 else 3
    out[size] = (0xF0 << (3 - more)) & 0xFF | code >> 6 * more
    for place in range(1, more + 1):
        out[size + place] = 0x80 | code >> 6 * (more - place) & 0x3F
    return size + more + 1


@kernel((int64, _OCTETS, _ENDS, uint8[::1], int64[::1]))
def to_narrow(
    known: int, data: np.ndarray, ends: np.ndarray, out: np.ndarray, out_ends: np.ndarray
) -> None:
    """An octet a letter; a question mark for those beyond the ``known`` ones."""
    at, size = 0, 0
    for row in range(len(ends)):
        while at < ends[row]:
            code, at = decoded(data, at)
            out[size] = code if code < known else 63
            size += 1
        out_ends[row] = size


@kernel((int64, _OCTETS, _ENDS, uint8[::1], int64[::1]))
def from_narrow(
    known: int, data: np.ndarray, ends: np.ndarray, out: np.ndarray, out_ends: np.ndarray
) -> None:
    """The letters of octets."""
    start, size = 0, 0
    for row in range(len(ends)):
        for at in range(start, ends[row]):
            code = int64(data[at])
            size = encoded(code if code < known else _STRANGE, out, size)
        start = ends[row]
        out_ends[row] = size


@helper
def _put(unit: int, big: bool, out: np.ndarray, size: int) -> int:
    high, low = unit >> 8, unit & 255
    out[size], out[size + 1] = (high, low) if big else (low, high)
    return size + 2


@kernel((boolean, boolean, _OCTETS, _ENDS, uint8[::1], int64[::1]))
def to_wide(
    big: bool, mark: bool, data: np.ndarray, ends: np.ndarray, out: np.ndarray, out_ends: np.ndarray
) -> None:
    """UTF-16, the ``big`` end first or last; with a ``mark`` of that where there is a letter."""
    at, size = 0, 0
    for row in range(len(ends)):
        if mark and at < ends[row]:
            size = _put(0xFEFF, big, out, size)
        while at < ends[row]:
            code, at = decoded(data, at)
            if code >= 0x10000:
                size = _put(0xD800 | (code - 0x10000) >> 10, big, out, size)
                code = 0xDC00 | code & 0x3FF
            size = _put(code, big, out, size)
        out_ends[row] = size


@helper
def _unit(data: np.ndarray, at: int, big: bool) -> int:
    one, two = int64(data[at]), int64(data[at + 1])
    unit: int = one << 8 | two if big else two << 8 | one
    return unit


@helper
def _wide(data: np.ndarray, at: int, end: int, big: bool) -> tuple[int, int]:
    """A letter of UTF-16, and where the next one starts; halves are strange."""
    if at + 1 >= end:
        return _STRANGE, end
    code = _unit(data, at, big)
    if code & 0xF800 != 0xD800:
        return code, at + 2
    if code >= 0xDC00:
        return _STRANGE, at + 2
    if at + 3 >= end:
        return _STRANGE, end
    low = _unit(data, at + 2, big)
    if low & 0xFC00 != 0xDC00:
        return _STRANGE, at + 2
    return 0x10000 + ((code & 0x3FF) << 10 | low & 0x3FF), at + 4


@kernel((boolean, boolean, _OCTETS, _ENDS, uint8[::1], int64[::1]))
def from_wide(
    big: bool, mark: bool, data: np.ndarray, ends: np.ndarray, out: np.ndarray, out_ends: np.ndarray
) -> None:
    """Texts of UTF-16; a ``mark`` at the start may tell which end comes first."""
    at, size = 0, 0
    for row in range(len(ends)):
        first = big
        if mark and at + 1 < ends[row]:
            unit = _unit(data, at, True)
            first = unit != 0xFFFE
            at += 2 if unit == 0xFEFF or unit == 0xFFFE else 0
        while at < ends[row]:
            code, at = _wide(data, at, ends[row], first)
            size = encoded(code, out, size)
        out_ends[row] = size


@helper
def _checked(data: np.ndarray, at: int, end: int) -> tuple[bool, int]:
    """Whether UTF-8 tells a letter, and what follows it or what it breaks off before."""
    lead = data[at]
    if lead < 0x80:
        return True, at + 1
    if lead < 0xC2 or lead > 0xF4:
        return False, at + 1
    low = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
    high = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
    more = 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
    for place in range(at + 1, at + more + 1):
        if place >= end or data[place] < low or data[place] > high:
            return False, place
        low, high = 0x80, 0xBF
    return True, at + more + 1


@kernel((_OCTETS, _ENDS, uint8[::1], int64[::1]))
def mended(data: np.ndarray, ends: np.ndarray, out: np.ndarray, out_ends: np.ndarray) -> None:
    """UTF-8 with one strange letter for each piece that is none."""
    at, size = 0, 0
    for row in range(len(ends)):
        while at < ends[row]:
            start = at
            fine, at = _checked(data, at, ends[row])
            if not fine:
                size = encoded(_STRANGE, out, size)
            for place in range(start, at if fine else start):
                out[size] = data[place]
                size += 1
        out_ends[row] = size
