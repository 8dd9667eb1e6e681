"""Bitmaps as columns, and in the portable bytes of Roaring, which other systems read and write.

A bitmap is cut up by the upper 16 bits of its numbers; the lower ones of each part are held as a
list, as runs, or as 65,536 bits, whichever is shortest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.common.types import BITMAP, to_polars
from sameriver.functions.distinct import in_full
from sameriver.functions.failure import failure
from sameriver.functions.kernels import roaring
from sameriver.functions.lists import Ends, items, lists
from sameriver.functions.octets import octets, texts

DTYPE = to_polars(BITMAP)
Kept = tuple[bool, bool, bool]
"""Whether numbers stay that are in the first of two bitmaps alone, in both, in the second alone."""
_WRONG = {
    roaring.STRANGE: "they start otherwise",
    roaring.SHORT: "they stop too soon",
    roaring.MANY: "there are too many parts",
    roaring.UNSORTED: "the numbers don't rise",
}


def built(numbers: pl.Expr) -> pl.Expr:
    """Bitmaps of lists of INT; NULLs in them don't count."""
    known = numbers.list.drop_nulls()
    return known.map_batches(_built, return_dtype=DTYPE)


def _built(numbers: pl.Series) -> pl.Series:
    values, ends = items(numbers)
    values, out_ends = values.view(np.uint32).copy(), np.empty_like(ends)
    roaring.rising(values, ends, out_ends)
    return _column(values, out_ends, numbers.is_not_null())


def merged(one: pl.Expr, two: pl.Expr, kept: Kept) -> pl.Expr:
    """The numbers of two bitmaps that are ``kept``."""

    def run(series: Sequence[pl.Series]) -> pl.Series:
        first, second = in_full(series)
        (a, a_ends), (b, b_ends) = items(first), items(second)
        out, ends = np.empty(len(a) + len(b) + 1, np.uint32), np.empty_like(a_ends)
        roaring.merge(a, a_ends, b, b_ends, *kept, out, ends)
        return _column(out, ends, first.is_not_null() & second.is_not_null())

    return pl.map_batches([one, two], run, return_dtype=DTYPE)


def packed(bitmaps: pl.Expr) -> pl.Expr:
    """Their bytes."""
    return bitmaps.map_batches(to_bytes, return_dtype=pl.Binary)


def to_bytes(bitmaps: pl.Series) -> pl.Series:
    """The bytes of bitmaps."""
    numbers, ends = items(bitmaps)
    data = np.empty(12 * len(ends) + 11 * len(numbers), np.uint8)
    out_ends = np.empty_like(ends)
    roaring.write(numbers, ends, data, out_ends)
    starts = np.append(0, out_ends[:-1])
    return texts(data, starts, out_ends, bitmaps.is_not_null(), binary=True)


def unpacked(values: pl.Expr) -> pl.Expr:
    """The bitmaps of bytes.

    Raises:
        EvaluationError: BAD_BITMAP, when evaluated.
    """
    return values.map_batches(from_bytes, return_dtype=DTYPE)


def from_bytes(values: pl.Series) -> pl.Series:
    """The bitmaps; bytes behind one don't count.

    Raises:
        EvaluationError: BAD_BITMAP.
    """
    given, known = octets(values), values.is_not_null().to_numpy()
    wrong, ends = np.zeros(len(values), np.int8), np.empty(len(values), np.int64)
    numbers = np.empty(0, np.uint32)
    for keep in (False, True):
        roaring.read(given.data, given.ends, known, numbers, keep, wrong, ends)
        bad = np.flatnonzero(wrong)
        if len(bad):
            reason, shown = _WRONG[int(wrong[bad[0]])], values[int(bad[0])].hex()
            raise failure("BAD_BITMAP", f"'{shown}' are no bytes of a bitmap: {reason}")
        numbers = numbers if keep else np.empty(ends[-1] if len(ends) else 0, np.uint32)
    return _column(numbers, ends, values.is_not_null())


def _column(numbers: np.ndarray, ends: Ends, known: pl.Series) -> pl.Series:
    return lists(pl.Series(numbers, dtype=pl.UInt32), ends, known)
