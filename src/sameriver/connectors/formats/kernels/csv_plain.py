"""Finds the cells of plain CSV text, many bytes at a time."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.lanes import LANES, equal, first
from sameriver.connectors.formats.kernels.types import BYTES, FLAG_TABLE, INDEX, INDEX_TABLE

_TEXT, _ESCAPED = 2, 3


@helper
def ends_cell(data: np.ndarray, at: int, separator: int) -> bool:
    """Whether a quoted cell may end right before ``at``; False also if the text ends there."""
    if at >= data.size:
        return False
    if data[at] == separator or data[at] == 10:
        return True
    return data[at] == 13 and at + 1 < data.size and data[at + 1] == 10


@kernel(
    types.void(
        BYTES, types.int64, types.int64, INDEX, INDEX_TABLE, INDEX_TABLE, FLAG_TABLE, INDEX,
        INDEX,
    )
)  # fmt: skip
def scan_plain(
    data: np.ndarray,
    separator: int,
    quote: int,
    slots: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    place: np.ndarray,
    totals: np.ndarray,
) -> None:
    """Finds cells as ``scan_rows`` does, and stops before the first row that isn't plain.

    Plain rows are whole, have the right number of cells, and nothing after a closing quote.
    Rows among the last few bytes are left.
    """
    mark = quote if quote >= 0 else separator
    column, opened, begin, lines = 0, 0, 0, 0
    inside, closed, pair, what = False, -1, -1, _TEXT
    for begun in range(0, data.size - LANES + 1, LANES):
        found = equal(data, begun, separator) | equal(data, begun, 10) | equal(data, begun, mark)
        while found:
            at = begun + first(found)
            found &= found - np.uint64(1)
            byte = np.int64(data[at])
            if inside:
                if byte == 10:
                    lines += 1
                elif byte == quote and at != pair:
                    if at + 1 < data.size and data[at + 1] == quote:
                        pair, what = at + 1, _ESCAPED
                    elif ends_cell(data, at + 1, separator):
                        inside, closed = False, at
                    else:
                        return
                continue
            if byte == quote:
                # within a cell that isn't quoted it is text
                inside = at == opened
                continue
            stop, text = at, opened
            if closed >= 0:
                stop, text = closed, opened + 1
            elif byte == 10 and at > opened and data[at - 1] == 13:
                stop = at - 1
            if (byte == 10) != (column == slots.size - 1):
                return
            if byte == 10 and column == 0 and stop == opened:
                return
            slot = slots[column]
            if slot >= 0:
                row = totals[0]
                start[slot, row], end[slot, row], kind[slot, row] = text, stop, what
            column, opened, closed, what = column + 1, at + 1, -1, _TEXT
            if byte == 10:
                place[2 * totals[0]], place[2 * totals[0] + 1] = totals[2], begin
                column, begin = 0, at + 1
                totals[0], totals[1], totals[2] = totals[0] + 1, at + 1, totals[2] + lines + 1
                lines = 0
