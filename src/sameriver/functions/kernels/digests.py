"""MD5, SHA-1 and SHA-2 of many texts, written as hexadecimal digits.

All of them cut a text up into blocks and stir one after the other into a state of a few words.
Words are held in 64 bits; those of 32 bits are cut to ``_SHORT``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, types, uint8, uint64

from sameriver.common.kernel import helper, kernel

_OCTETS = types.Array(uint8, 1, "C", readonly=True)
_ENDS = types.Array(int64, 1, "C", readonly=True)
_SHORT = np.uint64(0xFFFFFFFF)
_BLOCK = 64
"""Octets of a block of short words; those of long ones have twice as many."""


@helper
def _blocks(size: int, room: int) -> int:
    """How many there are: behind the text come a one and, at the end, its size."""
    return (size + room // 8) // room + 1


@helper
def _fill(data: np.ndarray, start: int, end: int, block: np.ndarray, at: int, big: bool) -> None:
    """The octets of a text from ``at`` on; its size comes big end first if ``big``."""
    room = len(block)
    rest = min(max(end - at, 0), room)
    for place in range(rest):
        block[place] = data[at + place]
    block[rest:] = 0
    if at <= end < at + room:
        block[rest] = 128
    if at + room == start + _blocks(end - start, room) * room:
        bits = uint64(end - start) << uint64(3)
        for place in range(8):
            octet = uint8((bits >> uint64(8 * place)) & uint64(255))
            block[room - 1 - place if big else room - 8 + place] = octet


@helper
def _words(block: np.ndarray, size: int, big: bool, words: np.ndarray) -> None:
    """The words of a block, of ``size`` octets."""
    for place in range(16):
        word = uint64(0)
        for octet in range(size):
            at = place * size + (octet if big else size - 1 - octet)
            word = (word << uint64(8)) | uint64(block[at])
        words[place] = word


@helper
def _left(word: Any, by: Any) -> Any:
    """A short word turned to the left."""
    return ((word << by) | (word >> (uint64(32) - by))) & _SHORT


@helper
def _right(word: Any, by: Any) -> Any:
    """A long word turned to the right."""
    return (word >> uint64(by)) | (word << uint64(64 - by))


@helper
def _twice(word: Any) -> Any:
    """A short word two times: moved to the right it has turned to the right."""
    return word | (word << uint64(32))


@helper
def _digits(state: np.ndarray, size: int, big: bool, out: np.ndarray) -> None:
    """The words of the state in hexadecimal digits, as many as there is room for."""
    for octet in range(len(out) // 2):
        within = octet % size
        shift = uint64(8 * (size - 1 - within if big else within))
        value = int64((state[octet // size] >> shift) & uint64(255))
        high, low = value >> 4, value & 15
        out[2 * octet] = high + (48 if high < 10 else 87)
        out[2 * octet + 1] = low + (48 if low < 10 else 87)


@helper
def _md5(words: np.ndarray, sines: np.ndarray, turns: np.ndarray, state: np.ndarray) -> None:
    a, b, c, d = state[0], state[1], state[2], state[3]
    for step in range(64):
        if step < 16:
            mixed, place = (b & c) | (~b & d), step
        elif step < 32:
            mixed, place = (d & b) | (~d & c), 5 * step + 1
        elif step < 48:
            mixed, place = b ^ c ^ d, 3 * step + 5
        else:
            mixed, place = c ^ (b | ~d), 7 * step
        mixed = (mixed + a + sines[step] + words[place % 16]) & _SHORT
        a, d, c = d, c, b
        b = (b + _left(mixed, turns[step // 16 * 4 + step % 4])) & _SHORT
    state[0] = (state[0] + a) & _SHORT
    state[1] = (state[1] + b) & _SHORT
    state[2] = (state[2] + c) & _SHORT
    state[3] = (state[3] + d) & _SHORT


@kernel((_OCTETS, _ENDS, uint64[::1], uint64[::1], uint64[::1], uint8[:, ::1]))
def md5(
    data: np.ndarray,
    ends: np.ndarray,
    initial: np.ndarray,
    sines: np.ndarray,
    turns: np.ndarray,
    out: np.ndarray,
) -> None:
    block, words = np.empty(_BLOCK, np.uint8), np.empty(16, np.uint64)
    state = np.empty(4, np.uint64)
    start = 0
    for row in range(len(ends)):
        state[:] = initial
        for number in range(_blocks(ends[row] - start, _BLOCK)):
            _fill(data, start, ends[row], block, start + number * _BLOCK, False)
            _words(block, 4, False, words)
            _md5(words, sines, turns, state)
        _digits(state, 4, False, out[row])
        start = ends[row]


@helper
def _sha1(words: np.ndarray, state: np.ndarray) -> None:
    a, b, c, d, e = state[0], state[1], state[2], state[3], state[4]
    for step in range(80):
        if step >= 16:
            odd = words[step - 3] ^ words[step - 8] ^ words[step - 14] ^ words[step - 16]
            words[step] = _left(odd, uint64(1))
        if step < 20:
            mixed, extra = (b & c) | (~b & d), uint64(0x5A827999)
        elif step < 40:
            mixed, extra = b ^ c ^ d, uint64(0x6ED9EBA1)
        elif step < 60:
            mixed, extra = (b & c) | (b & d) | (c & d), uint64(0x8F1BBCDC)
        else:
            mixed, extra = b ^ c ^ d, uint64(0xCA62C1D6)
        total = (_left(a, uint64(5)) + (mixed & _SHORT) + e + extra + words[step]) & _SHORT
        a, b, c, d, e = total, a, _left(b, uint64(30)), c, d
    state[0] = (state[0] + a) & _SHORT
    state[1] = (state[1] + b) & _SHORT
    state[2] = (state[2] + c) & _SHORT
    state[3] = (state[3] + d) & _SHORT
    state[4] = (state[4] + e) & _SHORT


@kernel((_OCTETS, _ENDS, uint64[::1], uint8[:, ::1]))
def sha1(data: np.ndarray, ends: np.ndarray, initial: np.ndarray, out: np.ndarray) -> None:
    block, words = np.empty(_BLOCK, np.uint8), np.empty(80, np.uint64)
    state = np.empty(5, np.uint64)
    start = 0
    for row in range(len(ends)):
        state[:] = initial
        for number in range(_blocks(ends[row] - start, _BLOCK)):
            _fill(data, start, ends[row], block, start + number * _BLOCK, True)
            _words(block, 4, True, words)
            _sha1(words, state)
        _digits(state, 4, True, out[row])
        start = ends[row]


@helper
def _turned_short(a: Any, e: Any) -> tuple[Any, Any]:
    a, e = _twice(a), _twice(e)
    low = (a >> uint64(2)) ^ (a >> uint64(13)) ^ (a >> uint64(22))
    return low & _SHORT, ((e >> uint64(6)) ^ (e >> uint64(11)) ^ (e >> uint64(25))) & _SHORT


@helper
def _turned_long(a: Any, e: Any) -> tuple[Any, Any]:
    low = _right(a, 28) ^ _right(a, 34) ^ _right(a, 39)
    return low, _right(e, 14) ^ _right(e, 18) ^ _right(e, 41)


@helper
def _extend_short(words: np.ndarray) -> None:
    for step in range(16, 64):
        late, early = _twice(words[step - 2]), _twice(words[step - 15])
        one = ((late >> uint64(17)) ^ (late >> uint64(19))) & _SHORT
        two = ((early >> uint64(7)) ^ (early >> uint64(18))) & _SHORT
        one, two = one ^ (words[step - 2] >> uint64(10)), two ^ (words[step - 15] >> uint64(3))
        words[step] = (words[step - 16] + two + words[step - 7] + one) & _SHORT


@helper
def _extend_long(words: np.ndarray) -> None:
    for step in range(16, 80):
        late, early = words[step - 2], words[step - 15]
        one = _right(late, 19) ^ _right(late, 61) ^ (late >> uint64(6))
        two = _right(early, 1) ^ _right(early, 8) ^ (early >> uint64(7))
        words[step] = words[step - 16] + two + words[step - 7] + one


@helper
def _sha2(words: np.ndarray, roots: np.ndarray, mask: Any, short: bool, state: np.ndarray) -> None:
    a, b, c, d = state[0], state[1], state[2], state[3]
    e, f, g, h = state[4], state[5], state[6], state[7]
    for step in range(len(roots)):
        low, high = _turned_short(a, e) if short else _turned_long(a, e)
        total = h + high + ((e & f) ^ (~e & g)) + roots[step] + words[step]
        other = low + ((a & b) ^ (a & c) ^ (b & c))
        a, b, c, d, e, f, g, h = (total + other) & mask, a, b, c, (d + total) & mask, e, f, g
    for place, word in enumerate((a, b, c, d, e, f, g, h)):
        state[place] = (state[place] + word) & mask


@kernel((_OCTETS, _ENDS, uint64[::1], uint64[::1], uint8[:, ::1]))
def sha2_short(
    data: np.ndarray, ends: np.ndarray, initial: np.ndarray, roots: np.ndarray, out: np.ndarray
) -> None:
    """SHA-224 and SHA-256."""
    block, words = np.empty(_BLOCK, np.uint8), np.empty(64, np.uint64)
    state = np.empty(8, np.uint64)
    start = 0
    for row in range(len(ends)):
        state[:] = initial
        for number in range(_blocks(ends[row] - start, _BLOCK)):
            _fill(data, start, ends[row], block, start + number * _BLOCK, True)
            _words(block, 4, True, words)
            _extend_short(words)
            _sha2(words, roots, _SHORT, True, state)
        _digits(state, 4, True, out[row])
        start = ends[row]


@kernel((_OCTETS, _ENDS, uint64[::1], uint64[::1], uint8[:, ::1]))
def sha2_long(
    data: np.ndarray, ends: np.ndarray, initial: np.ndarray, roots: np.ndarray, out: np.ndarray
) -> None:
    """SHA-384 and SHA-512."""
    room = 2 * _BLOCK
    block, words = np.empty(room, np.uint8), np.empty(80, np.uint64)
    state = np.empty(8, np.uint64)
    start = 0
    for row in range(len(ends)):
        state[:] = initial
        for number in range(_blocks(ends[row] - start, room)):
            _fill(data, start, ends[row], block, start + number * room, True)
            _words(block, 8, True, words)
            _extend_long(words)
            _sha2(words, roots, ~uint64(0), False, state)
        _digits(state, 8, True, out[row])
        start = ends[row]
