"""Cells of columns become lines: sizes first, then each column is copied to its place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64

from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.copying import copy
from sameriver.common.kernels.lanes import LANES, below, equal, how_many
from sameriver.connectors.formats.kernels.types import BYTES, FLAGS, INDEX

_BARE, _QUOTED, _DOUBLED, _NULL = range(4)
"""How a cell is written: as it is, in quotes, with some characters twice, as a NULL."""
_LONG = 24
"""Longer text is quoted unseen, as Jackson does it."""
_WIDE = 255
"""Characters from here on are no bytes."""
_ALL = np.uint64(2**LANES - 1)


@helper
def _looked_over(
    data: np.ndarray, first: int, last: int, unsafe: int, quote: int, escape: int
) -> tuple[bool, int, int]:
    """Whether a text is long or has a character up to ``unsafe``; its quotes and its escapes."""
    found, characters, quotes, escapes = False, 0, 0, 0
    at = np.uint64(first)
    while at < np.uint64(last):
        if unsafe < _WIDE and at + np.uint64(LANES) <= np.uint64(data.size):
            left = np.uint64(last) - at
            own = _ALL if left >= np.uint64(LANES) else (np.uint64(1) << left) - np.uint64(1)
            # Other bytes go on with a character.
            on = below(data, at, 0xC0) & ~below(data, at, 0x80)
            found |= below(data, at, unsafe + 1) & own != 0
            characters += how_many(own & ~on)
            quotes += how_many(equal(data, at, quote) & own)
            escapes += how_many(equal(data, at, escape) & own) if escape >= 0 else 0
            at += np.uint64(LANES)
        else:
            byte = data[at]
            found |= byte <= unsafe
            characters += byte & 0xC0 != 0x80
            quotes += byte == quote
            escapes += byte == escape
            at += np.uint64(1)
    return found or characters > _LONG, quotes, escapes


@kernel((BYTES, INDEX, INDEX, FLAGS, int64, int64, int64, int64, FLAGS, INDEX))
def measure(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    quote: int,
    escape: int,
    unsafe: int,
    null: int,
    how: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Decides how each cell of a column is written, and adds what it takes to its line's size.

    ``quote`` and ``escape`` are -1 if there are none; ``null`` is the size of a NULL.
    """
    for row in range(start.size):
        if kind[row] <= 1:
            how[row] = _NULL
            sizes[row] += null + 1
            continue
        first, last = start[row], end[row]
        size = last - first
        guarded, quotes, escapes = False, 0, 0
        if quote >= 0 or escape >= 0:
            guarded, quotes, escapes = _looked_over(data, first, last, unsafe, quote, escape)
        how[row] = _DOUBLED if escapes else _BARE
        if quote >= 0 and guarded:
            # What is both is doubled twice.
            size += 2 + (3 * quotes if escape == quote else quotes + escapes)
            how[row] = _DOUBLED if quotes or escapes else _QUOTED
        else:
            size += escapes
        sizes[row] += size + 1


@kernel((BYTES, INDEX, INDEX, int64, int64, FLAGS, BYTES, int64, INDEX, FLAGS))
def lay_out(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    quote: int,
    escape: int,
    how: np.ndarray,
    null: np.ndarray,
    after: int,
    places: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes the cells of a column at ``places`` of ``out``, and the byte ``after`` behind each."""
    base = data.ctypes.data
    for row in range(start.size):
        at, mode = np.uint64(places[row]), how[row]
        first, size = np.uint64(start[row]), np.uint64(end[row] - start[row])
        if mode == _NULL:
            for byte in null:
                out[at] = byte
                at += np.uint64(1)
        elif mode == _DOUBLED:
            at = _put_doubled(data, first, size, quote, escape, at, out)
        else:
            if mode == _QUOTED:
                out[at] = quote
                at += np.uint64(1)
            copy(out, int64(at), base + int64(first), int64(size))
            at += size
            if mode == _QUOTED:
                out[at] = quote
                at += np.uint64(1)
        out[at] = after
        places[row] = int64(at) + 1


@helper
def _put_doubled(
    data: np.ndarray, first: Any, size: Any, quote: int, escape: int, at: Any, out: np.ndarray
) -> Any:
    """Writes a text with its escapes and quotes twice; gives where it ends."""
    one = np.uint64(1)
    if quote >= 0:
        out[at] = quote
        at += one
    for k in range(size):
        byte = data[first + k]
        times = (2 if byte == quote else 1) * (2 if byte == escape else 1)
        for _ in range(times):
            out[at] = byte
            at += one
    if quote >= 0:
        out[at] = quote
        at += one
    return at
