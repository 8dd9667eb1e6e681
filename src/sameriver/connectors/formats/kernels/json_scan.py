"""Finds the values of objects without building them: a cell is a start, an end and a kind.

Fields are numbered with those within them right after each: ``over`` is the number after these,
``up`` the field that they are in, or -1. ``names[bounds[i]:bounds[i + 1]]`` is the name of field i,
``turns[i]`` its place among those that are read at once, or -1. ``bad`` is set for an object that
is malformed.
"""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.lanes import load_word
from sameriver.connectors.formats.kernels.json_shapes import (
    CLOSE,
    END,
    OPEN,
    PARTS,
    SHAPES,
    STEPS,
    follow,
    note,
    note_value,
)
from sameriver.connectors.formats.kernels.json_tokens import (
    ABSENT,
    BROKEN,
    DEPTH,
    ESCAPED,
    OBJECT,
    TEXT,
    blank,
    nested,
    string,
    value,
)
from sameriver.connectors.formats.kernels.lines import BEGIN, LINE, USED, line_end
from sameriver.connectors.formats.kernels.types import (
    BYTES,
    FLAG_TABLE,
    FLAGS,
    INDEX,
    INDEX_TABLE,
)
from sameriver.connectors.formats.kernels.value_scan import read_cells

_TURNS = 64
"""How many keys of an object are remembered."""
_CLEARED = 1 << 9
"""Rows that are made absent at a time."""
_KNOWN, _LAST, _TRUST = range(3)
"""What is known of shapes: how many there are, the last one that did fit, and how far they are
trusted: an object that fits gives back a quarter of what one that doesn't takes."""
_FULL = 64
"""The most that shapes are trusted."""


@helper
def alike(data: np.ndarray, one: int, other: int, size: int) -> bool:
    """Whether the same ``size`` bytes stand at two places."""
    k = 0
    while k + 8 <= size:
        if load_word(data, one + k) != load_word(data, other + k):
            return False
        k += 8
    while k < size:
        if data[one + k] != data[other + k]:
            return False
        k += 1
    return True


@helper
def find_name(
    data: np.ndarray,
    at: int,
    end: int,
    names: np.ndarray,
    bounds: np.ndarray,
    over: np.ndarray,
    low: int,
    high: int,
) -> int:
    """Which field from ``low`` up to ``high`` has the name ``data[at:end]``; -1: none."""
    field = low
    while field < high:
        place = bounds[field]
        if bounds[field + 1] - place == end - at:
            k = 0
            while k < end - at and names[place + k] == data[at + k]:
                k += 1
            if k == end - at:
                return field
        field = over[field]
    return -1


@helper
def find_key(
    data: np.ndarray,
    at: int,
    to: int,
    parent: int,
    turn: int,
    names: np.ndarray,
    bounds: np.ndarray,
    over: np.ndarray,
    seen: np.ndarray,
) -> tuple[int, int]:
    """Where the value of the key at ``at`` begins, -1 if that is malformed, and its field, or -1.

    ``seen`` holds of each key of an object before, in turn: where it stands, its size up to the
    value, its parent and its field. Objects are often alike: then no name is looked up.
    """
    known = turn < seen.shape[0]
    if known and seen[turn, 2] == parent:
        size = seen[turn, 1]
        if at + size < to and alike(data, seen[turn, 0], at, size):
            return blank(data, at + size, to), seen[turn, 3]
    if at >= to or data[at] != 34:
        return -1, -1
    past, _ = string(data, at, to)
    if past < 0:
        return -1, -1
    low, high = (0, over.size) if parent < 0 else (parent + 1, over[parent])
    field = find_name(data, at + 1, past - 1, names, bounds, over, low, high)
    past = blank(data, past, to)
    if past >= to or data[past] != 58:
        return -1, -1
    past = blank(data, past + 1, to)
    if known:
        seen[turn, 0], seen[turn, 1], seen[turn, 2], seen[turn, 3] = at, past - at, parent, field
    return past, field


@helper
def put(
    field: int,
    row: int,
    what: int,
    at: int,
    past: int,
    over: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    pen: np.ndarray,
) -> None:
    """Notes the value of a field. If there was one before, it and its fields are forgotten."""
    if kind[field, row] != ABSENT:
        pen[1] = -1
        for inner in range(field + 1, over[field]):
            kind[inner, row] = ABSENT
    quote = 1 if what in (TEXT, ESCAPED) else 0
    start[field, row], end[field, row], kind[field, row] = at + quote, past - quote, what


@helper
def scan_object(
    data: np.ndarray,
    at: int,
    to: int,
    row: int,
    names: np.ndarray,
    bounds: np.ndarray,
    over: np.ndarray,
    up: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    seen: np.ndarray,
    stack: np.ndarray,
    shape: np.ndarray,
    pen: np.ndarray,
) -> bool:
    """Finds the wanted fields of one object and of objects in it; False if it is malformed.

    Its shape is noted, if it has one.
    """
    pen[0], pen[1] = at, 0
    at = blank(data, at, to)
    if at >= to or data[at] != 123:
        return False
    parent, turn, opened = -1, 0, True
    at = blank(data, at + 1, to)
    while True:
        past = at
        if not (opened and at < to and data[at] == 125):
            at, field = find_key(data, at, to, parent, turn, names, bounds, over, seen)
            turn += 1
            if at >= 0 and field >= 0 and over[field] > field + 1 and at < to and data[at] == 123:
                put(field, row, OBJECT, at, at, over, start, end, kind, pen)
                note(shape, pen, at + 1, at + 1, OPEN, field)
                parent, opened = field, True
                at = blank(data, at + 1, to)
                continue
            past, what = value(data, at, to, stack) if at >= 0 else (-1, ABSENT)
            if past >= 0:
                if field >= 0:
                    put(field, row, what, at, past, over, start, end, kind, pen)
                note_value(shape, pen, at, past, what, field)
                past = blank(data, past, to)
        while past < 0 or past >= to or data[past] != 44:
            # The object ends here, or is malformed.
            if 0 <= past < to and data[past] == 125:
                past += 1
            else:
                pen[1] = -1
                parent, past = blame(data, to, row, parent, over, up, start, kind, stack)
            if parent < 0:
                note(shape, pen, past, past, END, -1)
                return past >= 0 and blank(data, past, to) == to
            end[parent, row] = past
            note(shape, pen, past, past, CLOSE, parent)
            parent = up[parent]
            past = blank(data, past, to)
        at, opened = blank(data, past + 1, to), False


@helper
def blame(
    data: np.ndarray,
    to: int,
    row: int,
    parent: int,
    over: np.ndarray,
    up: np.ndarray,
    start: np.ndarray,
    kind: np.ndarray,
    stack: np.ndarray,
) -> tuple[int, int]:
    """The innermost object around a malformed one whose brackets match, and past it.

    It is broken, and none of its fields is known. -1, -1: there is none.
    """
    while parent >= 0:
        past = nested(data, start[parent, row], to, stack)
        if past >= 0:
            for inner in range(parent + 1, over[parent]):
                kind[inner, row] = ABSENT
            kind[parent, row] = BROKEN
            return parent, past
        parent = up[parent]
    return -1, -1


@helper
def scan_alike(
    data: np.ndarray,
    at: int,
    to: int,
    lined: bool,
    row: int,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    stack: np.ndarray,
    shapes: np.ndarray,
    turns: np.ndarray,
    reads: np.ndarray,
    values: np.ndarray,
    odd: np.ndarray,
    minutes: np.ndarray,
    tried: np.ndarray,
) -> int:
    """Scans an object by a shape of one before, the latest first.

    Where it ends: at ``to`` or, if it is ``lined``, at a line end; -1: no shape fits.
    """
    known, last = tried[_KNOWN], tried[_LAST]
    for turn in range(known if tried[_TRUST] > 0 else 0):
        which = last - turn if turn <= last else last - turn + known
        past = follow(
            data, at, to, row, start, end, kind, stack, shapes[which], turns, reads, values, odd,
            minutes,
        )  # fmt: skip
        while 0 <= past < to and (data[past] == 32 or data[past] == 13 or data[past] == 9):
            past += 1
        if past == to or (lined and past >= 0 and data[past] == 10):
            tried[_LAST], tried[_TRUST] = which, min(tried[_TRUST] + 1, _FULL)
            return past
    tried[_TRUST] -= 4
    kind[:, row] = ABSENT
    return -1


@helper
def scan_anew(
    data: np.ndarray,
    at: int,
    to: int,
    row: int,
    names: np.ndarray,
    bounds: np.ndarray,
    over: np.ndarray,
    up: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    seen: np.ndarray,
    stack: np.ndarray,
    shapes: np.ndarray,
    pen: np.ndarray,
    tried: np.ndarray,
) -> bool:
    """As ``scan_object``; its shape is known then."""
    known = tried[_KNOWN]
    slot = known if known < SHAPES else row % SHAPES
    good = scan_object(
        data, at, to, row, names, bounds, over, up, start, end, kind, seen, stack, shapes[slot],
        pen,
    )  # fmt: skip
    if pen[1] > 0 and good:
        tried[_KNOWN], tried[_LAST] = max(known, slot + 1), slot
    else:
        shapes[slot, 0, 0] = -1
    return good


@helper
def clear(
    row: int, upto: int, kind: np.ndarray, bad: np.ndarray, values: np.ndarray, odd: np.ndarray
) -> None:
    """Makes all cells of some rows absent."""
    kind[:, row:upto], bad[row:upto] = ABSENT, 0
    values[:, row:upto], odd[:, row:upto] = 0, 0


@kernel(
    types.boolean(
        BYTES, INDEX, INDEX, INDEX, FLAGS, INDEX, BYTES, INDEX, INDEX, INDEX, INDEX_TABLE,
        INDEX_TABLE, FLAG_TABLE, FLAGS, INDEX_TABLE, INDEX, INDEX_TABLE, FLAG_TABLE,
    )
)  # fmt: skip
def scan_objects(
    data: np.ndarray,
    number: np.ndarray,
    from_: np.ndarray,
    to: np.ndarray,
    what: np.ndarray,
    found: np.ndarray,
    names: np.ndarray,
    bounds: np.ndarray,
    over: np.ndarray,
    up: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    bad: np.ndarray,
    reads: np.ndarray,
    turns: np.ndarray,
    values: np.ndarray,
    odd: np.ndarray,
) -> bool:
    """Finds the wanted fields of cells that are objects; others stay absent.

    ``found`` is what is known of the lines of the text: the first cells are given, lines that
    follow become cells too, as ``split_lines`` has it, and are objects. An object that looks like
    one before ends its line itself, so that no line is looked through twice. ``values`` and ``odd``
    are what ``read_cells`` reads. False: there are more lines than places.
    """
    seen = np.full((_TURNS, 4), -2, dtype=np.int64)
    stack = np.empty(DEPTH, dtype=np.uint8)
    shapes = np.empty((SHAPES, STEPS, PARTS), dtype=np.int64)
    pen, tried = np.empty(2, dtype=np.int64), np.array([0, 0, _FULL])
    minutes = np.zeros((reads.shape[0], 3), dtype=np.uint64)
    row, given, line, begin = 0, found[USED], found[LINE], found[BEGIN]
    while row < given or begin < data.size:
        lined, at, stop = row >= given, begin, data.size
        if lined:
            after = begin + (data[begin] == 13)
            if after == data.size or data[after] == 10:
                line, begin = line + 1, after + 1
                continue
            if row == number.size:
                return False
            number[row], from_[row], what[row] = line, begin, OBJECT
        else:
            at, stop = from_[row], to[row]
        if row % _CLEARED == 0:
            clear(row, row + _CLEARED, kind, bad, values, odd)
        past = -1
        if what[row] == OBJECT:
            past = scan_alike(
                data, at, stop, lined, row, start, end, kind, stack, shapes, turns, reads, values,
                odd, minutes, tried,
            )  # fmt: skip
        if lined:
            after = past if past >= 0 else line_end(data, begin)
            stop = after - 1 if data[after - 1] == 13 else after
            to[row], line, begin = stop, line + 1, after + 1
        if what[row] == OBJECT and past < 0:
            bad[row] = not scan_anew(
                data, at, stop, row, names, bounds, over, up, start, end, kind, seen, stack,
                shapes, pen, tried,
            )  # fmt: skip
            read_cells(data, row, start, end, kind, reads, values, odd, minutes)
        row += 1
    found[USED], found[LINE], found[BEGIN] = row, line, begin
    return True
