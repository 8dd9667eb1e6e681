"""Asks for memory before it is needed: random rows of a big table cost mostly waiting."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from sameriver.common.kernel import helper

AHEAD = 24
"""How many rows ahead kernels ask."""


_LINE = 8
"""Words of a cache line."""


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch_at(typing_context: Any, table: Any, row: Any, word: Any) -> Any:
    """Starts to load what is at a word of a row; without rows of words, the row itself."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        strides = cgutils.unpack_tuple(builder, array.strides)
        address = builder.ptrtoint(array.data, strides[0].type)
        for stride, place in zip(strides, args[1:], strict=False):
            address = builder.add(address, builder.mul(stride, place))
        pointer = builder.inttoptr(address, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        call = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
        builder.call(call, [pointer, number(1), number(3), number(1)])
        return context.get_dummy_value()

    return types.none(table, types.intp, types.intp), generate


@helper
def prefetch(table: np.ndarray, row: int) -> None:
    """Starts to load the first words of a row."""
    _prefetch_at(table, row, 0)


@helper
def prefetch_row(table: np.ndarray, row: int) -> None:
    """Starts to load a row that begins with a cache line."""
    for word in range(0, table.shape[1], _LINE):
        _prefetch_at(table, row, word)
