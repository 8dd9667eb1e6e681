"""Numbers, dates and times of an array as a Polars column."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import polars as pl

from sameriver.common.arrow_column import Format, arrow_column, block
from sameriver.common.kernels.lanes import LANES
from sameriver.common.kernels.valid_bits import valid_bits

_HEAD = 16
"""Bytes of the addresses of its two buffers."""
FORMATS: dict[Any, tuple[Any, Format]] = {
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
    values: np.ndarray,
    kind: np.ndarray,
    odd: np.ndarray,
    dtype: pl.DataType | type[pl.DataType],
) -> pl.Series:
    """``values`` as a column of ``dtype``, in its unit, NULL where there are none.

    Args:
        values: they fit ``dtype``.
        kind: 2 or more where there is a value.
        odd: not 0 where it could not be read.
        dtype: of the column.
    """
    width, format = FORMATS[dtype]
    rows = len(values)
    size = rows * width().itemsize
    place, memory = block(_HEAD + size + -(-rows // LANES) * (LANES // 8))
    memory[_HEAD : _HEAD + size].view(width)[:] = values
    nulls = valid_bits(kind, odd, memory[_HEAD + size :])
    memory[:_HEAD].view(np.int64)[:] = place + _HEAD + size, place + _HEAD
    return arrow_column(format, rows, nulls, place, 2)
