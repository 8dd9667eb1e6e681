"""Cells of JSON texts: lines, fields of objects, items of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from sameriver.common.types import DataType, Root
from sameriver.connectors.formats.cells import Cells, Data, Flags, Index, Kind, Mask, bytes_of
from sameriver.connectors.formats.decode import TextRules, reading
from sameriver.connectors.formats.kernels.json_escapes import unescape_strings
from sameriver.connectors.formats.kernels.json_items import scan_lists
from sameriver.connectors.formats.kernels.json_scan import scan_objects
from sameriver.connectors.formats.kernels.lines import (
    BEGIN,
    FOUND,
    LINE,
    USED,
    count_byte,
    split_lines,
)
from sameriver.connectors.formats.kernels.value_scan import READ
from sameriver.connectors.formats.scratch import SCRATCH

Fields = Iterable[tuple[str, DataType | None]]
"""Names, and types where there are any."""

_SAMPLE = 1 << 16
"""Bytes that tell how long lines are."""


def lines(data: Data) -> tuple[Cells, Index, int]:
    """Every line that isn't blank, as an object; its spot; and how many line ends there are.

    What was found in another text by the same thread is good no longer.
    """
    array = bytes_of(data)
    return _found(
        array, lambda number, start, end, _, found: split_lines(array, number, start, end, found)
    )


class Objects(NamedTuple):
    """Objects of a text, at most one a line.

    Attributes:
        cells: where they are.
        spots: line and first byte of each.
        fields: the wanted fields, with the fields of ROWs among them.
        malformed: which of them are no objects.
    """

    cells: Cells
    spots: Index
    fields: tuple[Cells, ...]
    malformed: Mask


def objects(data: Data, wanted: Fields, rules: TextRules) -> tuple[Objects, int]:
    """The objects of a text and how many line ends it has; as ``lines`` and ``fields`` have it."""
    array, tree = bytes_of(data), _Tree(wanted, rules)
    scan: _Scan

    def find(number: Index, start: Index, end: Index, kind: Flags, found: Index) -> bool:
        nonlocal scan
        scan = _Scan(tree, len(kind))
        return scan.run(array, number, start, end, kind, found)

    cells, spots, ends = _found(array, find)
    return Objects(cells, spots, *scan.fields(cells.data, len(cells))), ends


def fields(cells: Cells, wanted: Fields, rules: TextRules | None) -> tuple[tuple[Cells, ...], Mask]:
    """The wanted fields of objects, with the fields of ROWs among them, and which objects are
    malformed; other cells have no fields.

    Values of some types are read by ``rules`` at once.
    """
    rows, scan = len(cells), _Scan(_Tree(wanted, rules), len(cells))
    found = np.zeros(FOUND, dtype=np.int64)
    found[USED], found[BEGIN] = rows, len(cells.data)
    scan.run(cells.data, _NO_LINES, cells.start, cells.end, cells.kind, found)
    return scan.fields(cells.data, rows)


_NO_LINES = np.empty(0, np.int64)


def _found(
    array: Flags, find: Callable[[Index, Index, Index, Flags, Index], bool]
) -> tuple[Cells, Index, int]:
    """What ``lines`` gives; ``find`` is asked with more places until it has enough."""
    SCRATCH.begin()
    for room in _rooms(array):
        number, start, end = places = SCRATCH.empty((3, room), np.int64)
        kind, found = SCRATCH.full(room, Kind.OBJECT, np.uint8), np.zeros(FOUND, dtype=np.int64)
        if find(number, start, end, kind, found):
            break
    used = int(found[USED])
    cells = Cells(array, start[:used], end[:used], kind[:used])
    # The last line may have no end.
    ends = int(found[LINE]) - int(found[BEGIN] > len(array))
    return cells, places[:2, :used].T, ends


def _rooms(array: Flags) -> Iterator[int]:
    """For how many lines there should be room: at first a guess from the first of them."""
    sample = array[:_SAMPLE]
    ends = count_byte(sample, ord("\n")) + 8
    yield ends * len(array) * 5 // (4 * max(len(sample), 1)) + 8
    # No line that counts has less than two bytes.
    yield len(array) // 2 + 1


class _Scan:
    """Where ``scan_objects`` puts what it finds of so many rows."""

    def __init__(self, tree: _Tree, rows: int) -> None:
        self._tree = tree
        shape = (len(tree.names), rows)
        self._start, self._end = SCRATCH.empty(shape, np.int64), SCRATCH.empty(shape, np.int64)
        self._kind = SCRATCH.empty(shape, np.uint8)
        self._values = SCRATCH.empty((len(tree.reads), rows), np.int64)
        self._odd = SCRATCH.empty(self._values.shape, np.uint8)
        self._bad = SCRATCH.empty(rows, np.uint8)

    def run(
        self, array: Flags, number: Index, start: Index, end: Index, kind: Flags, found: Index
    ) -> bool:
        """Scans; False: there are more rows than places for them."""
        names = [name.encode() for name in self._tree.names]
        bounds = np.cumsum([0, *map(len, names)], dtype=np.int64)
        text = np.frombuffer(b"".join(names) or b"\0", dtype=np.uint8)
        over, up = np.array(self._tree.over, np.int64), np.array(self._tree.up, np.int64)
        reads = np.array(self._tree.reads, np.int64).reshape(-1, READ)
        return scan_objects(
            array, number, start, end, kind, found, text, bounds, over, up, self._start,
            self._end, self._kind, self._bad, reads, self._values, self._odd,
        )  # fmt: skip

    def fields(self, text: Flags, rows: int) -> tuple[tuple[Cells, ...], Mask]:
        """The fields of the first rows, and which rows are malformed."""
        over = self._tree.over
        read = {
            field: (self._values[turn, :rows], self._odd[turn, :rows])
            for turn, (field, *_) in enumerate(self._tree.reads)
        }

        def gathered(low: int, high: int) -> Iterator[Cells]:
            while low < high:
                inner = tuple(gathered(low + 1, over[low]))
                start, end = self._start[low, :rows], self._end[low, :rows]
                yield Cells(text, start, end, self._kind[low, :rows], inner, read.get(low))
                low = over[low]

        return tuple(gathered(0, len(over))), self._bad[:rows].view(np.bool_)


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
        cells.data, cells.start, cells.end, cells.kind, pairs, start, end, kind, bounds, bad
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
    used = unescape_strings(cells.data, cells.start, cells.end, cells.kind, out, start, end)
    kind = np.where(escaped, np.uint8(Kind.TEXT), cells.kind)
    return Cells(np.concatenate((cells.data, out[:used])), start, end, kind)
