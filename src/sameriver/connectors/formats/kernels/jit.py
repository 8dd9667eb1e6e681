"""How the scanners are compiled: ahead of use, without the GIL, kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit, types

Function = TypeVar("Function", bound=Callable[..., Any])

BYTES = types.Array(types.uint8, 1, "C", readonly=True)
FLAGS = types.Array(types.uint8, 1, "C")
INDEX = types.Array(types.int64, 1, "C")
FLAG_TABLE = types.Array(types.uint8, 2, "C")
INDEX_TABLE = types.Array(types.int64, 2, "C")


def kernel(signature: Any) -> Callable[[Function], Function]:
    """Compiles for exactly this signature."""
    return cast(Callable[[Function], Function], njit(signature, nogil=True, cache=True))
