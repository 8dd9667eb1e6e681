"""MD5, SHA2, ...: lower-case hexadecimal text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np
import numpy.typing as npt
import polars as pl

from sameriver.common.types import char, to_polars, varchar
from sameriver.functions.by_constant import by_constant
from sameriver.functions.distinct import each_once
from sameriver.functions.failure import failure
from sameriver.functions.forms import TEXT_OR_BINARY, WHOLE, infer
from sameriver.functions.kernels import digests
from sameriver.functions.octets import Octets, Places, octets, texts
from sameriver.functions.signature import UNKNOWN, Evaluation, ScalarFunction

_Words = npt.NDArray[np.uint64]
Digits = np.ndarray[tuple[int, int], np.dtype[np.uint8]]
_Write = Callable[[Octets, Places, Digits], None]
_TURNS = (7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21)
_START = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)


def _words(values: Sequence[int]) -> _Words:
    return np.array(values, np.uint64)


def _primes(count: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def _cube_root(value: int) -> int:
    """Rounded down."""
    low, high = 0, 1 << (value.bit_length() // 3 + 1)
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= value else (low, middle)
    return low


@cache
def _square_roots(first: int, bits: int) -> _Words:
    """The bits behind the point of square roots of eight primes."""
    primes = _primes(first + 8)[first:]
    return _words([math.isqrt(prime << 128) % 2**64 >> 64 - bits for prime in primes])


@cache
def _cube_roots(bits: int) -> _Words:
    """The bits behind the point of cube roots of primes."""
    primes = _primes(64 if bits == 32 else 80)
    return _words([_cube_root(prime << 192) % 2**64 >> 64 - bits for prime in primes])


def _md5(data: Octets, ends: Places, out: Digits) -> None:
    sines = _words([int(abs(math.sin(step)) * 2**32) for step in range(1, 65)])
    digests.md5(data, ends, _words(_START[:4]), sines, _words(_TURNS), out)


def _sha1(data: Octets, ends: Places, out: Digits) -> None:
    digests.sha1(data, ends, _words(_START), out)


def _sha2(size: int, data: Octets, ends: Places, out: Digits) -> None:
    bits = 32 if size <= 256 else 64
    # SHA-224 starts with the second half of what stands behind the points for SHA-384.
    initial = _square_roots(8 if size in (224, 384) else 0, 64 if size == 224 else bits)
    run = digests.sha2_short if bits == 32 else digests.sha2_long
    run(data, ends, initial & np.uint64(2**bits - 1), _cube_roots(bits), out)


def _digest(write: _Write, digits: int, value: pl.Expr) -> pl.Expr:
    """``write`` takes octets and ends of the values, and fills a row of digits for each."""

    def run(columns: pl.DataFrame) -> pl.Series:
        column = columns.to_series()
        given = octets(column)
        out = np.empty((len(column), digits), np.uint8)
        write(given.data, given.ends, out)
        ends = np.arange(1, len(column) + 1, dtype=np.int64) * digits
        return texts(out.reshape(-1), ends - digits, ends, column.is_not_null())

    return value.map_batches(lambda c: each_once(c.to_frame(), run), return_dtype=pl.String)


def _hash(name: str, write: _Write, digits: int) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, (TEXT_OR_BINARY,), result=char(digits)),
        kernel=lambda _, args: _digest(write, digits, args[0]),
    )


_SIZES = (224, 256, 384, 512)


def _sized(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    value, bits = args
    asked = pl.when(value.is_not_null()).then(bits)
    known = asked.map_batches(_checked, return_dtype=to_polars(evaluation.operands[1].type))
    constant = evaluation.operands[1].value
    sizes = [size for size in _SIZES if constant is UNKNOWN or size == constant] or _SIZES
    hashed = [
        _digest(partial(_sha2, size), size // 4, pl.when(known == size).then(value))
        for size in sizes
    ]
    return pl.coalesce(hashed)


def _checked(sizes: pl.Series) -> pl.Series:
    """Raises EvaluationError: BAD_LENGTH."""
    odd = sizes.filter(~sizes.is_in(_SIZES))
    if len(odd):
        raise failure("BAD_LENGTH", f"SHA2 has 224, 256, 384 or 512 bits, not {odd[0]}")
    return sizes


HASHING = [
    _hash("MD5", _md5, 32),
    _hash("SHA1", _sha1, 40),
    *(_hash(f"SHA{size}", partial(_sha2, size), size // 4) for size in _SIZES),
    ScalarFunction(
        name="SHA2",
        infer=infer("SHA2", (TEXT_OR_BINARY, WHOLE), result=varchar(128)),
        fallible=True,
        kernel=by_constant(_sized),
    ),
]
