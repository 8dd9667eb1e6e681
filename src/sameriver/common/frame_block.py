"""Frames whose columns lie in memory that kernels fill some rows at a time.

To make a column of Polars takes tens of calls of Python. For small pieces of text that is more than
to read them; so columns are handed over once they are large, and a ROW with all its fields.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from sameriver.common.arrow_column import ROW, TEXT, Exported, Format, Words, block, named
from sameriver.common.kernel import address
from sameriver.common.kernels.memory import (
    give_back,
    release_array,
    release_pair,
    release_schema,
    resize,
)
from sameriver.common.kernels.text_views import VIEW
from sameriver.common.number_column import FORMATS

_SCHEMA, _ARRAY = 10, 15
"""Words that tell Arrow of a column, but for its long texts."""
STRETCHES = 16
"""Stretches of long texts that a column can have."""
BITS, VALUES, TEXTS, NULLS = range(4)
"""What ``FrameBlock.places`` has of a column: the addresses of its bits, of its values or views and
of what ``make_room`` gave for its texts, and how many NULLs it has. A column without bits has 0."""


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
            return ROW
        return TEXT if self.dtype == pl.String else FORMATS[self.dtype][1]


class FrameLayout:
    """The columns of frames, told to Arrow once.

    Attributes:
        columns: at least one.
        widths: bytes of a row of each.
        schemas: Arrow's structs of those that are in no other, by number.
    """

    def __init__(self, columns: Sequence[FrameColumn]) -> None:
        self.columns = columns
        self.widths = [column.width for column in columns]
        # Arrow's structs name these by their addresses.
        self._names = [ctypes.create_string_buffer(column.name.encode()) for column in columns]
        told = Words(np.empty(_SCHEMA * len(columns), np.int64))
        self.schemas = self._schemas(told, 0, len(columns))
        self._told = told.write()

    def _schemas(self, told: Words, low: int, high: int) -> dict[int, tuple[int, ...]]:
        """Arrow's structs of the columns from ``low`` up to ``high``."""
        schemas = dict[int, tuple[int, ...]]()
        while low < high:
            column = self.columns[low]
            children = self._schemas(told, low + 1, column.over)
            inner = told.put(*(told.put(*child) for child in children.values()))
            first = named(column.format, self._names[low])
            schemas[low] = *first, len(children), inner, 0, address(release_schema), 0
            low = column.over
        return schemas


class FrameBlock:
    """Memory of a frame. ``frame`` or ``give_back`` must follow.

    Each column of the frame has memory of its own, which lives as long as it does: rows that are
    kept of one column must not keep the others. Fields of a ROW live together.

    Args:
        layout: of the frame.
        room: rows that there is room for.

    Attributes:
        places: ``BITS``, ``VALUES``, ``TEXTS`` and ``NULLS`` of each column; a few bytes behind the
            bits and the values are their own, too.
        room: as given.
        stretches: how many stretches of long texts each column has.

    Raises:
        MemoryError: there is no room.
    """

    def __init__(self, layout: FrameLayout, room: int) -> None:
        self.room = room
        self.places = np.zeros((len(layout.columns), 4), np.int64)
        self.stretches = np.zeros(len(layout.columns), np.int64)
        self._layout = layout
        self._memory: list[_Memory] = []
        low = 0
        try:
            while low < len(layout.columns):
                self._memory.append(_Memory(layout, low, self.places, room))
                low = layout.columns[low].over
        except MemoryError:
            self.give_back()
            raise

    def make_room(self, sizes: list[int], times: float) -> None:
        """Gives each column memory for so many bytes of long texts; it will be asked ``times`` so.

        Raises:
            MemoryError: there is no room.
        """
        for memory in self._memory:
            memory.make_room(sizes, times)

    def took(self, sizes: list[int]) -> None:
        """Each column took so many bytes of its memory for texts, or less than what it was given.

        Views name them by how many such stretches of the column, none empty, are before.
        """
        for memory in self._memory:
            memory.took(sizes)
        self.stretches += np.array(sizes) > 0

    def frame(self, rows: int) -> pl.DataFrame:
        """The first ``rows``, all of them filled."""
        columns, places = [], self.places.tolist()
        while self._memory:
            columns.append(self._memory.pop(0).column(rows, places))
        return pl.DataFrame(columns)

    def give_back(self) -> None:
        """Gives back the memory of columns that were not made."""
        for memory in self._memory:
            give_back(memory.place)
        self._memory.clear()


class _Memory:
    """Memory of one column of a frame and of those in it.

    Its first word is the address of its long texts, which come to lie elsewhere as they grow.
    """

    def __init__(self, layout: FrameLayout, at: int, places: np.ndarray, room: int) -> None:
        self._layout = layout
        self._at, self._over = at, layout.columns[at].over
        self._places = places
        self._texts: list[list[tuple[int, int]]] = [[] for _ in range(at, self._over)]
        self._used = self._room = self._size = 0
        head = 8 * (1 + (self._over - at) * (_ARRAY + 2 * STRETCHES))
        size, bits, found = head, -(-room // 64) * 8 + 8, []
        for number in range(at, self._over):
            found.append((size, size + bits))
            size += bits + -(-room * layout.widths[number] // 8) * 8 + 8
        self.place, memory = block(size, lasting=False)
        self._head = memory[:head].view(np.int64)
        self._head[0] = 0
        places[at : self._over, :TEXTS] = np.array(found) + self.place
        for number in range(at, self._over):
            places[number, BITS] *= layout.columns[number].nullable

    def make_room(self, sizes: list[int], times: float) -> None:
        size = sum(sizes[self._at : self._over])
        if self._used + size > self._room:
            most = int(size * times) if not self._room else self._used + self._used // 2
            self._room = max(self._used + size, most + most // 8)
            place = resize(int(self._head[0]), self._room)
            if not place:
                raise MemoryError(f"no {self._room} bytes for texts of a column")
            self._head[0] = place
        at = int(self._head[0]) + self._used
        for number in range(self._at, self._over):
            self._places[number, TEXTS] = at
            at += sizes[number]
        self._size = size

    def took(self, sizes: list[int]) -> None:
        for number, texts in enumerate(self._texts, self._at):
            if sizes[number]:
                start = int(self._places[number, TEXTS]) - int(self._head[0])
                texts.append((start, sizes[number]))
        self._used += self._size

    def column(self, rows: int, places: list[list[int]]) -> pl.Series:
        """The column, which owns the memory then."""
        head = Words(self._head)
        head.put(int(self._head[0]))
        (array,) = self._arrays(head, rows, places, self._at, self._over)
        head.write()
        schema = [*self._layout.schemas[self._at]]
        exported = Exported(schema, [*array, address(release_pair), self.place])
        return pl.Series(self._layout.columns[self._at].name, exported)

    def _arrays(
        self, head: Words, rows: int, places: list[list[int]], low: int, high: int
    ) -> list[tuple[int, ...]]:
        """Arrow's structs of the columns from ``low`` up to ``high``, but for their owners."""
        base, arrays = int(self._head[0]), list[tuple[int, ...]]()
        while low < high:
            column, (bits, values, _, nulls) = self._layout.columns[low], places[low]
            children = self._arrays(head, rows, places, low + 1, column.over)
            none = address(release_array), 0
            inner = head.put(*(head.put(*child, *none) for child in children))
            buffers = [bits if nulls else 0]
            if column.dtype is not None:
                buffers.append(values)
            if column.dtype == pl.String:
                texts = self._texts[low - self._at]
                sizes = head.put(*(size for _, size in texts))
                buffers += [*(base + start for start, _ in texts), sizes]
            count = len(buffers), len(children)
            arrays.append((rows, nulls, 0, *count, head.put(*buffers), inner, 0))
            low = column.over
        return arrays
