"""Cells of JSON texts: lines, fields of objects, items of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    for room in _rooms(array):
        SCRATCH.begin()
        places, found = Lines(room), np.zeros(FOUND, dtype=np.int64)
        if split_lines(array, places.number, places.start, places.end, found):
            break
    places.kind.fill(Kind.OBJECT)
    return *places.cells(array, int(found[USED])), _ends(array, found)


def _ends(array: Flags, found: Index) -> int:
    """How many line ends a text has; its last line may have none."""
    return int(found[LINE]) - int(found[BEGIN] > len(array))


def _rooms(array: Flags) -> Iterator[int]:
    """For how many lines there should be room: at first a guess from the first of them."""
    sample = array[:_SAMPLE]
    ends = count_byte(sample, ord("\n")) + 8
    room = ends * len(array) * 5 // (4 * max(len(sample), 1)) + 8
    while True:
        yield room
        room *= 2


class Lines:
    """Places for lines: number, first byte, end and kind of each."""

    def __init__(self, room: int) -> None:
        self._places = SCRATCH.empty((3, room), np.int64)
        self.number, self.start, self.end = self._places
        self.kind = SCRATCH.empty(room, np.uint8)

    def cells(self, array: Flags, rows: int) -> tuple[Cells, Index]:
        """The first of them and their spots."""
        cells = Cells(array, self.start[:rows], self.end[:rows], self.kind[:rows])
        return cells, self._places[:2, :rows].T


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


class Scanned(NamedTuple):
    """What a ``Scanner`` found in a text.

    Attributes:
        data: the text.
        places: where the objects are.
        tables: where the wanted fields are.
        rows: how many objects.
        ends: how many line ends.
    """

    data: Flags
    places: Lines
    tables: Tables
    rows: int
    ends: int

    def objects(self) -> Objects:
        """The objects."""
        cells = self.places.cells(self.data, self.rows)
        return Objects(*cells, *self.tables.fields(self.data, self.rows))


class Scanner:
    """Scans texts one after the other, in memory of its thread.

    What it or another of the same thread found is good no longer when it scans the next.
    """

    def __init__(self, tree: FieldTree) -> None:
        self._tree = tree
        self._room = 0

    def scan(self, data: Data) -> Scanned:
        array, found = bytes_of(data), np.zeros(FOUND, dtype=np.int64)
        rooms = _rooms(array)
        if not self._room:
            self._make(next(rooms))
        while not self._tables.scan(array, self._places, found):
            self._make(max(2 * self._room, next(rooms)))
            found[:] = 0
        return Scanned(array, self._places, self._tables, int(found[USED]), _ends(array, found))

    def _make(self, room: int) -> None:
        SCRATCH.begin()
        self._room = room
        self._places, self._tables = Lines(room), Tables(self._tree, room)


def fields(cells: Cells, wanted: Fields, rules: TextRules | None) -> tuple[tuple[Cells, ...], Mask]:
    """The wanted fields of objects, with the fields of ROWs among them, and which objects are
    malformed; other cells have no fields.

    Values of some types are read by ``rules`` at once.
    """
    rows, tables = len(cells), Tables(FieldTree(wanted, rules), len(cells))
    found = np.zeros(FOUND, dtype=np.int64)
    found[USED], found[BEGIN] = rows, len(cells.data)
    tables.scan(cells.data, cells, found)
    return tables.fields(cells.data, rows)


_NO_LINES = np.empty(0, np.int64)


class FieldTree:
    """Fields numbered as ``scan_objects`` takes them, those within a ROW right after it.

    Attributes:
        fields: their names and types.
        over: for each field the number after those within it.
        up: for each field the one that it is in, or -1.
        reads: which fields are read at once, and how.
        turns: for each field where it is among these, or -1.
        told: names, their bounds, ``over`` and ``up``, as arrays.
        how: ``reads`` and ``turns``, as arrays.
    """

    def __init__(self, wanted: Fields, rules: TextRules | None) -> None:
        self.fields: list[tuple[str, DataType | None]] = []
        self.over: list[int] = []
        self.up: list[int] = []
        self.reads: list[tuple[int, ...]] = []
        self.turns: list[int] = []
        self._rules = rules
        self._add(wanted, -1)
        names = [name.encode() for name, _ in self.fields]
        bounds = np.cumsum([0, *map(len, names)], dtype=np.int64)
        text = np.frombuffer(b"".join(names) or b"\0", dtype=np.uint8)
        self.told = text, bounds, np.array(self.over, np.int64), np.array(self.up, np.int64)
        reads = np.array(self.reads, np.int64).reshape(-1, READ)
        self.how = reads, np.array(self.turns, np.int64)

    def _add(self, wanted: Fields, up: int) -> None:
        for name, type in wanted:
            at = len(self.fields)
            self.fields.append((name, type))
            self.up.append(up)
            self.over.append(at)
            self.turns.append(-1)
            if type is not None and type.root is Root.ROW:
                self._add(tuple(zip(type.names, type.children, strict=True)), at)
            elif type is not None and self._rules and (how := reading(type, self._rules)):
                self.turns[at] = len(self.reads)
                self.reads.append((at, *how))
            self.over[at] = len(self.fields)


class Tables:
    """Where ``scan_objects`` puts what it finds: fields by rows, one behind the other.

    Attributes:
        start, end, kind: of the cells.
        values, odd: of those that are read at once.
        bad: which objects are malformed.
        room: rows that there is room for.
    """

    def __init__(self, tree: FieldTree, room: int) -> None:
        self._tree = tree
        self.room = room
        fields, reads = (len(tree.over), room), (len(tree.reads), room)
        start, end = SCRATCH.empty((2, *fields), np.int64)
        self._cells = start, end, SCRATCH.empty(fields, np.uint8)
        self._read = SCRATCH.empty(reads, np.int64), SCRATCH.empty(reads, np.uint8)
        self.start, self.end, self.kind = (table.reshape(-1) for table in self._cells)
        self.values, self.odd = (table.reshape(-1) for table in self._read)
        self.bad = SCRATCH.empty(room, np.uint8)

    def scan(self, array: Flags, cells: Lines | Cells, found: Index) -> bool:
        """Scans; False: there are more rows than places for them."""
        number = cells.number if isinstance(cells, Lines) else _NO_LINES
        return scan_objects(
            array, number, cells.start, cells.end, cells.kind, found, *self._tree.told,
            *self._cells, self.bad, *self._tree.how, *self._read,
        )  # fmt: skip

    def fields(self, data: Flags, rows: int) -> tuple[tuple[Cells, ...], Mask]:
        """The fields of the first rows, and which rows are malformed."""
        over, turns = self._tree.over, self._tree.turns

        def gathered(low: int, high: int) -> Iterator[Cells]:
            while low < high:
                inner, turn = tuple(gathered(low + 1, over[low])), turns[low]
                start, end, kind = (table[low, :rows] for table in self._cells)
                values, odd = self._read
                read = None if turn < 0 else (values[turn, :rows], odd[turn, :rows])
                yield Cells(data, start, end, kind, inner, read)
                low = over[low]

        return tuple(gathered(0, len(over))), self.bad[:rows].view(np.bool_)


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
