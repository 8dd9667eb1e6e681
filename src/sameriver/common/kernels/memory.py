"""Memory that Arrow gives back itself."""

from __future__ import annotations

import sys
from typing import Any

from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.addresses import load_at

_malloc = types.ExternalFunction("malloc", types.intp(types.intp))
_aligned = types.ExternalFunction("aligned_alloc", types.intp(types.intp, types.intp))
_advise = types.ExternalFunction("madvise", types.int32(types.intp, types.intp, types.int32))
_realloc = types.ExternalFunction("realloc", types.intp(types.intp, types.intp))
_free = types.ExternalFunction("free", types.void(types.intp))
_WORDS = types.CPointer(types.int64)

_LINUX = sys.platform == "linux"
_HUGE = 2 << 20
"""Bytes from which memory is asked for in pages of this size: each page costs time to get."""
_HUGE_PAGES = 14
"""Linux's MADV_HUGEPAGE."""


@kernel(types.intp(types.intp, types.boolean))
def allocate(size: int, lasting: bool) -> Any:
    """Memory of so many bytes; 0: there is none.

    What is not ``lasting`` is soon given back and asked for again: the system need not clear it.
    """
    if not _LINUX or not lasting or size < _HUGE:
        return _malloc(size)
    place = _aligned(_HUGE, size)
    if place:
        _advise(place, size // _HUGE * _HUGE, _HUGE_PAGES)
    return place


@kernel(types.intp(types.intp, types.intp))
def resize(place: int, size: int) -> Any:
    """The same memory, with so many bytes, and where it is now; 0: there is no room for it."""
    return _realloc(place, size)


@helper
def give_back_pair(place: int) -> None:
    if place:
        _free(types.intp(load_at(place)))
        _free(place)


@kernel(types.void(types.intp))
def give_back(place: int) -> None:
    """Gives memory back, and what its first word says."""
    give_back_pair(place)


@kernel(types.void(_WORDS))
def release_array(array: Any) -> None:
    """Gives the memory of an ``ArrowArray`` back, which ``private_data`` points to."""
    _free(array[9])
    array[8] = 0


@kernel(types.void(_WORDS))
def release_pair(array: Any) -> None:
    """As ``release_array``; the first word of the memory says what goes with it."""
    give_back_pair(array[9])
    array[8] = 0


@kernel(types.void(_WORDS))
def release_schema(schema: Any) -> None:
    """Marks an ``ArrowSchema``, which owns nothing, as released."""
    schema[7] = 0
