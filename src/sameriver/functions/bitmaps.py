"""BITMAP: sets of 32-bit numbers; they rise as numbers without a sign."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.types import (
    BIGINT,
    BITMAP,
    BYTES,
    INT,
    STRING,
    DataType,
    Root,
    array,
)
from sameriver.functions.coercion import implicit_cast_allowed
from sameriver.functions.forms import BINARY, Family, infer
from sameriver.functions.members import Change, per_member
from sameriver.functions.render import numbers_text
from sameriver.functions.roaring import DTYPE, Kept, built, merged, packed, unpacked
from sameriver.functions.signature import Evaluation, Operand, Resolved, ScalarFunction

_SPAN = 2**32


@dataclass(frozen=True, slots=True)
class _Wholes(Family):
    """Arrays of INT, and what becomes one."""

    def parameter(self, operand: Operand) -> DataType | None:
        fits = implicit_cast_allowed(operand.type, array(INT))
        return array(INT).with_nullable(operand.type.nullable) if fits else None


_BITMAP = Family("<bitmap>", frozenset({Root.BITMAP}), BITMAP)
_WHOLES = _Wholes("<array of INT>")
_BITMAPS = Family("<array of bitmaps>", frozenset({Root.ARRAY}))


def _rising(members: pl.DataFrame) -> pl.DataFrame:
    """The numbers of each row, rising, and how often each is there."""
    both = pl.col("row").cast(pl.UInt64) * _SPAN + pl.col("item")
    found = members.select(both).to_series().sort().rle().struct.unnest()
    row, item = pl.col("value") // _SPAN, pl.col("value") % _SPAN
    return found.select(row=row.cast(pl.UInt32), item=item.cast(pl.UInt32), times=pl.col("len"))


def _of_two(name: str, kept: Kept) -> ScalarFunction:
    """The numbers of two bitmaps that are ``kept``."""

    def kernel(_: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
        return merged(args[0], args[1], kept)

    return ScalarFunction(
        name=name, infer=infer(name, (_BITMAP, _BITMAP), result=BITMAP), kernel=kernel
    )


def _of_all(name: str, change: Change) -> ScalarFunction:
    """A bitmap of the bitmaps of a list."""
    return _one(name, _BITMAPS, BITMAP, lambda bitmaps: per_member(change, DTYPE, bitmaps))


def _numbers(bitmaps: pl.DataFrame) -> pl.DataFrame:
    """The numbers of all bitmaps of a row, and how many of the bitmaps hold each."""
    return _rising(bitmaps.explode("item", empty_as_null=False))


def _intersection(bitmaps: pl.DataFrame) -> pl.DataFrame:
    every = bitmaps.group_by("row").len("bitmaps")
    held = _numbers(bitmaps).join(every, on="row", maintain_order="left")
    return held.filter(pl.col("times") == pl.col("bitmaps"))


def _odd(bitmaps: pl.DataFrame) -> pl.DataFrame:
    return _numbers(bitmaps).filter(pl.col("times") % 2 == 1)


def _same(operands: Sequence[Operand]) -> Resolved:
    given = operands[0].type
    return Resolved((given,), given.with_nullable(True))


def _known(_: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    """The values of lists that are not NULL; NULL if there are none."""
    values = args[0].list.drop_nulls()
    return pl.when(values.list.len() > 0).then(values)


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
    _one("BITMAP_BUILD", _WHOLES, BITMAP, built),
    _one("BITMAP_FROM_BYTES", BINARY, BITMAP, unpacked),
    _one("BITMAP_TO_BYTES", _BITMAP, BYTES, packed),
    _one("BITMAP_TO_STRING", _BITMAP, STRING, numbers_text),
    _one(
        "BITMAP_TO_ARRAY",
        _BITMAP,
        array(INT),
        lambda a: a.list.eval(pl.element().reinterpret(signed=True)),
    ),
    _one("BITMAP_CARDINALITY", _BITMAP, BIGINT, lambda a: a.list.len().cast(pl.Int64)),
    _of_two("BITMAP_AND", (False, True, False)),
    _of_two("BITMAP_OR", (True, True, True)),
    _of_two("BITMAP_XOR", (True, False, True)),
    _of_two("BITMAP_ANDNOT", (True, False, False)),
    ScalarFunction(name="$KNOWN", infer=_same, kernel=_known),
    _of_all("$BITMAP_AND", _intersection),
    _of_all("$BITMAP_OR", _numbers),
    _of_all("$BITMAP_XOR", _odd),
]
