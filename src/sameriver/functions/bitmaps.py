"""BITMAP: sets of 32-bit numbers; they rise as numbers without a sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from sameriver.common.types import (
    BIGINT,
    BITMAP,
    BYTES,
    INT,
    STRING,
    DataType,
    Root,
    array,
    to_polars,
)
from sameriver.functions.coercion import implicit_cast_allowed
from sameriver.functions.distinct import by_distinct
from sameriver.functions.failure import failure
from sameriver.functions.forms import BINARY, Family, infer
from sameriver.functions.members import Change, per_member
from sameriver.functions.render import numbers_text
from sameriver.functions.roaring import from_bytes, packed
from sameriver.functions.signature import Operand, ScalarFunction

_DTYPE = to_polars(BITMAP)


@dataclass(frozen=True, slots=True)
class _Wholes(Family):
    """Arrays of INT, and what becomes one."""

    def parameter(self, operand: Operand) -> DataType | None:
        fits = implicit_cast_allowed(operand.type, array(INT))
        return array(INT).with_nullable(operand.type.nullable) if fits else None


_BITMAP = Family("<bitmap>", frozenset({Root.BITMAP}), BITMAP)
_WHOLES = _Wholes("<array of INT>")
_BITMAPS = Family("<array of bitmaps>", frozenset({Root.ARRAY}))


def _built(numbers: pl.Expr) -> pl.Expr:
    known = numbers.list.drop_nulls().list.eval(pl.element().reinterpret(signed=False))
    return _rising(known.list.unique())


def _rising(numbers: pl.Expr) -> pl.Expr:
    return per_member(lambda members: members.sort("row", "item"), _DTYPE, numbers)


def _read(data: bytes) -> list[int]:
    """The numbers in a bitmap's bytes.

    Raises:
        EvaluationError: BAD_BITMAP.
    """
    try:
        numbers: list[int] = from_bytes(data).tolist()
    except ValueError as error:
        raise failure("BAD_BITMAP", f"'{data.hex()}' are no bytes of a bitmap: {error}") from None
    return numbers


def _two(name: str, combine: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, (_BITMAP, _BITMAP), result=BITMAP),
        kernel=lambda _, args: _rising(combine(*args)),
    )


def _all_of(name: str, change: Change) -> ScalarFunction:
    """One bitmap of a list of them."""
    return ScalarFunction(
        name=name,
        infer=infer(name, (_BITMAPS,), result=BITMAP),
        kernel=lambda _, args: per_member(change, _DTYPE, args[0]),
    )


def _numbers(bitmaps: pl.DataFrame) -> pl.DataFrame:
    """The numbers of all bitmaps of a row, rising, and how many of the bitmaps hold each."""
    numbers = bitmaps.explode("item", empty_as_null=False).group_by("row", "item").len("times")
    return numbers.sort("row", "item")


def _intersection(bitmaps: pl.DataFrame) -> pl.DataFrame:
    every = bitmaps.group_by("row").len("bitmaps")
    held = _numbers(bitmaps).join(every, on="row", maintain_order="left")
    return held.filter(pl.col("times") == pl.col("bitmaps"))


def _odd(bitmaps: pl.DataFrame) -> pl.DataFrame:
    return _numbers(bitmaps).filter(pl.col("times") % 2 == 1)


def _one(
    name: str, family: Family, result: DataType, compute: Callable[[pl.Expr], pl.Expr]
) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, (family,), result=result),
        kernel=lambda _, args: compute(args[0]),
        fallible=name == "BITMAP_FROM_BYTES",
    )


BITMAPS = [
    _one("BITMAP_BUILD", _WHOLES, BITMAP, _built),
    _one("BITMAP_FROM_BYTES", BINARY, BITMAP, lambda a: by_distinct(_read, _DTYPE, a)),
    _one("BITMAP_TO_BYTES", _BITMAP, BYTES, packed),
    _one("BITMAP_TO_STRING", _BITMAP, STRING, numbers_text),
    _one(
        "BITMAP_TO_ARRAY",
        _BITMAP,
        array(INT),
        lambda a: a.list.eval(pl.element().reinterpret(signed=True)),
    ),
    _one("BITMAP_CARDINALITY", _BITMAP, BIGINT, lambda a: a.list.len().cast(pl.Int64)),
    _two("BITMAP_AND", lambda a, b: a.list.set_intersection(b)),
    _two("BITMAP_OR", lambda a, b: a.list.set_union(b)),
    _two("BITMAP_XOR", lambda a, b: a.list.set_symmetric_difference(b)),
    _two("BITMAP_ANDNOT", lambda a, b: a.list.set_difference(b)),
    _all_of("$BITMAP_AND", _intersection),
    _all_of("$BITMAP_OR", _numbers),
    _all_of("$BITMAP_XOR", _odd),
]
