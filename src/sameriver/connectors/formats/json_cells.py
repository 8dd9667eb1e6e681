"""Cells of JSON texts: lines, fields of objects, items of arrays."""

from __future__ import annotations

import numpy as np

from sameriver.connectors.formats.cells import Cells, Flags, Index, Kind, Mask, Text
from sameriver.connectors.formats.kernels.json_scan import (
    scan_lists,
    scan_objects,
    unescape_strings,
)
from sameriver.connectors.formats.parallel import each


def lines(data: bytes) -> tuple[Cells, Index]:
    """Every line that isn't blank, as an object, and its spot."""
    text = Text(data)
    raw = text.array
    ends = np.flatnonzero(raw == 10)
    if len(raw) and (not len(ends) or ends[-1] != len(raw) - 1):
        ends = np.append(ends, len(raw))
    starts = np.empty_like(ends)
    starts[:1] = 0
    starts[1:] = ends[:-1] + 1
    returns = (ends > starts) & (raw[np.maximum(ends - 1, 0)] == 13)
    ends = ends - returns
    numbers = np.flatnonzero(ends > starts)
    kind = np.full(len(numbers), Kind.OBJECT, dtype=np.uint8)
    starts = starts[numbers]
    return Cells(text, starts, ends[numbers], kind), np.column_stack((numbers, starts))


_SHARE = 1 << 14
"""Objects that are worth a thread."""


def fields(cells: Cells, names: tuple[str, ...], *, threads: int = 1) -> tuple[list[Cells], Mask]:
    """The named fields of objects, and which cells are malformed; other cells have none."""
    encoded = [name.encode() for name in names]
    bounds = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    shape = (len(names), len(cells))
    start, end = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    kind = np.zeros(shape, dtype=np.uint8)
    bad = np.zeros(len(cells), dtype=np.uint8)
    wanted = np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)

    def scan(part: tuple[int, int]) -> None:
        scan_objects(
            cells.buffer(), cells.start, cells.end, cells.kind, *part, wanted, bounds,
            start, end, kind, bad,
        )  # fmt: skip

    share = max(_SHARE, -(-len(cells) // threads))
    parts = [(low, min(low + share, len(cells))) for low in range(0, len(cells), share)]
    if len(parts) > 1:
        each(scan, parts)
    else:
        scan((0, len(cells)))
    columns = [Cells(cells.data, start[i], end[i], kind[i]) for i in range(len(names))]
    return columns, bad.astype(np.bool_)


def items(cells: Cells, pairs: bool = False) -> tuple[Cells, Index, Mask]:
    """The items of arrays (``pairs``: keys and values of objects, in turn), their bounds, and
    which cells are malformed."""
    room = _most_items(cells)
    start, end = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    kind: Flags = np.empty(room, dtype=np.uint8)
    bounds = np.empty(len(cells) + 1, dtype=np.int64)
    bad = np.zeros(len(cells), dtype=np.uint8)
    count = scan_lists(
        cells.buffer(), cells.start, cells.end, cells.kind, pairs, start, end, kind, bounds, bad
    )
    return (
        Cells(cells.data, start[:count], end[:count], kind[:count]),
        bounds,
        bad.astype(np.bool_),
    )


def _most_items(cells: Cells) -> int:
    """No array has more items than half its bytes."""
    nested = (cells.kind == Kind.OBJECT) | (cells.kind == Kind.ARRAY)
    return int(((cells.end - cells.start)[nested] // 2 + 1).sum())


def unescape(cells: Cells) -> Cells:
    """The same cells, none of them escaped."""
    escaped = cells.kind == Kind.ESCAPED
    if not escaped.any():
        return cells
    # An escape is never shorter than what it stands for.
    out = np.empty(int((cells.end - cells.start)[escaped].sum()), dtype=np.uint8)
    start, end = cells.start.copy(), cells.end.copy()
    used = unescape_strings(cells.buffer(), cells.start, cells.end, cells.kind, out, start, end)
    kind = np.where(escaped, np.uint8(Kind.TEXT), cells.kind)
    return Cells(Text(cells.data.raw + out[:used].tobytes()), start, end, kind)
