"""Cells of text: where the values of a column stand in a buffer, before they have a type."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.kernels.utf8 import find_odd
from sameriver.common.text_column import text_column
from sameriver.connectors.formats.kernels.lines import count_byte, last_line

Index = npt.NDArray[np.int64]
Flags = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Data = bytes | bytearray | memoryview
"""A piece of text; nobody changes it while it is read, and nobody keeps it."""


class Kind(IntEnum):
    """What stands in a cell; kernels use the numbers."""

    ABSENT = 0
    NULL = 1
    TEXT = 2
    ESCAPED = 3
    """Text with escapes still in it."""
    NUMBER = 4
    TRUE = 5
    FALSE = 6
    OBJECT = 7
    ARRAY = 8
    BROKEN = 9
    """An object that is malformed within."""


def whole_lines(data: Data) -> Data:
    """The part up to the last line end."""
    end = line_cut(data)
    return data if end == len(data) else data[:end]


def line_cut(data: Data) -> int:
    """Where the last whole line ends; 0: there is none."""
    return int(last_line(bytes_of(data)))


def count(data: Data, byte: int) -> int:
    """How often a byte is there."""
    return int(count_byte(bytes_of(data), byte))


def bytes_of(data: Data) -> Flags:
    """A text as numbers."""
    return np.frombuffer(memoryview(data).toreadonly(), dtype=np.uint8)


def shown(data: Flags, start: int, end: int) -> str:
    """A stretch of a text, for messages."""
    return data[start:end].tobytes().decode("utf-8", errors="replace")


@dataclass(frozen=True, slots=True)
class Cells:
    """One column: ``data[start[i]:end[i]]`` is the text of cell i, ``kind[i]`` what it is.

    Attributes:
        fields: cells of the fields of objects, if they are known already.
        read: the values of cells as ``decode`` needs them, and which can't be read, if that is
            known already.
    """

    data: Flags
    start: Index
    end: Index
    kind: Flags
    fields: tuple[Cells, ...] = ()
    read: tuple[Index, Flags] | None = None

    def __len__(self) -> int:
        return len(self.kind)

    def text(self, position: int) -> str:
        """Text of one cell, for messages."""
        return shown(self.data, int(self.start[position]), int(self.end[position]))

    @property
    def filled(self) -> Mask:
        """Where there is a value."""
        return np.asarray(self.kind > int(Kind.NULL))

    def are(self, kind: Kind) -> Mask:
        """Where such a thing stands."""
        return np.asarray(self.kind == int(kind))

    def take(self, positions: Index) -> Cells:
        return Cells(self.data, self.start[positions], self.end[positions], self.kind[positions])

    def binary(self) -> pl.Series:
        """The raw bytes of each cell (Binary), NULL where there is no value."""
        return text_column(self.data, self.start, self.end, self.kind, text=False)

    def strings(self) -> tuple[pl.Series, Mask]:
        """The text of each cell, and which cells are not UTF-8 (NULL there)."""
        odd: Flags = np.zeros(len(self), dtype=np.uint8)
        made = text_column(self.data, self.start, self.end, self.kind, text=None)
        if made.dtype == pl.String:
            return made, odd.view(np.bool_)
        find_odd(self.data, self.start, self.end, self.kind, odd)
        bad = odd.view(np.bool_)
        kind = np.where(bad, np.uint8(Kind.NULL), self.kind)
        return text_column(self.data, self.start, self.end, kind, text=True), bad
