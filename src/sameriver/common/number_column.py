"""Numbers, dates and times of an array as a Polars column."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import polars as pl

from sameriver.common.arrow_column import Format, arrow_column, block

_HEAD = 16
"""Bytes of the addresses of its two buffers."""
_FORMATS: dict[Any, tuple[Any, Format]] = {
    dtype: (width, ctypes.create_string_buffer(name))
    for dtype, width, name in (
        (pl.Int8, np.int8, b"c"),
        (pl.Int16, np.int16, b"s"),
        (pl.Int32, np.int32, b"i"),
        (pl.Int64, np.int64, b"l"),
        (pl.Date, np.int32, b"tdD"),
        (pl.Time, np.int64, b"ttn"),
        *((pl.Datetime(unit), np.int64, f"ts{unit[0]}:".encode()) for unit in ("ms", "us", "ns")),
        *(
            (pl.Datetime(unit, "UTC"), np.int64, f"ts{unit[0]}:UTC".encode())
            for unit in ("ms", "us", "ns")
        ),
        (pl.Duration("ms"), np.int64, b"tDm"),
    )
}
"""What the values of a column are, and Arrow's name of its type."""


def number_column(
    values: np.ndarray, valid: np.ndarray, dtype: pl.DataType | type[pl.DataType]
) -> pl.Series:
    """``values``, which fit ``dtype`` and are in its unit, NULL where not ``valid``."""
    width, format = _FORMATS[dtype]
    rows, bits = len(values), np.packbits(valid, bitorder="little")
    size = rows * width().itemsize
    place, memory = block(_HEAD + size + len(bits))
    memory[_HEAD : _HEAD + size].view(width)[:] = values
    memory[_HEAD + size :] = bits
    memory[:_HEAD].view(np.int64)[:] = place + _HEAD + size, place + _HEAD
    return arrow_column(format, rows, rows - int(np.count_nonzero(valid)), place, 2)
