"""Columns laid out as text, for formats that put them into lines."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.text_bytes import text_bytes
from sameriver.connectors.formats.cells import Flags, Index, Kind
from sameriver.connectors.formats.kernels import show
from sameriver.state.words import filled

_DIGITS = {"ms": 3, "us": 6, "ns": 9}
"""Decimal places of a second that a unit of time is."""


Shown = tuple[Flags, Index, Index, Flags]
"""A column as kernels take it: bytes, where each text starts and ends, and its ``Kind``."""


def texts(strings: pl.Series) -> Shown:
    """Strings as they are."""
    data, end = text_bytes(strings)
    start = np.empty_like(end)
    start[:1], start[1:] = 0, end[:-1]
    return data, start, end, _kinds(strings)


def integers(values: pl.Series) -> Shown:
    """Whole numbers, and intervals as such."""
    out = np.empty(len(values) * show.INTEGER_WIDTH, np.uint8)
    start, end = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    show.show_integers(filled(values.cast(pl.Int64)), out, start, end)
    return out, start, end, _kinds(values)


def timestamps(values: pl.Series, between: str, suffix: str = "") -> Shown:
    """Points in time as a clock on the wall shows them, ``between`` between date and time."""
    assert isinstance(values.dtype, pl.Datetime)
    out = np.empty(len(values) * show.TIME_WIDTH, np.uint8)
    start, end = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    local = filled(values.dt.replace_time_zone(None).to_physical())
    last = ord(suffix) if suffix else 0
    show.show_times(local, _DIGITS[values.dtype.time_unit], ord(between), last, out, start, end)
    return out, start, end, _kinds(values)


def _kinds(values: pl.Series) -> Flags:
    kinds = np.full(len(values), Kind.TEXT, np.uint8)
    if values.null_count():
        kinds[values.is_null().to_numpy()] = Kind.NULL
    return kinds
