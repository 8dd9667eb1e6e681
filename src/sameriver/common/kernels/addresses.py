"""Memory that kernels know by its address."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

_BYTES = types.Array(types.uint8, 1, "C")
_WORD = ir.IntType(64).as_pointer()


@intrinsic  # type: ignore[untyped-decorator]
def load_at(_: Any, address: Any) -> Any:
    """Eight bytes as one number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], _WORD), align=1)

    return types.uint64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store_at(_: Any, address: Any, word: Any) -> Any:
    """Writes a number as eight bytes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[1], builder.inttoptr(arguments[0], _WORD), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def bytes_at(_: Any, address: Any, size: Any) -> Any:
    """So many bytes, which nobody owns."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(_BYTES)(context, builder)
        one = context.get_constant(types.intp, 1)
        populate_array(
            array,
            data=builder.inttoptr(arguments[0], ir.IntType(8).as_pointer()),
            shape=(arguments[1],),
            strides=(one,),
            itemsize=one,
            meminfo=None,
        )
        return array._getvalue()

    return _BYTES(types.int64, types.int64), generate
