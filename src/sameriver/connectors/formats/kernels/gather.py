"""Moves what was found of objects to where columns are, while it is in the cache of a core."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.frame_block import BITS, NULLS, VALUES
from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.lanes import (
    LANES,
    below,
    copy_text,
    how_many,
    load_word,
    store_word,
)
from sameriver.common.kernels.text_views import INLINE, VIEW, word_of
from sameriver.connectors.formats.kernels.json_escapes import unescape_string
from sameriver.connectors.formats.kernels.json_tokens import ABSENT, ESCAPED, OBJECT
from sameriver.connectors.formats.kernels.types import BYTES, FLAGS, INDEX, INDEX_TABLE

ROWS, NUMBERS, TEXTS = range(3)
"""What a column holds."""
HOLDS, TURN, WIDTH, UP = range(4)
"""What is known of a column: what it holds, of numbers their place among those that were read and
the bytes of one, and the ROW that it is in, or -1."""
_HIGH = np.uint64(0x8080808080808080)


@helper
def put_bits(
    kind: np.ndarray, base: int, rows: int, memory: np.ndarray, place: int, done: int
) -> int:
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
        before = load_word(memory, byte) & ((np.uint64(1) << shift) - np.uint64(1))
        store_word(memory, byte, before | found << shift)
    return rows - filled


@helper
def is_utf8(data: np.ndarray, at: int, end: int) -> bool:
    """Whether bytes are well-formed UTF-8."""
    while at < end:
        byte = data[at]
        at += 1
        if byte < 0x80:
            continue
        more = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
        if byte < 0xC2 or byte > 0xF4 or at + more > end:
            return False
        low = 0xA0 if byte == 0xE0 else 0x90 if byte == 0xF0 else 0x80
        high = 0x9F if byte == 0xED else 0x8F if byte == 0xF4 else 0xBF
        if data[at] < low or data[at] > high:
            return False
        for rest in range(at + 1, at + more):
            if data[rest] & 0xC0 != 0x80:
                return False
        at += more
    return True


@helper
def put_view(
    data: np.ndarray, at: int, length: int, stretch: int, used: int, memory: np.ndarray, place: int
) -> bool:
    """Writes the view of a text at ``place``; a long one stands at ``used`` of a stretch too.

    Whether it has bytes that are not ASCII, as far as the view shows.
    """
    head, rest = word_of(data, at, min(length, 8)), np.uint64(0)
    if length > INLINE:
        rest = np.uint64(used) << np.uint64(32) | np.uint64(stretch)
    elif length > 4:
        rest = word_of(data, at + 4, length - 4)
    store_word(memory, place, np.uint64(length) | head << np.uint64(32))
    store_word(memory, place + 8, rest)
    return length <= INLINE and (head | rest) & _HIGH != 0


@helper
def put_texts(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    base: int,
    rows: int,
    memory: np.ndarray,
    place: int,
    texts: np.ndarray,
    begin: int,
    stretch: int,
) -> int:
    """Writes the views of a column and its long texts from ``begin`` on.

    Up to where these are; -1: one is no UTF-8.
    """
    used = begin
    for row in range(base, base + rows):
        at, length = start[row], end[row] - start[row]
        if kind[row] <= 1:
            store_word(memory, place, np.uint64(0))
            store_word(memory, place + 8, np.uint64(0))
        elif kind[row] == ESCAPED:
            length = unescape_string(data, at, at + length, texts, used) - used
            put_view(texts, used, length, stretch, used - begin, memory, place)
            if not is_utf8(texts, used, used + length):
                return -1
            used += length if length > INLINE else 0
        else:
            odd = put_view(data, at, length, stretch, used - begin, memory, place)
            if length > INLINE:
                odd = copy_text(data, at, at + length, texts, used) != 0
                used += length
            if odd and not is_utf8(data, at, at + length):
                return -1
        place += VIEW
    return used


@helper
def put_numbers(
    values: np.ndarray, base: int, rows: int, memory: np.ndarray, place: int, width: int
) -> None:
    """Writes numbers, the lowest bytes of each."""
    if width == 8:
        for row in range(rows):
            store_word(memory, place + 8 * row, np.uint64(values[base + row]))
    else:
        for row in range(rows):
            store_word(memory, place + width * row, np.uint64(values[base + row]))


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
    if holds == NUMBERS:
        for row in range(rows):
            found |= (odd[turn + row] != 0) | (kind[base + row] == ESCAPED)
    elif holds == ROWS:
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
        types.boolean, FLAGS, INDEX_TABLE, types.int64, FLAGS, types.int64, INDEX, INDEX, INDEX,
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
    memory: np.ndarray,
    places: np.ndarray,
    done: int,
    texts: np.ndarray,
    used: int,
    stretches: np.ndarray,
    sizes: np.ndarray,
    nulls: np.ndarray,
) -> bool:
    """Adds the cells of ``rows`` objects to columns that have ``done`` already, and counts NULLs.

    False: something is odd, and nothing was added. ``whole``: so is a field that is missing.

    Tables are those of ``scan_objects``, which have a place for ``room`` rows for each field, one
    field behind the other. ``columns`` says what fields hold; ``memory`` and ``places`` are those
    of a ``FrameBlock``, as are ``texts``, what is ``used`` of them, and ``stretches``; ``sizes`` is
    set to what it took.
    """
    for row in range(rows):
        if bad[row]:
            return False
    for column in range(sizes.size):
        base, holds = column * room, columns[column, HOLDS]
        turn, up = columns[column, TURN], columns[column, UP]
        if any_odd(kind, base, rows, holds, odd, turn * room, whole, up * room):
            return False
        width, place = columns[column, WIDTH], places[column, VALUES]
        place += done * width
        if holds == NUMBERS:
            put_numbers(values, turn * room, rows, memory, place, width)
        sizes[column] = nulls[column] = 0
        if holds == TEXTS:
            upto = put_texts(
                data, start, end, kind, base, rows, memory, place, texts, used, stretches[column]
            )
            if upto < 0:
                return False
            sizes[column], used = upto - used, upto
        if places[column, BITS] >= 0:
            nulls[column] = put_bits(kind, base, rows, memory, places[column, BITS], done)
    places[:, NULLS] += nulls
    return True
