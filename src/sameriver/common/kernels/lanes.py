"""Many bytes of text at a time: bit k of what is found stands for byte ``at + k``."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.cpython.unsafe.numbers import trailing_zeros
from numba.extending import intrinsic

from sameriver.common.kernel import helper

LANES = 32
"""Bytes that are looked at together; they must all be there."""
_BYTE, _BITS = ir.IntType(8), ir.IntType(LANES)
_VECTOR = ir.VectorType(_BYTE, LANES)


def _load(builder: Any, array: Any, at: Any) -> Any:
    """The bytes of an array from a place on."""
    place = cgutils.gep_inbounds(builder, array.data, at)
    return builder.load(builder.bitcast(place, _VECTOR.as_pointer()), align=1)


def _compared(how: str) -> Any:
    """Code that compares each byte of a stretch of an array with one byte."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data, at, byte = arguments
        array = context.make_array(signature.args[0])(context, builder, data)
        text = _load(builder, array, at)
        none = ir.Constant(_VECTOR, ir.Undefined)
        one = builder.insert_element(none, builder.trunc(byte, _BYTE), ir.IntType(32)(0))
        every = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        found = builder.icmp_unsigned(how, text, builder.shuffle_vector(one, none, every))
        return builder.zext(builder.bitcast(found, _BITS), ir.IntType(64))

    return generate


_equal, _below = _compared("=="), _compared("<")


@intrinsic  # type: ignore[untyped-decorator]
def equal(_: Any, data: Any, at: Any, byte: Any) -> Any:
    """Where ``data`` has ``byte``."""
    return types.uint64(data, types.int64, types.int64), _equal


@intrinsic  # type: ignore[untyped-decorator]
def below(_: Any, data: Any, at: Any, byte: Any) -> Any:
    """Where ``data`` has a byte less than ``byte``."""
    return types.uint64(data, types.int64, types.int64), _below


@intrinsic  # type: ignore[untyped-decorator]
def special(_: Any, data: Any, at: Any) -> Any:
    """Where ``data`` has a byte that says something within a string of JSON."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        text = _load(builder, array, arguments[1])
        found = builder.icmp_unsigned("<", text, ir.Constant(_VECTOR, [32] * LANES))
        for byte in (34, 92):
            one = builder.icmp_unsigned("==", text, ir.Constant(_VECTOR, [byte] * LANES))
            found = builder.or_(found, one)
        return builder.zext(builder.bitcast(found, _BITS), ir.IntType(64))

    return types.uint64(data, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def brackets(_: Any, data: Any, at: Any) -> Any:
    """Where ``data`` has a bracket or a brace."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        text = _load(builder, array, arguments[1])
        # Brackets are 32 below braces.
        text = builder.or_(text, ir.Constant(_VECTOR, [32] * LANES))
        opened, closed = (
            builder.icmp_unsigned("==", text, ir.Constant(_VECTOR, [byte] * LANES))
            for byte in (123, 125)
        )
        found = builder.or_(opened, closed)
        return builder.zext(builder.bitcast(found, _BITS), ir.IntType(64))

    return types.uint64(data, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def same(_: Any, data: Any, at: Any, other: Any) -> Any:
    """Where the bytes at two places are equal."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        one, two = (_load(builder, array, at) for at in arguments[1:])
        found = builder.icmp_unsigned("==", one, two)
        return builder.zext(builder.bitcast(found, _BITS), ir.IntType(64))

    return types.uint64(data, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def high(_: Any, data: Any, at: Any) -> Any:
    """Where ``data`` has a byte that is not ASCII."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        text = _load(builder, array, arguments[1])
        found = builder.icmp_signed("<", text, ir.Constant(_VECTOR, [0] * LANES))
        return builder.zext(builder.bitcast(found, _BITS), ir.IntType(64))

    return types.uint64(data, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def load_word(_: Any, data: Any, at: Any) -> Any:
    """Eight bytes of ``data`` as one number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = cgutils.gep_inbounds(builder, array.data, arguments[1])
        word = builder.bitcast(place, ir.IntType(64).as_pointer())
        return builder.load(word, align=1)

    return types.uint64(data, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def copy_lanes(_: Any, data: Any, at: Any, out: Any, place: Any) -> Any:
    """Writes the bytes of ``data`` at ``at`` into ``out`` at ``place``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one = context.make_array(signature.args[0])(context, builder, arguments[0])
        other = context.make_array(signature.args[2])(context, builder, arguments[2])
        target = cgutils.gep_inbounds(builder, other.data, arguments[3])
        text = _load(builder, one, arguments[1])
        builder.store(text, builder.bitcast(target, _VECTOR.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(data, types.int64, out, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def how_many(_: Any, found: Any) -> Any:
    """How many bytes were found."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@helper
def copy_text(data: np.ndarray, at: int, end: int, out: np.ndarray, place: int) -> np.uint64:
    """Writes ``data[at:end]`` into ``out`` at ``place``, and what was behind it there is lost.

    Not 0: one of the bytes, or of the few behind them, is not ASCII.
    """
    odd = np.uint64(0)
    while at < end and at + LANES <= data.size and place + LANES <= out.size:
        copy_lanes(data, at, out, place)
        odd |= high(data, at)
        at, place = at + LANES, place + LANES
    while at < end:
        out[place] = data[at]
        odd |= np.uint64(data[at] >> 7)
        at, place = at + 1, place + 1
    return np.uint64(odd)


@helper
def first(found: np.uint64) -> int:
    """Place of the first byte that was found; there is one."""
    return int(np.int64(trailing_zeros(found)))


@helper
def not_digits(word: np.uint64) -> np.uint64:
    """The highest bit of each byte of a word that is no digit."""
    bits = word ^ np.uint64(0x3030303030303030)
    low = (bits & np.uint64(0x7F7F7F7F7F7F7F7F)) + np.uint64(0x7676767676767676)
    return (low | bits) & np.uint64(0x8080808080808080)
