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


class FrameLayout:
    """The columns of frames, told to Arrow once.

    Attributes:
        columns: at least one.
        widths: bytes of a row of each.
        schema: Arrow's struct of them.
    """

    def __init__(self, columns: Sequence[FrameColumn]) -> None:
        self.columns = columns
        self.widths = [column.width for column in columns]
        self._names = [ctypes.create_string_buffer(column.name.encode()) for column in columns]
        told = Words(np.empty(_SCHEMA * len(columns), np.int64))
        schemas = self._schemas(told, 0, len(columns))
        self.schema = (*_schema(_ROW, NO_NAME, 0), len(schemas), told.put(*schemas), 0)
        self._told = told.write()

    def _schemas(self, told: Words, low: int, high: int) -> list[int]:
        """Where Arrow's structs of the columns from ``low`` up to ``high`` are."""
        schemas = []
        while low < high:
            column = self.columns[low]
            inner = self._schemas(told, low + 1, column.over)
            schema = (*_schema(column.format, self._names[low], NULLABLE), len(inner))
            schemas.append(told.put(*schema, told.put(*inner), 0, address(release_schema), 0))
            low = column.over
        return schemas


def _schema(format: Format, name: Format, flags: int) -> tuple[int, ...]:
    return ctypes.addressof(format), ctypes.addressof(name), 0, flags


class FrameBlock:
    """Memory of a frame. ``frame`` must follow, which owns it.

    Args:
        layout: of the frame.
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

    def __init__(self, layout: FrameLayout, room: int, texts: int) -> None:
        self._layout = layout
        columns = layout.columns
        self._texts: list[list[tuple[int, int]]] = [[] for _ in columns]
        self.room = room
        self.stretches = np.zeros(len(columns), np.int64)
        self.used = 0
        head = 8 * (len(columns) * (_ARRAY + 2 * STRETCHES) + 1)
        size, bits = 0, -(-room // 64) * 8 + 8
        places = []
        for column, width in zip(columns, layout.widths, strict=True):
            places.append((size if column.nullable else -1, size + bits, 0))
            size += bits + -(-room * width // 8) * 8 + 8
        self.places = np.array(places, np.int64)
        self._place, memory = block(head + size + texts, lasting=False)
        self._head, self.memory = memory[:head], memory[head : head + size]
        self.texts = memory[head + size :]
        self._free = self._place + head + size

    def took(self, sizes: list[int]) -> None:
        """Each column took as many bytes of ``texts``, one behind the other.

        Views name them by how many such stretches of the column, none empty, are before.
        """
        for at, size in enumerate(sizes):
            if size:
                self._texts[at].append((self._free + self.used, size))
                self.stretches[at] += 1
                self.used += size

    def frame(self, rows: int) -> pl.DataFrame:
        """The first ``rows``, all of them filled."""
        head = Words(self._head.view(np.int64))
        arrays = self._arrays(head, rows, self.places.tolist(), 0, len(self._layout.columns))
        array = [rows, 0, 0, 1, len(arrays), head.put(0), head.put(*arrays), 0]
        head.write()
        exported = Exported(
            [*self._layout.schema, address(release_schema), 0],
            [*array, address(release_array), self._place],
        )
        return pl.Series("", exported).struct.unnest()

    def _arrays(
        self, head: Words, rows: int, places: list[list[int]], low: int, high: int
    ) -> list[int]:
        """Where Arrow's structs of the columns from ``low`` up to ``high`` are."""
        arrays, place = [], self.memory.ctypes.data
        while low < high:
            column, (bits, values, nulls) = self._layout.columns[low], places[low]
            inner = self._arrays(head, rows, places, low + 1, column.over)
            buffers = [place + bits if nulls else 0]
            if column.dtype is not None:
                buffers.append(place + values)
            if column.dtype == pl.String:
                texts = self._texts[low]
                buffers += [*(at for at, _ in texts), head.put(*(size for _, size in texts))]
            array = (rows, nulls, 0, len(buffers), len(inner), head.put(*buffers))
            arrays.append(head.put(*array, head.put(*inner), 0, address(release_array), 0))
            low = column.over
        return arrays
