"""Frames whose columns lie in one block of memory, which kernels fill some rows at a time.

To make a column of Polars takes tens of calls of Python. For small pieces of text that is more than
to read them; so all columns of a frame are handed over at once.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from sameriver.common.arrow_column import NO_NAME, NULLABLE, Exported, Format, Words, block
from sameriver.common.kernel import address
from sameriver.common.kernels.memory import release_array, release_schema
from sameriver.common.kernels.text_views import VIEW
from sameriver.common.number_column import FORMATS

_ROW, _TEXT = ctypes.create_string_buffer(b"+s"), ctypes.create_string_buffer(b"vu")
_SCHEMA, _ARRAY = 10, 15
"""Words that tell Arrow of a column, but for its long texts."""
STRETCHES = 16
"""Stretches of long texts that a column can have."""
BITS, VALUES, NULLS = range(3)
"""What ``FrameBlock.places`` has of a column: where its bits and its values begin in the memory,
and how many NULLs it has; bits are -1 for a column that has none."""


class FrameColumn(NamedTuple):
    """A column of a frame, or of a ROW.

    Attributes:
        name: of the column.
        dtype: of numbers, dates and times; String; None is a ROW.
        over: the number after the columns that are in it, which come right after it.
        nullable: whether it may have NULLs.
    """

    name: str
    dtype: Any
    over: int
    nullable: bool

    @property
    def width(self) -> int:
        """Bytes of a row."""
        if self.dtype is None:
            return 0
        return VIEW if self.dtype == pl.String else FORMATS[self.dtype][0]().itemsize

    @property
    def format(self) -> Format:
        if self.dtype is None:
            return _ROW
        return _TEXT if self.dtype == pl.String else FORMATS[self.dtype][1]


class FrameBlock:
    """Memory of a frame. ``frame`` must follow, which owns it.

    Args:
        columns: of the frame, at least one.
        room: rows that there is room for.
        texts: bytes of long texts that there is room for.

    Attributes:
        memory: bits, and values or views, of all columns; a few bytes behind the values of a column
            are its own, too.
        places: ``BITS``, ``VALUES`` and ``NULLS`` of each column.
        room: as given.
        texts: long texts; what is free begins at ``used``.
        stretches: how many stretches of long texts each column has.

    Raises:
        MemoryError: there is no room.
    """

    def __init__(self, columns: Sequence[FrameColumn], room: int, texts: int) -> None:
        self._columns = columns
        self._texts: list[list[tuple[int, int]]] = [[] for _ in columns]
        self.room = room
        self.places = np.zeros((len(columns), 3), np.int64)
        self.stretches = np.zeros(len(columns), np.int64)
        self.used = 0
        head = 8 * (len(columns) * (_ARRAY + 2 * STRETCHES) + 1)
        size, bits = 0, -(-room // 64) * 8 + 8
        for at, column in enumerate(columns):
            self.places[at, BITS] = size if column.nullable else -1
            size += bits
            self.places[at, VALUES] = size
            size += -(-room * column.width // 8) * 8 + 8
        self._place, memory = block(head + size + texts, lasting=False)
        self._head, self.memory = memory[:head], memory[head : head + size]
        self.texts = memory[head + size :]

    def took(self, sizes: list[int]) -> None:
        """Each column took as many bytes of ``texts``, one behind the other.

        Views name them by how many such stretches of the column, none empty, are before.
        """
        for at, size in enumerate(sizes):
            if size:
                self._texts[at].append((self.texts.ctypes.data + self.used, size))
                self.stretches[at] += 1
                self.used += size

    def frame(self, rows: int) -> pl.DataFrame:
        """The first ``rows``, all of them filled."""
        told = Words(np.empty(_SCHEMA * len(self._columns), np.int64))
        head = Words(self._head.view(np.int64))
        names = [ctypes.create_string_buffer(column.name.encode()) for column in self._columns]
        schemas, arrays = self._described(told, head, names, rows, 0, len(self._columns))
        count, release = len(arrays), address(release_array)
        schema = [*_schema(_ROW, NO_NAME, 0), count, told.put(*schemas), 0]
        array = [rows, 0, 0, 1, count, head.put(0), head.put(*arrays), 0, release, self._place]
        exported = Exported([*schema, address(release_schema), 0], array)
        told.write()
        head.write()
        return pl.Series("", exported).struct.unnest()

    def _described(
        self, told: Words, head: Words, names: list[Format], rows: int, low: int, high: int
    ) -> tuple[list[int], list[int]]:
        """Where Arrow's structs of the columns from ``low`` up to ``high`` are."""
        schemas, arrays, place = [], [], self.memory.ctypes.data
        while low < high:
            column, (bits, values, nulls) = self._columns[low], self.places[low].tolist()
            inner = self._described(told, head, names, rows, low + 1, column.over)
            count = len(inner[0])
            children = told.put(*inner[0]), head.put(*inner[1])
            buffers = [place + bits if nulls else 0]
            if column.dtype is not None:
                buffers.append(place + values)
            if column.dtype == pl.String:
                texts = self._texts[low]
                buffers += [*(at for at, _ in texts), head.put(*(size for _, size in texts))]
            schema = (*_schema(column.format, names[low], NULLABLE), count, children[0], 0)
            array = (rows, nulls, 0, len(buffers), count, head.put(*buffers), children[1], 0)
            schemas.append(told.put(*schema, address(release_schema), 0))
            arrays.append(head.put(*array, address(release_array), 0))
            low = column.over
        return schemas, arrays


def _schema(format: Format, name: Format, flags: int) -> tuple[int, ...]:
    return ctypes.addressof(format), ctypes.addressof(name), 0, flags
