"""Columns of objects, gathered block by block of a text while their cells are in the cache."""

from __future__ import annotations

from typing import Self

import numpy as np
import polars as pl

from sameriver.common.frame_block import STRETCHES, FrameBlock, FrameColumn, FrameLayout
from sameriver.common.number_column import FORMATS
from sameriver.common.types import CHARACTERS, DataType, Root, to_polars
from sameriver.connectors.formats.format import Columns
from sameriver.connectors.formats.json_cells import FieldTree, Scanned
from sameriver.connectors.formats.kernels.gather import NUMBER, ROW, TEXT, gather, measure


class Gatherable:
    """Columns that can be gathered: numbers and times that are read while they are found, texts,
    and ROWs of such.

    Attributes:
        layout: with those of ROWs right after these.
        holds: what ``gather`` is told of each.
        whole: a field that is missing is a fault.
    """

    def __init__(self, tree: FieldTree, wanted: Columns, whole: bool) -> None:
        self.layout = FrameLayout(
            [
                FrameColumn(name, _dtype(type), over, up >= 0 or not _in_part(wanted, name, type))
                for (name, type), over, up in zip(tree.fields, tree.over, tree.up, strict=True)
            ]
        )
        holds = [_holds(type) for _, type in tree.fields]
        told = [holds, tree.turns, self.layout.widths, tree.up]
        self.holds = np.array(told, np.int64).T.copy()
        self.whole = whole


def gatherable(tree: FieldTree, wanted: Columns, whole: bool) -> Gatherable | None:
    """The columns that ``tree`` has numbered, if all of them can be gathered."""
    turns = zip(tree.fields, tree.turns, strict=True)
    fits = all(
        _holds(type) != NUMBER or (turn >= 0 and _dtype(type) in FORMATS)
        for (_, type), turn in turns
    )
    return Gatherable(tree, wanted, whole) if fits and tree.fields else None


def _holds(type: DataType | None) -> int:
    if type is not None and type.root is Root.ROW:
        return ROW
    return TEXT if type is not None and type.root in CHARACTERS else NUMBER


def _dtype(type: DataType | None) -> pl.DataType | type[pl.DataType] | None:
    return None if type is None or type.root is Root.ROW else to_polars(type)


def _in_part(wanted: Columns, name: str, type: DataType | None) -> bool:
    """Whether a column can't be NULL, for only some fields of it are asked for."""
    return _holds(type) == ROW and wanted.in_part(name)


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
        self._sizes = np.empty(len(to.holds), np.int64)

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
            block.stretches, sizes,
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
