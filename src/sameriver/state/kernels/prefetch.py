"""Asks for memory before it is needed: random rows of a big table cost mostly waiting."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

AHEAD = 24
"""How many rows ahead kernels ask."""


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, table: Any, row: Any) -> Any:
    """Starts to load the first words of a row of a two-dimensional array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        stride = cgutils.unpack_tuple(builder, array.strides)[0]
        start = builder.ptrtoint(array.data, stride.type)
        address = builder.add(start, builder.mul(stride, args[1]))
        pointer = builder.inttoptr(address, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        call = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
        builder.call(call, [pointer, number(1), number(3), number(1)])
        return context.get_dummy_value()

    return types.none(table, types.intp), generate
