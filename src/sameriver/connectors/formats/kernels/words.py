"""Eight bytes of text at a time: what kernels look for in a word."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.cpython.unsafe.numbers import trailing_zeros
from numba.extending import intrinsic

from sameriver.common.kernel import helper

_ONES, _LOW = np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F)
_PRINTED = np.uint64(0xE0E0E0E0E0E0E0E0)
"""Bits of which a control character has none."""


@intrinsic  # type: ignore[untyped-decorator]
def load_word(_: Any, data: Any, at: Any) -> Any:
    """The eight bytes of ``data`` from ``at`` on, which must be there, wherever that is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = cgutils.gep_inbounds(builder, array.data, arguments[1])
        word = builder.bitcast(place, ir.IntType(64).as_pointer())
        return builder.load(word, align=1)

    return types.uint64(data, types.int64), generate


@helper
def everywhere(byte: int) -> np.uint64:
    """A word of eight times the byte."""
    return np.uint64(byte & 255) * _ONES


@helper
def same(word: np.uint64, pattern: np.uint64) -> np.uint64:
    """The highest bit of each byte that is the same in both."""
    differs = word ^ pattern
    return ~(((differs & _LOW) + _LOW) | differs | _LOW)


@helper
def controls(word: np.uint64) -> np.uint64:
    """The highest bit of each byte below 32."""
    return same(word & _PRINTED, np.uint64(0))


@helper
def first(found: np.uint64) -> int:
    """Place of the first byte whose highest bit is set; one is."""
    return int(np.int64(trailing_zeros(found)) >> 3)
