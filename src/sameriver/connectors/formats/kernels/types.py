"""Array types of the scanners."""

from __future__ import annotations

from numba import types

BYTES = types.Array(types.uint8, 1, "C", readonly=True)
FLAGS = types.Array(types.uint8, 1, "C")
INDEX = types.Array(types.int64, 1, "C")
FLAG_TABLE = types.Array(types.uint8, 2, "C")
INDEX_TABLE = types.Array(types.int64, 2, "C")
