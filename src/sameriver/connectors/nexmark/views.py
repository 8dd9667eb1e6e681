"""Texts of events as views, and what puts them together."""

from __future__ import annotations

import numpy as np
from numba import int64, types, uint8, void

from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.copying import copy
from sameriver.common.kernels.text_views import INLINE

BYTES = uint8[::1]
SHARED = types.Array(uint8, 1, "C", readonly=True)
KNOWN = types.Array(int64, 2, "C", readonly=True)
TEXTS = int64[:, :, ::1]
EMAIL, CARD = 16, 19
"""Bytes of an e-mail address, at most, and of a number of a credit card."""
_DOT_COM = np.frombuffer(b".com", np.uint8)


@helper
def show(valid: np.ndarray, row: int) -> None:
    """Makes a row one that is not NULL."""
    valid[row >> 3] |= np.uint8(1 << (row & 7))


@helper
def put(
    views: np.ndarray, field: int, row: int, text: np.ndarray, at: int, length: int, buffer: int
) -> None:
    """Writes the view of a text of a buffer: what is short stands in it."""
    head, tail = np.uint64(length), np.uint64(0)
    start = np.uint64(at)
    if length > INLINE:
        for k in range(4):
            head |= np.uint64(text[start + np.uint64(k)]) << np.uint64(32 + 8 * k)
        tail = np.uint64(buffer) | start << np.uint64(32)
    else:
        for k in range(length):
            byte = np.uint64(text[start + np.uint64(k)])
            if k < 4:
                head |= byte << np.uint64(32 + 8 * k)
            else:
                tail |= byte << np.uint64(8 * k - 32)
    views[field, row, 0] = int64(head)
    views[field, row, 1] = int64(tail)


@helper
def put_known(views: np.ndarray, field: int, row: int, known: np.ndarray, number: int) -> None:
    """Writes the view of one of the known texts."""
    views[field, row, 0] = known[number, 0]
    views[field, row, 1] = known[number, 1]


@kernel(void(SHARED, int64, int64[::1], TEXTS))
def view(text: np.ndarray, start: int, lengths: np.ndarray, views: np.ndarray) -> None:
    """Views of texts of buffer 0 that follow each other from ``start`` on."""
    for i in range(lengths.shape[0]):
        put(views, 0, i, text, start, lengths[i], 0)
        start += lengths[i]


@helper
def _digits(number: int, out: np.ndarray, to: int) -> None:
    """Writes four digits."""
    for k in range(4):
        out[to + 3 - k] = 48 + number % 10
        number //= 10


@helper
def put_email(
    text: np.ndarray, user: tuple[int, int], host: tuple[int, int], out: np.ndarray, to: int
) -> int:
    """Writes ``user@host.com``, of parts that start somewhere and have a length; its length."""
    end = to + user[1]
    copy(out, int64(to), text.ctypes.data + user[0], int64(user[1]))
    out[end] = 64
    copy(out, int64(end + 1), text.ctypes.data + host[0], int64(host[1]))
    end += 1 + host[1]
    for k in range(4):
        out[end + k] = _DOT_COM[k]
    return int(end + 4 - to)


@helper
def put_card(parts: tuple[int, int, int, int], out: np.ndarray, to: int) -> None:
    """Writes four numbers of four digits."""
    for part in range(4):
        _digits(parts[part], out, to + 5 * part)
        if part < 3:
            out[to + 5 * part + 4] = 32


@helper
def trim(text: np.ndarray, at: int, length: int) -> tuple[int, int]:
    """Leaves out the spaces at both ends."""
    while length > 0 and text[at] == 32:
        at += 1
        length -= 1
    while length > 0 and text[at + length - 1] == 32:
        length -= 1
    return at, length
