"""Objects that look like one before: only what stands between their fixed parts is scanned.

The shape of an object is a list of steps. Each has bytes that are the same in all objects of the
shape - keys, punctuation, ``null`` - and what comes right after them. Machines write objects, so
most rows of a file have one of few shapes, and their fixed parts are compared many bytes at a time.
"""

from __future__ import annotations

import numpy as np

from sameriver.common.kernel import helper
from sameriver.common.kernels.lanes import LANES, same
from sameriver.connectors.formats.kernels.json_tokens import (
    ARRAY,
    ESCAPED,
    FALSE,
    NUMBER,
    OBJECT,
    TEXT,
    nested,
    number,
    string,
)
from sameriver.connectors.formats.kernels.value_scan import read_known, short_number

SHAPES = 4
"""How many shapes are known at a time."""
STEPS = 128
"""Steps of a shape; an object that needs more has none."""
PARTS = 4
"""Of a step: place and size of its bytes, what follows them, and its field, or -1."""
OPEN, CLOSE, MORE, END = range(10, 14)
"""What follows, besides kinds of cells: an object's fields, what is after it, the next step,
nothing. ``null``, ``true`` and ``false`` belong to the bytes of their step."""


@helper
def note(shape: np.ndarray, pen: np.ndarray, at: int, past: int, what: int, field: int) -> None:
    """Adds a step whose bytes end at ``at``; those of the next begin at ``past``.

    ``pen`` is where its bytes begin, and how many steps there are, -1 if it is no shape.
    """
    while pen[1] >= 0:
        used, size = pen[1], at - pen[0]
        pen[1] = used + 1 if used + 1 < STEPS else -1
        shape[used, 0], shape[used, 1] = pen[0], min(size, LANES)
        if size > LANES:
            shape[used, 2], shape[used, 3] = MORE, -1
            pen[0] += LANES
            continue
        shape[used, 2], shape[used, 3] = what, field
        pen[0] = past
        return


@helper
def note_value(
    shape: np.ndarray, pen: np.ndarray, at: int, past: int, what: int, field: int
) -> None:
    """Adds the steps of a value."""
    if what in (TEXT, ESCAPED):
        note(shape, pen, at + 1, past, TEXT, field)
    elif what in (NUMBER, OBJECT, ARRAY):
        note(shape, pen, at, past, what, field)
    elif field >= 0:
        note(shape, pen, past, past, what, field)


@helper
def follow(
    data: np.ndarray,
    at: int,
    to: int,
    row: int,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    stack: np.ndarray,
    shape: np.ndarray,
    turns: np.ndarray,
    reads: np.ndarray,
    values: np.ndarray,
    odd: np.ndarray,
    minutes: np.ndarray,
) -> int:
    """Finds the wanted fields of an object that has a shape; past it, -1 if it hasn't.

    Fields with a turn are read at once, as ``read_cells`` does it; other values stay as they are.
    """
    step = 0
    while True:
        place, size, what, field = shape[step, 0], shape[step, 1], shape[step, 2], shape[step, 3]
        if place < 0 or max(at, place) + LANES > data.size:
            return -1
        if ~same(data, at, place) << np.uint64(64 - size):
            return -1
        at += size
        step += 1
        past, stop, begin, count, whole = at, at, at, 0, 0
        if what == TEXT:
            past, what = string(data, at - 1, to)
            stop = past - 1
        elif what == NUMBER:
            count, whole = short_number(data, at)
            stop = past = at + count if count else number(data, at, to)
        elif what in (OBJECT, ARRAY):
            opens = at < to and data[at] == (123 if what == OBJECT else 91)
            stop = past = nested(data, at, to, stack) if opens else -1
        elif what <= FALSE:
            begin = at - (5 if what == FALSE else 4)
        elif what == END:
            return at
        else:
            if what == OPEN:
                start[field, row], kind[field, row] = at - 1, OBJECT
            elif what == CLOSE:
                end[field, row] = at
            continue
        if past < 0:
            return -1
        if field >= 0:
            start[field, row], end[field, row], kind[field, row] = begin, stop, what
            turn = turns[field]
            if turn >= 0:
                values[turn, row], odd[turn, row] = read_known(
                    data, begin, stop, what, count, whole, turn, reads, minutes
                )
        at = past
