"""Arrays that grow where they are."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any, TypeVar, cast

import numpy as np

Cells = TypeVar("Cells", bound=np.ndarray[Any, Any])

_LARGE = 1 << 22
"""Bytes from which on an array gets room to grow: that is more than what C's allocator uses again
(32 MiB at most), which it would have to fill with zeros."""
_AHEAD = 8
"""Such an array gets this many times the memory asked for: what isn't touched isn't there yet."""
_LINE = 64
"""Bytes of a cache line; arrays start with one."""


class _Room:
    """Zeros that an array owns, more than it shows.

    Attributes:
        shown: length of the longest array that shows them; after it nothing was written.
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        raw = np.zeros(math.prod(shape) * dtype.itemsize + _LINE, np.uint8)
        start = -raw.ctypes.data % _LINE
        self._raw = raw
        self.shown = 0
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "data": (raw.ctypes.data + start, False),
        }


def grown(array: Cells, length: int) -> Cells:
    """The array made longer, filled up with zeros; the one given must no longer be used.

    New memory costs more than anything else that growing does: a large array that has room left
    is not copied.
    """
    whole = array.base
    room = whole.base if isinstance(whole, np.ndarray) else None
    if isinstance(room, _Room) and room.shown == len(array) and length <= len(whole):
        room.shown = length
        return cast(Cells, whole[:length])
    fresh = _room_for(array, length)
    fresh.shown = length
    longer = np.asarray(fresh)
    longer[: len(array)] = array
    return cast(Cells, longer[:length])


def _room_for(array: np.ndarray, length: int) -> _Room:
    """Zeros for so many rows of such an array, and for more if they are large."""
    row = array.shape[1:]
    if length * math.prod(row) * array.itemsize >= _LARGE:
        with suppress(MemoryError):
            return _Room((_AHEAD * length, *row), array.dtype)
    return _Room((length, *row), array.dtype)
