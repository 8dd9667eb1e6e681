"""Which slots a batch touches, what their words were and are, and when they were last written.

Word 0 of a slot is its mark: 0 until the slot is first touched; after that the number of the batch
that touched it last (the stamp) and where the batch's history says what its words are.

``history`` is laid out as an operator emits it: a row a word, a column for each old and each new
result, which follow each other. A result that is new has no old one. Words below ``first`` are
left out.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, uint8, uint32, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.fold import BLOCK, fold_rows
from sameriver.state.kernels.prefetch import AHEAD, prefetch_row
from sameriver.state.kernels.types import (
    FLOATS,
    INTS,
    READ_FLOATS,
    READ_INTS,
    READ_SIGN,
    READ_SIGNS,
    READ_TABLE,
    TABLE,
)

_PLACE = 0xFFFFFFFF
_TILE = 8
"""Entries."""
_KINDS = uint8[::1]
_ROWS = uint32[::1]
_FLAGS = boolean[::1]


@helper
def _touch_rows(
    words: np.ndarray,
    slots: np.ndarray,
    start: int,
    stop: int,
    stamp: int,
    by_row: bool,
    first: int,
    live: int,
    access: int,
    now: int,
    count: int,
    touched: np.ndarray,
    fresh: np.ndarray,
    ends: np.ndarray,
    kinds: np.ndarray,
    rows: np.ndarray,
    before: np.ndarray,
    stale: np.ndarray,
) -> int:
    """Entries of the rows of a block; those of earlier blocks that it touches again are stale."""
    begin = count
    at = first_at = ends[count - 1] + 1 if count else 0
    for i in range(start, stop):
        if i + AHEAD < slots.shape[0]:
            prefetch_row(words, slots[i + AHEAD])
        slot = slots[i]
        mark = words[slot, 0]
        if not by_row and mark >> 32 == stamp:
            if mark & _PLACE < first_at:
                stale[mark & _PLACE] = True
            continue
        new = mark == 0 or (live >= 0 and words[slot, live] <= 0)
        if not new:
            kinds[at], rows[at] = 1, i
            for word in range(first, before.shape[1]):
                before[count - begin, word] = words[slot, word]
            at += 1
        kinds[at], rows[at] = 0 if new else 2, i
        words[slot, 0] = stamp << 32 | at
        if access >= 0:
            words[slot, access] = now
        touched[count], fresh[count], ends[count] = slot, new, at
        count += 1
        at += 1
    return count


@helper
def _record(
    words: np.ndarray,
    begin: int,
    end: int,
    first: int,
    touched: np.ndarray,
    fresh: np.ndarray,
    ends: np.ndarray,
    before: np.ndarray,
    history: np.ndarray,
) -> None:
    """What the entries of a block were and are, a few at a time: these fill lines of a cache."""
    for tile in range(begin, end, _TILE):
        stop = min(tile + _TILE, end)
        for word in range(first, history.shape[0]):
            for entry in range(tile, stop):
                at = ends[entry]
                if not fresh[entry]:
                    history[word, at - 1] = before[entry - begin, word]
                history[word, at] = words[touched[entry], word]


@helper
def _still_stale(
    stale: np.ndarray,
    count: int,
    touched: np.ndarray,
    ends: np.ndarray,
    again: np.ndarray,
    places: np.ndarray,
) -> int:
    """Slots of stale entries, and their columns of the history; gives how many."""
    left = 0
    for entry in range(count):
        if stale[ends[entry]]:
            again[left], places[left] = touched[entry], ends[entry]
            left += 1
    return left


@helper
def _copy(
    words: np.ndarray, slots: np.ndarray, first: int, places: np.ndarray, out: np.ndarray
) -> None:
    count = slots.shape[0]
    for tile in range(0, count, _TILE):
        for ahead in range(tile + AHEAD, min(tile + AHEAD + _TILE, count)):
            prefetch_row(words, slots[ahead])
        for word in range(first, out.shape[0]):
            for i in range(tile, min(tile + _TILE, count)):
                out[word, places[i]] = words[slots[i], word]


@kernel(
    int64(
        TABLE, FLOATS, READ_INTS, int64, boolean, int64, int64, int64, int64,
        READ_TABLE, READ_TABLE, READ_FLOATS, READ_SIGNS,
        INTS, _FLAGS, INTS, _KINDS, _ROWS, TABLE,
    )
)  # fmt: skip
def change(
    words: np.ndarray,
    floats: np.ndarray,
    slots: np.ndarray,
    stamp: int,
    by_row: bool,
    first: int,
    live: int,
    access: int,
    now: int,
    program: np.ndarray,
    columns: np.ndarray,
    column_floats: np.ndarray,
    signs: np.ndarray,
    touched: np.ndarray,
    fresh: np.ndarray,
    ends: np.ndarray,
    kinds: np.ndarray,
    rows: np.ndarray,
    history: np.ndarray,
) -> int:
    """Folds rows (see ``fold``) and tells what that changes; gives the number of entries.

    There is an entry a slot, in order of appearance, or, with ``by_row``, a row. For each: the
    slot, whether there was nothing before (by its mark, or by word ``live``; -1: none), and the
    column of ``history`` with what it is now. A column of ``history`` has its change kind, if
    what it holds is emitted as it is, and the row where the entry appears. Word ``access`` (-1:
    none) becomes ``now``.
    """
    count = 0
    size = 1 if by_row else BLOCK
    before = np.empty((size, history.shape[0]), np.int64)
    stale = np.zeros(history.shape[1], np.bool_)
    for start in range(0, slots.shape[0], size):
        stop = min(start + size, slots.shape[0])
        begin = count
        count = _touch_rows(
            words, slots, start, stop, stamp, by_row, first, live, access, now, count,
            touched, fresh, ends, kinds, rows, before, stale,
        )  # fmt: skip
        fold_rows(words, floats, slots, start, stop, program, columns, column_floats, signs)
        _record(words, begin, count, first, touched, fresh, ends, before, history)
    again, places = np.empty(count, np.int64), np.empty(count, np.int64)
    left = _still_stale(stale, count, touched, ends, again, places)
    _copy(words, again[:left], first, places[:left], history)
    return count


@kernel(void(READ_TABLE, READ_INTS, int64, READ_INTS, TABLE))
def take(
    words: np.ndarray, slots: np.ndarray, first: int, places: np.ndarray, out: np.ndarray
) -> None:
    """Copies the words of slots from word ``first`` on; ``out`` has a row a word.

    ``places`` are the columns of ``out``, best in rising order.
    """
    _copy(words, slots, first, places, out)


@kernel(int64(TABLE, READ_INTS, int64, int64, INTS))
def expire(words: np.ndarray, slots: np.ndarray, access: int, oldest: int, out: np.ndarray) -> int:
    """Slots last written at or before ``oldest``, each once, now marked as new; gives how many."""
    count = 0
    for slot in slots:
        if words[slot, 0] != 0 and words[slot, access] <= oldest:
            words[slot, 0] = 0
            out[count] = slot
            count += 1
    return count


@kernel(int64(TABLE, int64, int64, int64, int64, INTS, INTS))
def sweep(
    words: np.ndarray,
    start: int,
    stop: int,
    access: int,
    oldest: int,
    out: np.ndarray,
    earliest: np.ndarray,
) -> int:
    """As ``expire``, for the slots from ``start`` to ``stop``.

    ``earliest`` (one word) falls to the earliest access of those that stay.
    """
    count = 0
    for slot in range(start, stop):
        if words[slot, 0] != 0:
            if words[slot, access] <= oldest:
                words[slot, 0] = 0
                out[count] = slot
                count += 1
            else:
                earliest[0] = min(earliest[0], words[slot, access])
    return count


@kernel(int64(TABLE, int64, READ_INTS, READ_SIGN, INTS))
def accept(
    words: np.ndarray, live: int, slots: np.ndarray, signs: np.ndarray, rows: np.ndarray
) -> int:
    """Rows but those that take back from a slot that has none; gives how many."""
    count = 0
    for i in range(slots.shape[0]):
        slot = slots[i]
        if signs[i] > 0 or words[slot, live] > 0:
            words[slot, live] += signs[i]
            rows[count] = i
            count += 1
    for j in range(count):
        words[slots[rows[j]], live] -= signs[rows[j]]
    return count
