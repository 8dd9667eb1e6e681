"""Finds the cells of CSV text."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.connectors.formats.kernels.types import (
    BYTES,
    FLAG_TABLE,
    FLAGS,
    INDEX,
    INDEX_TABLE,
)

_NULL, _TEXT, _ESCAPED = 1, 2, 3
TOO_FEW, TOO_MANY, MISQUOTED = 1, 2, 3
_CELL = types.UniTuple(types.int64, 4)


@helper
def quoted(
    data: np.ndarray, at: int, separator: int, quote: int, escape: int
) -> tuple[int, int, int, int]:
    """End, kind, position past and line ends of the quoted cell whose text starts at ``at``.

    Past is -1 if the text ends within the quotes, -2 if something follows the closing quote.
    """
    kind, lines = _TEXT, 0
    while at < data.size:
        byte = np.int64(data[at])
        if byte == escape and at + 1 < data.size:
            kind = _ESCAPED
            at += 2
            continue
        if byte == quote:
            if at + 1 < data.size and data[at + 1] == quote:
                kind = _ESCAPED
                at += 2
                continue
            end = at
            at += 1
            if at == data.size or data[at] == separator or data[at] == 10:
                return end, kind, at, lines
            if data[at] == 13 and (at + 1 == data.size or data[at + 1] == 10):
                return end, kind, at, lines
            return end, kind, -2, lines
        if byte == 10:
            lines += 1
        at += 1
    return at, kind, -1, lines


@helper
def unquoted(data: np.ndarray, at: int, separator: int, escape: int) -> tuple[int, int, int, int]:
    """End, kind, position past (0: same) and 0 of the cell that starts at ``at``."""
    kind = _TEXT
    while at < data.size:
        byte = np.int64(data[at])
        if byte == separator or byte == 10:
            break
        if byte == 13 and (at + 1 == data.size or data[at + 1] == 10):
            break
        if byte == escape and at + 1 < data.size:
            kind = _ESCAPED
            at += 1
        at += 1
    return at, kind, at, 0


@helper
def line_end(data: np.ndarray, at: int) -> int:
    """Position of the next line end, or of the end of the text."""
    while at < data.size and data[at] != 10:
        at += 1
    return at


@helper
def pass_blank(data: np.ndarray, at: int, comments: bool, last: bool) -> int:
    """Past the line at ``at`` if it is blank or a comment, else ``at``; -1 if it isn't whole."""
    empty = data[at] == 10 or (data[at] == 13 and at + 1 < data.size and data[at + 1] == 10)
    if not empty and not (comments and data[at] == 35):
        return at
    at = line_end(data, at)
    if at == data.size:
        return at if last else -1
    return at + 1


@helper
def scan_row(
    data: np.ndarray,
    at: int,
    row: int,
    separator: int,
    quote: int,
    escape: int,
    slots: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
) -> tuple[int, int, int]:
    """Finds the cells of the row at ``at``: where it ends, its line ends, what is wrong with it.

    Past is -1 - the end of the text if that comes within quotes.
    """
    column, total, wrong, width = 0, 0, 0, slots.size
    while True:
        if at < data.size and data[at] == quote:
            first = at + 1
            stop, what, past, lines = quoted(data, first, separator, quote, escape)
            total += lines
        else:
            first = at
            stop, what, past, lines = unquoted(data, first, separator, escape)
        if past == -1:
            return -1 - data.size, total, MISQUOTED
        if past == -2:
            wrong = MISQUOTED
            past = line_end(data, stop)
        if column < width and slots[column] >= 0:
            slot = slots[column]
            start[slot, row], end[slot, row], kind[slot, row] = first, stop, what
        column += 1
        at = past
        if at >= data.size or data[at] != separator:
            break
        at += 1
    if wrong == 0 and column != width:
        wrong = TOO_FEW if column < width else TOO_MANY
    return at, total, wrong


@kernel(
    types.void(
        BYTES, types.boolean, types.int64, types.int64, types.int64, types.boolean,
        INDEX, INDEX_TABLE, INDEX_TABLE, FLAG_TABLE, INDEX, FLAGS, INDEX,
    )
)  # fmt: skip
def scan_rows(
    data: np.ndarray,
    last: bool,
    separator: int,
    quote: int,
    escape: int,
    comments: bool,
    slots: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    place: np.ndarray,
    bad: np.ndarray,
    totals: np.ndarray,
) -> None:
    """Finds the cells of every whole row; blank lines are none.

    ``slots`` says which row of the tables gets the cells of a column; -1: none does. ``place`` gets
    pairs of line number and byte position of each row. ``totals`` says how many rows, bytes and
    line ends are done with, before and after.
    """
    row, at, line = totals[0], totals[1], totals[2]
    while at < data.size:
        past = pass_blank(data, at, comments, last)
        if past < 0:
            return
        if past > at:
            at, line = past, line + 1
            totals[1], totals[2] = at, line
            continue
        past, lines, bad[row] = scan_row(
            data, at, row, separator, quote, escape, slots, start, end, kind
        )
        if past < 0:
            if not last:
                return
            past = -1 - past
        place[2 * row], place[2 * row + 1] = line, at
        if past < data.size and data[past] == 13:
            past += 1
        if past >= data.size and not last:
            return
        line += lines
        at = past
        if at < data.size:
            at, line = at + 1, line + 1
        row += 1
        totals[0], totals[1], totals[2] = row, at, line


@kernel(
    types.int64(
        BYTES, INDEX, INDEX, FLAGS, types.int64, types.int64, FLAGS, INDEX, INDEX
    )
)  # fmt: skip
def unescape_cells(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    quote: int,
    escape: int,
    out: np.ndarray,
    new_start: np.ndarray,
    new_end: np.ndarray,
) -> int:
    """Writes every escaped cell plainly, bounds into ``new_*`` past the end of ``data``."""
    used = 0
    for row in range(start.size):
        if kind[row] != _ESCAPED:
            continue
        new_start[row] = data.size + used
        at = start[row]
        while at < end[row]:
            byte = np.int64(data[at])
            if at + 1 < end[row] and (byte == escape or (byte == quote and data[at + 1] == quote)):
                at += 1
            out[used] = data[at]
            used += 1
            at += 1
        new_end[row] = data.size + used
    return used


@kernel(types.void(BYTES, INDEX, INDEX, FLAGS, BYTES))
def mark_nulls(
    data: np.ndarray, start: np.ndarray, end: np.ndarray, kind: np.ndarray, literal: np.ndarray
) -> None:
    """Makes cells that hold the literal NULL."""
    for row in range(start.size):
        if kind[row] > _NULL and end[row] - start[row] == literal.size:
            k = 0
            while k < literal.size and data[start[row] + k] == literal[k]:
                k += 1
            if k == literal.size:
                kind[row] = _NULL
