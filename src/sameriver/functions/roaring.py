"""The portable byte format of Roaring bitmaps, which other systems read and write.

A bitmap is cut up by the upper 16 bits of its numbers; the lower ones of each part are held as a
list, as runs, or as 65,536 bits, whichever is shortest.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from sameriver.functions.distinct import by_distinct

Numbers = npt.NDArray[np.uint32]
_Lows = npt.NDArray[np.uint16]
_PLAIN, _RUNS = 12346, 12347
_LISTED = 4096
"""A longer list takes more bytes than all bits do."""
_BITS = 8192
_FEW = 4
"""So many parts are found without a table of offsets if one holds runs."""


def packed(value: pl.Expr) -> pl.Expr:
    """The bytes of a column of bitmaps."""
    return by_distinct(lambda one: to_bytes(np.array(one, np.uint32)), pl.Binary, value)


def to_bytes(numbers: Numbers) -> bytes:
    """The bytes of rising numbers."""
    uppers, starts = np.unique(numbers >> 16, return_index=True)
    lows = (numbers & 0xFFFF).astype("<u2")
    parts = np.split(lows, starts[1:]) if len(numbers) else []
    packed = [_packed(part) for part in parts]
    runs = np.array([run for run, _ in packed], bool)
    head = struct.pack("<II", _PLAIN, len(parts))
    if runs.any():
        flags = np.packbits(runs, bitorder="little").tobytes()
        head = struct.pack("<I", _RUNS | (len(parts) - 1) << 16) + flags
    sizes = np.array([len(part) - 1 for part in parts], "<u2")
    head += np.column_stack([uppers.astype("<u2"), sizes]).tobytes()
    bodies = [body for _, body in packed]
    if not runs.any() or len(parts) >= _FEW:
        first = len(head) + 4 * len(parts)
        lengths = np.array([0, *map(len, bodies)][: len(parts)], np.int64)
        head += (first + np.cumsum(lengths)).astype("<u4").tobytes()
    return head + b"".join(bodies)


def _packed(lows: _Lows) -> tuple[bool, bytes]:
    """Whether a part is held as runs, and its bytes."""
    breaks = np.flatnonzero(np.diff(lows.astype(np.int32)) != 1) + 1
    listed = len(lows) <= _LISTED
    if 2 + 4 * (len(breaks) + 1) < (2 * len(lows) if listed else _BITS):
        firsts = lows[np.concatenate([[0], breaks])]
        lasts = lows[np.concatenate([breaks - 1, [len(lows) - 1]])]
        pairs = np.column_stack([firsts, lasts - firsts]).astype("<u2")
        return True, struct.pack("<H", len(firsts)) + pairs.tobytes()
    if listed:
        return False, lows.tobytes()
    bits = np.zeros(65_536, bool)
    bits[lows] = True
    return False, np.packbits(bits, bitorder="little").tobytes()


def from_bytes(data: bytes) -> Numbers:
    """The numbers of a bitmap, rising; bytes behind it don't count.

    Raises:
        ValueError: the bytes hold no bitmap, or stop too soon.
    """
    cookie = int(_read(data, 0, 1, "<u4")[0])
    place = 4
    if cookie & 0xFFFF == _RUNS:
        count = (cookie >> 16) + 1
        flags = _read(data, place, (count + 7) // 8, "u1")
        runs = np.unpackbits(flags, count=count, bitorder="little").astype(bool)
        place += len(flags)
    elif cookie == _PLAIN:
        count = int(_read(data, place, 1, "<u4")[0])
        runs = np.zeros(min(count, 65_537), bool)
        place += 4
    else:
        raise ValueError("they start otherwise")
    if count > 65_536:
        raise ValueError("there are too many parts")
    parts = _read(data, place, 2 * count, "<u2").reshape(-1, 2)
    place += 4 * count
    if cookie == _PLAIN or count >= _FEW:
        place += 4 * count
    found = []
    for upper, size, run in zip(parts[:, 0], parts[:, 1], runs, strict=True):
        lows, place = _unpacked(data, place, int(size) + 1, bool(run))
        found.append((np.uint32(upper) << np.uint32(16)) | lows.astype(np.uint32))
    numbers = np.concatenate(found) if found else np.zeros(0, np.uint32)
    if (np.diff(numbers.astype(np.int64)) <= 0).any():
        raise ValueError("the numbers don't rise")
    return numbers


def _unpacked(data: bytes, place: int, size: int, run: bool) -> tuple[npt.NDArray[np.int64], int]:
    """The lower bits of a part, and where the next one starts."""
    if run:
        count = int(_read(data, place, 1, "<u2")[0])
        pairs = _read(data, place + 2, 2 * count, "<u2").astype(np.int64).reshape(-1, 2)
        firsts, lengths = pairs[:, 0], pairs[:, 1] + 1
        before = np.cumsum(lengths) - lengths
        lows = np.arange(lengths.sum()) + np.repeat(firsts - before, lengths)
        return lows, place + 2 + 4 * count
    if size <= _LISTED:
        return _read(data, place, size, "<u2").astype(np.int64), place + 2 * size
    bits = np.unpackbits(_read(data, place, _BITS, "u1"), bitorder="little")
    return np.flatnonzero(bits), place + _BITS


def _read(data: bytes, place: int, count: int, kind: str) -> npt.NDArray[Any]:
    """So many little-endian numbers.

    Raises:
        ValueError: there are fewer.
    """
    if len(data) < place + count * np.dtype(kind).itemsize:
        raise ValueError("they stop too soon")
    return np.frombuffer(data, kind, count, place)
