"""Columns of objects, gathered block by block of a text while their cells are in the cache."""

from __future__ import annotations

from typing import Self

import numpy as np
import polars as pl

from sameriver.common.frame_block import STRETCHES, FrameBlock, FrameColumn, FrameLayout
from sameriver.common.number_column import FORMATS
from sameriver.common.types import CHARACTERS, DataType, Root, to_polars
from sameriver.connectors.formats.decode import TextRules, reading
from sameriver.connectors.formats.format import Columns
from sameriver.connectors.formats.json_cells import Scanned
from sameriver.connectors.formats.kernels.gather import NUMBER, ROW, TEXT, gather, measure


class Gatherable:
    """Columns that can be gathered: numbers and times that are read while they are found, texts,
    and ROWs of such.

    Attributes:
        layout: with those of ROWs right after these.
        holds: what ``gather`` is told of each.
        whole: a field that is missing is a fault.
    """

    def __init__(self, wanted: Columns, rules: TextRules, whole: bool) -> None:
        self._columns: list[FrameColumn] = []
        self._holds: list[tuple[int, int, int, int]] = []
        self._rules = rules
        self._reads = 0
        for field in wanted.wanted:
            nullable = field.type.root is not Root.ROW or not wanted.in_part(field.name)
            self._add(field.name, field.type, -1, nullable)
        self.layout = FrameLayout(self._columns)
        self.holds = np.array(self._holds, np.int64)
        self.whole = whole

    def _add(self, name: str, type: DataType, up: int, nullable: bool) -> None:
        at = len(self._columns)
        if type.root is Root.ROW:
            self._columns.append(FrameColumn(name, None, at, nullable))
            self._holds.append((ROW, 0, 0, up))
            for inner, child in zip(type.names, type.children, strict=True):
                self._add(inner, child, at, True)
            self._columns[at] = self._columns[at]._replace(over=len(self._columns))
            return
        column = FrameColumn(name, to_polars(type), at + 1, nullable)
        holds = TEXT if type.root in CHARACTERS else NUMBER
        self._columns.append(column)
        self._holds.append((holds, self._reads, column.width, up))
        self._reads += holds == NUMBER


def gatherable(wanted: Columns, rules: TextRules, whole: bool) -> Gatherable | None:
    """The columns, if all of them can be gathered."""
    types = list(wanted.wanted.types)
    if types and all(_fits(type, rules) for type in types):
        return Gatherable(wanted, rules, whole)
    return None


def _fits(type: DataType, rules: TextRules) -> bool:
    if type.root is Root.ROW:
        return all(_fits(child, rules) for child in type.children)
    return type.root in CHARACTERS or (
        reading(type, rules) is not None and to_polars(type) in FORMATS
    )


_FEW = 2
"""Odd blocks that don't count as most."""


class Gathering:
    """Gathers the rows of a text; a context, so that nothing stays if the text can't be read.

    Args:
        to: the columns; None: they can't be gathered.
        size: bytes of the text.
    """

    def __init__(self, to: Gatherable | None, size: int) -> None:
        self._to = to
        self._left = size
        self._now: _Gathered | None = None
        self._frames: list[pl.DataFrame] = []
        self._added = self._put = 0

    def add(self, found: Scanned) -> bool:
        """Adds the objects of the next block; False: ``put`` must follow instead."""
        left, self._left = self._left, self._left - len(found.data)
        if self._to is None:
            return False
        # A block may be far smaller or larger than others, and more of them need a new run anyway.
        times = min(max(left / max(len(found.data), 1), 1.0), STRETCHES)
        if self._now is None or not self._now.fits(found.rows):
            self._end()
            self._now = _Gathered(self._to, int(found.rows * times))
        added = self._now.add(found, times)
        self._added += added
        return added

    @property
    def mostly_odd(self) -> bool:
        """Whether most blocks had to be put, and more than a few."""
        return self._put > max(self._added, _FEW)

    def put(self, frame: pl.DataFrame) -> None:
        """Adds rows that were made otherwise."""
        self._end()
        self._put += 1
        self._frames.append(frame)

    def _end(self) -> None:
        if self._now is not None:
            self._frames.append(self._now.frame())
            self._now = None

    def frame(self) -> pl.DataFrame:
        """All rows; there was a block."""
        self._end()
        frames = [frame for frame in self._frames if frame.height] or self._frames[:1]
        return pl.concat(frames) if len(frames) > 1 else frames[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """What was gathered and not asked for is given back."""
        if self._now is not None:
            self._now.give_back()


class _Gathered:
    """Rows with so much room for them.

    Args:
        to: the columns.
        rows: how many are expected.
    """

    def __init__(self, to: Gatherable, rows: int) -> None:
        self._to = to
        self._block = FrameBlock(to.layout, rows + rows // 8 + 1)
        self._rows = self._blocks = 0
        self._sizes, self._nulls = np.empty((2, len(to.holds)), np.int64)

    def fits(self, rows: int) -> bool:
        return self._rows + rows <= self._block.room and self._blocks < STRETCHES

    def add(self, found: Scanned, times: float) -> bool:
        """Adds objects that fit; False if some need a closer look.

        As many are expected so many times, these included.
        """
        to, tables, rows, sizes = self._to, found.tables, found.rows, self._sizes
        block = self._block
        measure(tables.start, tables.end, tables.kind, tables.room, rows, to.holds, sizes)
        block.make_room(sizes.tolist(), times)
        added = gather(
            found.data, tables.start, tables.end, tables.kind, tables.values, tables.odd,
            tables.bad, tables.room, rows, to.holds, to.whole, block.places, self._rows,
            block.stretches, sizes, self._nulls,
        )  # fmt: skip
        if added:
            block.took(sizes.tolist())
            self._rows += rows
            self._blocks += 1
        return bool(added)

    def frame(self) -> pl.DataFrame:
        return self._block.frame(self._rows)

    def give_back(self) -> None:
        self._block.give_back()
