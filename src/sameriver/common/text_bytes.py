"""The bytes of a column of text, read where Polars keeps them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import polars as pl

from sameriver.common.arrow_column import memory
from sameriver.common.errors import InternalError
from sameriver.common.kernels.text_bytes import lay_out, measure
from sameriver.common.kernels.text_views import VIEW

_pointer: Any = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_get = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_FORMATS = (b"vu", b"vz")
"""Arrow's names of views."""
_WORD = 8
_ARRAY = 10
"""Words of an ``ArrowArray``; an ``ArrowSchema`` has fewer."""


def text_bytes(texts: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of texts, or of binary values, one behind the other, and where each ends.

    NULL is empty.
    """
    ends = np.zeros(len(texts), np.int64)
    if not len(texts):
        return np.empty(0, np.uint8), ends
    stream = texts.rechunk().__arrow_c_stream__()
    place = _pointer(stream, b"arrow_array_stream")
    get_schema, get_next, *_ = memory(place, 5 * _WORD).view(np.int64).tolist()
    _check(_given(get_schema, place))
    array = _given(get_next, place)
    try:
        return _read(array, ends), ends
    finally:
        _release(int(array[8]))(array.ctypes.data)


def _given(call: int, stream: int) -> np.ndarray:
    """What a function of a stream writes: an ``ArrowSchema`` or an ``ArrowArray``."""
    words = np.zeros(_ARRAY, np.int64)
    _get(call)(stream, words.ctypes.data)
    return words


def _check(schema: np.ndarray) -> None:
    """Polars gives views of texts."""
    format = ctypes.string_at(int(schema[0]))
    _release(int(schema[7]))(schema.ctypes.data)
    if format not in _FORMATS:
        raise InternalError("NO_VIEWS", f"a column of text is given as {format!r}")


def _read(array: np.ndarray, ends: np.ndarray) -> np.ndarray:
    rows, nulls, offset, count, _, place, *_ = array.tolist()
    valid, first, *buffers = memory(place, count * _WORD).view(np.int64).tolist()
    views = memory(first + offset * VIEW, rows * VIEW).view(np.int64).reshape(rows, 2)
    bits = memory(valid, -(-(offset + rows) // 8)) if nulls and valid else np.empty(0, np.uint8)
    out = np.empty(measure(views, bits, offset, ends), np.uint8)
    lay_out(views, np.array(buffers, np.int64), ends, out)
    return out
