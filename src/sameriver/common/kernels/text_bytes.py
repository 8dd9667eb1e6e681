"""Lays texts of an Arrow column of views out one behind the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import int64, types
from numba.core import cgutils
from numba.extending import intrinsic

from sameriver.common.kernel import kernel
from sameriver.common.kernels.text_views import INLINE, VIEW

_VIEWS = types.Array(types.int64, 2, "C", readonly=True)
_WORDS = types.Array(types.int64, 1, "C", readonly=True)
_BITS = types.Array(types.uint8, 1, "C", readonly=True)
_LOW = 2**32 - 1


@intrinsic  # type: ignore[untyped-decorator]
def _copy(_: Any, out: Any, at: Any, place: Any, size: Any) -> Any:
    """Copies ``size`` bytes from the address ``place`` to ``out[at:]``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        target = cgutils.gep_inbounds(builder, array.data, arguments[1])
        source = builder.inttoptr(arguments[2], ir.IntType(8).as_pointer())
        cgutils.raw_memcpy(builder, target, source, arguments[3], 1)
        return context.get_dummy_value()

    return types.void(out, int64, int64, int64), generate


@kernel(int64(_VIEWS, _BITS, int64, int64[::1]))
def measure(views: np.ndarray, valid: np.ndarray, offset: int, ends: np.ndarray) -> int:
    """Where each text ends; ``valid`` has a bit for each from ``offset`` on, or is empty."""
    end = 0
    for row in range(ends.size):
        bit = offset + row
        if valid.size == 0 or valid[bit >> 3] >> (bit & 7) & 1:
            end += views[row, 0] & _LOW
        ends[row] = end
    return end


@kernel(types.void(_VIEWS, _WORDS, int64[::1], types.uint8[::1]))
def lay_out(views: np.ndarray, buffers: np.ndarray, ends: np.ndarray, out: np.ndarray) -> None:
    """Copies the texts to where they end; ``buffers`` are the addresses that views speak of."""
    start = 0
    for row in range(ends.size):
        size = ends[row] - start
        if size > INLINE:
            word = views[row, 1]
            place = buffers[word & _LOW] + (word >> 32 & _LOW)
        else:
            place = views.ctypes.data + row * VIEW + 4
        if size:
            _copy(out, start, place, size)
        start += size
