"""Moves what was found of objects to where columns are, while it is in the cache of a core."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.frame_block import BITS, NULLS, TEXTS, VALUES
from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.addresses import bytes_at, load_at, store_at
from sameriver.common.kernels.lanes import LANES, below, copy_text, how_many
from sameriver.common.kernels.text_views import INLINE, VIEW, view_of
from sameriver.common.kernels.utf8 import is_utf8
from sameriver.connectors.formats.kernels.json_escapes import unescape_string
from sameriver.connectors.formats.kernels.json_tokens import ABSENT, ESCAPED, OBJECT
from sameriver.connectors.formats.kernels.types import BYTES, FLAGS, INDEX, INDEX_TABLE

ROW, NUMBER, TEXT = range(3)
"""What a column holds."""
HOLDS, TURN, WIDTH, UP = range(4)
"""What is known of a column: what it holds, of numbers their place among those that were read and
the bytes of one, and the ROW that it is in, or -1."""


@kernel(types.void(INDEX, INDEX, FLAGS, types.int64, types.int64, INDEX_TABLE, INDEX))
def measure(
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    room: int,
    rows: int,
    columns: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """The bytes that long texts of each column take, or more; tables as ``gather`` has them."""
    for column in range(sizes.size):
        sizes[column] = 0
        if columns[column, HOLDS] != TEXT:
            continue
        for at in range(column * room, column * room + rows):
            length = end[at] - start[at]
            if kind[at] == ESCAPED or (kind[at] > 1 and length > INLINE):
                sizes[column] += length


@helper
def put_bits(kind: np.ndarray, base: int, rows: int, place: int, done: int) -> int:
    """Writes which cells are filled, as bits behind the first ``done``; how many are not."""
    filled = 0
    for at in range(0, rows, LANES):
        found, left = np.uint64(0), min(LANES, rows - at)
        if base + at + LANES <= kind.size:
            found = ~below(kind, base + at, 2) << np.uint64(64 - left) >> np.uint64(64 - left)
        else:
            for rest in range(left):
                found |= np.uint64(kind[base + at + rest] > 1) << np.uint64(rest)
        filled += how_many(found)
        byte, shift = place + ((done + at) >> 3), np.uint64((done + at) & 7)
        before = load_at(byte) & ((np.uint64(1) << shift) - np.uint64(1))
        store_at(byte, before | found << shift)
    return rows - filled


@helper
def put_texts(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    base: int,
    rows: int,
    place: int,
    texts: np.ndarray,
    stretch: int,
) -> int:
    """Writes the views of a column and its long texts; how many bytes these take, -1: one is no
    UTF-8."""
    used = 0
    for row in range(base, base + rows):
        at, length = start[row], end[row] - start[row]
        view, rest = np.uint64(0), np.uint64(0)
        if kind[row] == ESCAPED:
            length = unescape_string(data, at, at + length, texts, used) - used
            view, rest, _ = view_of(texts, used, length, stretch, used)
            if not is_utf8(texts, used, used + length):
                return -1
            used += length if length > INLINE else 0
        elif kind[row] > 1:
            view, rest, odd = view_of(data, at, length, stretch, used)
            if length > INLINE:
                odd = copy_text(data, at, at + length, texts, used)
                used += length
            if odd and not is_utf8(data, at, at + length):
                return -1
        store_at(place, view)
        store_at(place + 8, rest)
        place += VIEW
    return used


@helper
def put_numbers(values: np.ndarray, base: int, rows: int, place: int, width: int) -> None:
    """Writes numbers, the lowest bytes of each."""
    if width == 8:
        for row in range(rows):
            store_at(place + 8 * row, np.uint64(values[base + row]))
    else:
        for row in range(rows):
            store_at(place + width * row, np.uint64(values[base + row]))


@helper
def any_odd(
    kind: np.ndarray,
    base: int,
    rows: int,
    holds: int,
    odd: np.ndarray,
    turn: int,
    whole: bool,
    up: int,
) -> bool:
    """Whether a cell of a column needs a closer look."""
    found = False
    if holds == NUMBER:
        for row in range(rows):
            found |= (odd[turn + row] != 0) | (kind[base + row] == ESCAPED)
    elif holds == ROW:
        for row in range(rows):
            found |= (kind[base + row] > 1) & (kind[base + row] != OBJECT)
    if whole:
        for row in range(rows):
            within = up < 0 or kind[up + row] == OBJECT
            found |= within & (kind[base + row] == ABSENT)
    return found


@kernel(
    types.boolean(
        BYTES, INDEX, INDEX, FLAGS, INDEX, FLAGS, FLAGS, types.int64, types.int64, INDEX_TABLE,
        types.boolean, INDEX_TABLE, types.int64, INDEX, INDEX,
    )
)  # fmt: skip
def gather(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    values: np.ndarray,
    odd: np.ndarray,
    bad: np.ndarray,
    room: int,
    rows: int,
    columns: np.ndarray,
    whole: bool,
    places: np.ndarray,
    done: int,
    stretches: np.ndarray,
    sizes: np.ndarray,
) -> bool:
    """Adds the cells of ``rows`` objects to columns that have ``done`` already, and counts NULLs.

    False: something is odd, and nothing was added. ``whole``: so is a field that is missing.

    Tables are those of ``scan_objects``, which have a place for ``room`` rows for each field, one
    field behind the other. ``columns`` says what fields hold; ``places`` and ``stretches`` are
    those of a ``FrameBlock``, which has made room for ``sizes``; these become what was taken.
    """
    for row in range(rows):
        if bad[row]:
            return False
    nulls = np.zeros(sizes.size, dtype=np.int64)
    for column in range(sizes.size):
        turn, up = columns[column, TURN] * room, columns[column, UP] * room
        holds = columns[column, HOLDS]
        if any_odd(kind, column * room, rows, holds, odd, turn, whole, up):
            return False
    for column in range(sizes.size):
        base, holds = column * room, columns[column, HOLDS]
        width = columns[column, WIDTH]
        place, texts = places[column, VALUES] + done * width, places[column, TEXTS]
        if holds == NUMBER:
            put_numbers(values, columns[column, TURN] * room, rows, place, width)
        elif holds == TEXT:
            memory, stretch = bytes_at(texts, sizes[column]), stretches[column]
            used = put_texts(data, start, end, kind, base, rows, place, memory, stretch)
            if used < 0:
                return False
            sizes[column] = used
        bits = places[column, BITS]
        if bits:
            nulls[column] = put_bits(kind, base, rows, bits, done)
    places[:, NULLS] += nulls
    return True
