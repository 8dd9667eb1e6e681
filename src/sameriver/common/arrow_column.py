"""Memory as a Polars column, given over through Arrow's C data interface.

A column is a block of memory, which says where its buffers are. Arrow gives it back
by itself when nothing uses the column any more, and needs no Python for that.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import polars as pl

from sameriver.common.kernel import address
from sameriver.common.kernels.memory import allocate, release_array, release_schema

Format = ctypes.Array[ctypes.c_char]
"""Arrow's name of a type; it must live as long as columns are made of it."""

NO_NAME = ctypes.create_string_buffer(b"")
ROW, TEXT = ctypes.create_string_buffer(b"+s"), ctypes.create_string_buffer(b"vu")
"""Names of types."""
_NULLABLE = 2
_new_capsule: Any = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))
_memory: Any = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)(
    ("PyMemoryView_FromMemory", ctypes.pythonapi)
)
_WRITABLE = 0x200


class Exported:
    """A column as Arrow's two structs."""

    def __init__(self, schema: list[int], array: list[int]) -> None:
        self._schema, self._array = np.array(schema, np.int64), np.array(array, np.int64)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        schema, array = self._schema.ctypes.data, self._array.ctypes.data
        return (
            _new_capsule(schema, b"arrow_schema", None),
            _new_capsule(array, b"arrow_array", None),
        )


class Words:
    """Words that come to stand in memory one after the other, once ``write`` is called."""

    def __init__(self, memory: np.ndarray) -> None:
        self._memory = memory
        self._place = memory.ctypes.data
        self._words: list[int] = []

    def put(self, *words: int) -> int:
        """The address where these will be."""
        start = len(self._words)
        self._words += words
        return self._place + 8 * start

    def write(self) -> np.ndarray:
        """The memory, filled."""
        self._memory[: len(self._words)] = self._words
        return self._memory


def block(size: int, *, lasting: bool = True) -> tuple[int, np.ndarray]:
    """Address of so many bytes, and these. Whoever asks owns them, until a column does.

    Args:
        size: of them.
        lasting: False if columns of that size come and go.

    Raises:
        MemoryError: there is no room.
    """
    place = allocate(size, lasting)
    if not place:
        raise MemoryError(f"no {size} bytes for a column")
    return place, memory(place, size)


def memory(place: int, size: int) -> np.ndarray:
    """So many bytes at an address, which must stay there as long as the array is used."""
    return np.frombuffer(_memory(place, size, _WRITABLE), np.uint8)


def named(format: Format, name: Format) -> tuple[int, ...]:
    """The first words of an ``ArrowSchema``; ``format`` and ``name`` must outlive it."""
    return ctypes.addressof(format), ctypes.addressof(name), 0, _NULLABLE


def arrow_column(format: Format, rows: int, nulls: int, place: int, buffers: int) -> pl.Series:
    """The column that lies in the block at ``place``, with so many rows, NULLs and buffers."""
    none = 0
    schema = [*named(format, NO_NAME), 0, none, none]
    array = [rows, nulls, 0, buffers, 0, place, none, none]
    return pl.Series(
        "",
        Exported([*schema, address(release_schema), none], [*array, address(release_array), place]),
    )
