"""Copies of bytes between what kernels see."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import int64, types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def copy(_: Any, out: Any, at: Any, place: Any, size: Any) -> Any:
    """Copies ``size`` bytes from the address ``place`` to ``out[at:]``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        target = cgutils.gep_inbounds(builder, array.data, arguments[1])
        source = builder.inttoptr(arguments[2], ir.IntType(8).as_pointer())
        cgutils.raw_memcpy(builder, target, source, arguments[3], 1)
        return context.get_dummy_value()

    return types.void(out, int64, int64, int64), generate
