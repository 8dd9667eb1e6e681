"""Cells of JSON texts: lines, fields of objects, items of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from sameriver.common.types import DataType, Root
from sameriver.connectors.formats.cells import Cells, Data, Flags, Index, Kind, Mask, Text, bytes_of
from sameriver.connectors.formats.decode import TextRules, reading
from sameriver.connectors.formats.kernels.json_escapes import unescape_strings
from sameriver.connectors.formats.kernels.json_items import scan_lists
from sameriver.connectors.formats.kernels.json_scan import scan_objects
from sameriver.connectors.formats.kernels.lines import split_lines
from sameriver.connectors.formats.kernels.value_scan import READ
from sameriver.connectors.formats.scratch import SCRATCH

Fields = Iterable[tuple[str, DataType | None]]
"""Names, and types where there are any."""


def lines(data: Data) -> tuple[Cells, Index, int]:
    """Every line that isn't blank, as an object; its spot; and how many line ends there are.

    What was found in another text by the same thread is good no longer.
    """
    SCRATCH.begin()
    array = bytes_of(data)
    # Lines are mostly longer; no line that counts has less than two bytes.
    for least in (32, 2):
        room = len(array) // least + 1
        number, start, end = (SCRATCH.empty(room, np.int64) for _ in range(3))
        totals = np.empty(3, dtype=np.int64)
        if split_lines(array, number, start, end, totals):
            break
    used, ends, plain = (int(total) for total in totals)
    text = Text(array, plain == 1)
    kind = SCRATCH.full(used, Kind.OBJECT, np.uint8)
    spots = np.column_stack((number[:used], start[:used]))
    return Cells(text, start[:used], end[:used], kind), spots, ends


def fields(cells: Cells, wanted: Fields, rules: TextRules | None) -> tuple[tuple[Cells, ...], Mask]:
    """The wanted fields of objects, with the fields of ROWs among them, and which objects are
    malformed; other cells have no fields.

    Values of some types are read by ``rules`` at once.
    """
    tree = _Tree(wanted, rules)
    names = [name.encode() for name in tree.names]
    bounds = np.cumsum([0, *map(len, names)], dtype=np.int64)
    over, up = np.array(tree.over, dtype=np.int64), np.array(tree.up, dtype=np.int64)
    reads = np.array(tree.reads, dtype=np.int64).reshape(-1, READ)
    shape = (len(names), len(cells))
    start, end = SCRATCH.empty(shape, np.int64), SCRATCH.empty(shape, np.int64)
    kind = SCRATCH.full(shape, Kind.ABSENT, np.uint8)
    values = SCRATCH.empty((len(reads), len(cells)), np.int64)
    odd = SCRATCH.empty(values.shape, np.uint8)
    bad = SCRATCH.full(len(cells), 0, np.uint8)
    text = np.frombuffer(b"".join(names) or b"\0", dtype=np.uint8)
    scan_objects(
        cells.buffer(), cells.start, cells.end, cells.kind, text, bounds, over, up, start, end,
        kind, bad, reads, values, odd,
    )  # fmt: skip
    read = {int(field): (values[turn], odd[turn]) for turn, field in enumerate(reads[:, 0])}

    def gathered(low: int, high: int) -> Iterator[Cells]:
        while low < high:
            inner = tuple(gathered(low + 1, tree.over[low]))
            yield Cells(cells.data, start[low], end[low], kind[low], inner, read.get(low))
            low = tree.over[low]

    return tuple(gathered(0, len(names))), bad.astype(np.bool_)


class _Tree:
    """Fields numbered as ``scan_objects`` takes them."""

    def __init__(self, wanted: Fields, rules: TextRules | None) -> None:
        self.names: list[str] = []
        self.over: list[int] = []
        self.up: list[int] = []
        self.reads: list[tuple[int, ...]] = []
        self._rules = rules
        self._add(wanted, -1)

    def _add(self, wanted: Fields, up: int) -> None:
        for name, type in wanted:
            at = len(self.names)
            self.names.append(name)
            self.up.append(up)
            self.over.append(at)
            if type is not None and type.root is Root.ROW:
                self._add(tuple(zip(type.names, type.children, strict=True)), at)
            elif type is not None and self._rules and (how := reading(type, self._rules)):
                self.reads.append((at, *how))
            self.over[at] = len(self.names)


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
    nested = cells.are(Kind.OBJECT) | cells.are(Kind.ARRAY)
    return int(((cells.end - cells.start)[nested] // 2 + 1).sum())


def unescape(cells: Cells) -> Cells:
    """The same cells, none of them escaped."""
    escaped = cells.are(Kind.ESCAPED)
    if not escaped.any():
        return cells
    # An escape is never shorter than what it stands for.
    out = np.empty(int((cells.end - cells.start)[escaped].sum()), dtype=np.uint8)
    start, end = cells.start.copy(), cells.end.copy()
    used = unescape_strings(cells.buffer(), cells.start, cells.end, cells.kind, out, start, end)
    kind = np.where(escaped, np.uint8(Kind.TEXT), cells.kind)
    return Cells(cells.data.behind(out[:used]), start, end, kind)
