"""Texts written anew, octet by octet."""

from __future__ import annotations

import numpy as np
from numba import int64, types, uint8

from sameriver.common.kernel import helper, kernel

_READ = types.Array(uint8, 1, "C", readonly=True)
_ENDS = types.Array(int64, 1, "C", readonly=True)
_REWRITE = (_READ, _ENDS, uint8[::1], int64[::1])


@helper
def _is_digit(octet: int) -> bool:
    return 48 <= octet <= 57


@helper
def _is_letter(octet: int) -> bool:
    return 65 <= octet <= 90 or 97 <= octet <= 122


@kernel(_REWRITE)
def capitalise(data: np.ndarray, ends: np.ndarray, out: np.ndarray, out_ends: np.ndarray) -> None:
    """The first of a run of ASCII letters and digits in upper case, the rest in lower case."""
    start = 0
    for row in range(len(ends)):
        inside = False
        for at in range(start, ends[row]):
            octet = data[at]
            if _is_letter(octet):
                octet = (octet | 32) if inside else (octet & 223)
            inside = _is_letter(octet) or _is_digit(octet)
            out[at] = octet
        start = ends[row]
        out_ends[row] = start


@helper
def _hex_digit(value: int) -> int:
    return value + 48 if value < 10 else value + 55


@kernel(_REWRITE)
def encode_url(data: np.ndarray, ends: np.ndarray, out: np.ndarray, out_ends: np.ndarray) -> None:
    """As HTML forms: letters, digits and ``.-*_`` stay, a blank is ``+``, the rest ``%XX``."""
    start, size = 0, 0
    for row in range(len(ends)):
        for at in range(start, ends[row]):
            octet = int64(data[at])
            plain = octet == 46 or octet == 45 or octet == 42 or octet == 95
            if plain or _is_letter(octet) or _is_digit(octet):
                out[size] = octet
                size += 1
            elif octet == 32:
                out[size] = 43
                size += 1
            else:
                out[size] = 37
                out[size + 1] = _hex_digit(octet >> 4)
                out[size + 2] = _hex_digit(octet & 15)
                size += 3
        start = ends[row]
        out_ends[row] = size


@helper
def hex_value(octet: int) -> int:
    """-1 for what is no hexadecimal digit."""
    if _is_digit(octet):
        return octet - 48
    folded = octet | 32
    return folded - 87 if 97 <= folded <= 102 else -1


@helper
def _decode_one(data: np.ndarray, start: int, end: int, out: np.ndarray, size: int) -> int:
    """Where the decoded text ends; -1 if it is malformed."""
    at = start
    while at < end:
        octet = int64(data[at])
        if octet == 37:
            if at + 2 >= end:
                return -1
            high, low = hex_value(int64(data[at + 1])), hex_value(int64(data[at + 2]))
            if high < 0 or low < 0:
                return -1
            octet = high * 16 + low
            at += 2
        elif octet == 43:
            octet = 32
        out[size] = octet
        size += 1
        at += 1
    return size


@kernel(_REWRITE)
def decode_url(data: np.ndarray, ends: np.ndarray, out: np.ndarray, out_ends: np.ndarray) -> None:
    """The reverse of ``encode_url``; -1 as the end of what is malformed."""
    start, size = 0, 0
    for row in range(len(ends)):
        after = _decode_one(data, start, ends[row], out, size)
        out_ends[row] = after
        size = max(size, after)
        start = ends[row]
