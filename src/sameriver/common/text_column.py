"""Parts of a buffer as a Polars column of text.

Polars has no fast call that cuts a column out of a buffer by positions. So the column is laid out
here as Arrow's views, and given over through Arrow's C data interface. It owns a copy of its own
bytes, which lives as long as the column does, and not the whole piece of the file.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import polars as pl

from sameriver.common.kernel import address
from sameriver.common.kernels.text_views import (
    VIEW,
    allocate,
    lay_out,
    release_array,
    release_schema,
    text_size,
)

_TEXT, _BYTES = ctypes.create_string_buffer(b"vu"), ctypes.create_string_buffer(b"vz")
"""Arrow's formats of views."""
_NO_NAME = ctypes.create_string_buffer(b"")
_NULLABLE = 2
FILLED = 2
"""The least kind of a cell that has a value."""
_BUFFERS = 4
"""Bits of what is filled, views, long texts, and the sizes of the latter."""
_new_capsule: Any = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))


class _Exported:
    """A column as Arrow's two structs."""

    def __init__(self, schema: list[int], array: list[int]) -> None:
        self._schema, self._array = np.array(schema, np.int64), np.array(array, np.int64)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        schema, array = self._schema.ctypes.data, self._array.ctypes.data
        return (
            _new_capsule(schema, b"arrow_schema", None),
            _new_capsule(array, b"arrow_array", None),
        )


def text_column(
    data: np.ndarray, start: np.ndarray, end: np.ndarray, kind: np.ndarray, *, text: bool
) -> pl.Series:
    """``data[start[i]:end[i]]`` for each cell, NULL where ``kind`` says that there is no value.

    The column is String with ``text``, for which each part must be UTF-8; else it is Binary.
    ``kind`` is ``FILLED`` or more where there is a value.
    """
    rows = len(start)
    long = text_size(start, end, kind)
    bits = -(-rows // 64) * 8
    # All in one block: what must be aligned comes first.
    size = _BUFFERS * 8 + 8 + rows * VIEW + bits + long
    block = allocate(size)
    if not block:
        raise MemoryError(f"no {size} bytes for a column of text")
    memory = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(block))
    table, rest = memory[: _BUFFERS * 8 + 8].view(np.int64), memory[_BUFFERS * 8 + 8 :]
    views, rest = rest[: rows * VIEW], rest[rows * VIEW :]
    valid, texts = rest[:bits], rest[bits:]
    nulls = lay_out(data, start, end, kind, views.reshape(-1, VIEW), valid, texts)
    table[:] = (*(part.ctypes.data for part in (valid, views, texts)), block + _BUFFERS * 8, long)
    format = ctypes.addressof(_TEXT if text else _BYTES)
    schema = [format, ctypes.addressof(_NO_NAME), 0, _NULLABLE, 0, 0, 0, address(release_schema), 0]
    array = [rows, nulls, 0, _BUFFERS, 0, block, 0, 0, address(release_array), block]
    return pl.Series("", _Exported(schema, array))
