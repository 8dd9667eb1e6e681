"""Text as octets that kernels read and write."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.text_bytes import text_bytes
from sameriver.common.text_column import FILLED, text_column
from sameriver.functions.kernels.charsets import mended

Octets = np.ndarray[tuple[int], np.dtype[np.uint8]]
Places = np.ndarray[tuple[int], np.dtype[np.int64]]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Texts laid out one behind the other in UTF-8.

    Attributes:
        data: all octets.
        ends: where each text ends; it starts where the one before it ends.
    """

    data: Octets
    ends: Places


def octets(texts: pl.Series) -> Texts:
    """The octets of a column of texts or binary values; NULL is empty."""
    return Texts(*text_bytes(texts))


def texts(
    data: Octets, starts: Places, ends: Places, known: pl.Series, *, binary: bool = False
) -> pl.Series:
    """Parts of UTF-8, or ``binary`` ones, as a column; NULL where not ``known``."""
    kinds = known.cast(pl.UInt8).to_numpy() * np.uint8(FILLED)
    return text_column(data, starts, ends, kinds, text=not binary).alias("text")


def decoded(value: pl.Expr) -> pl.Expr:
    """Octets as text; what is no UTF-8 is shown by question marks in diamonds."""

    def run(column: pl.Series) -> pl.Series:
        try:
            return column.cast(pl.String)
        except pl.exceptions.ComputeError:
            return column.to_frame("x").select(rewritten(pl.col("x"), mended, 3)).to_series()

    return value.map_batches(run, return_dtype=pl.String)


def rewritten(
    value: pl.Expr,
    rewrite: Callable[[Octets, Places, Octets, Places], None],
    growth: int = 1,
    more: int = 0,
    *,
    binary: bool = False,
) -> pl.Expr:
    """What a kernel writes anew, each ``growth`` times as long as it was at most, and ``more``.

    ``rewrite`` takes octets and ends and fills the new ones; an end of -1 stands for NULL.
    """

    def run(column: pl.Series) -> pl.Series:
        given = octets(column)
        size = len(given.data) * growth + len(column) * more
        found = written_anew(
            size,
            len(column),
            lambda *out: rewrite(given.data, given.ends, *out),
            binary=binary,
        )
        return pl.select(pl.when(column.is_not_null()).then(found)).to_series()

    return value.map_batches(run, return_dtype=pl.Binary if binary else pl.String)


def written_anew(
    size: int, rows: int, write: Callable[[Octets, Places], None], *, binary: bool = False
) -> pl.Series:
    """Texts, or ``binary`` values, of up to ``size`` octets together that a kernel writes.

    ``write`` fills octets and ends; an end of -1 stands for NULL.
    """
    data, ends = np.empty(size, np.uint8), np.empty(rows, np.int64)
    write(data, ends)
    bounds = np.maximum.accumulate(np.append(0, ends))
    known = pl.Series(ends >= 0)
    return texts(data[: bounds[-1]], bounds[:-1], bounds[1:], known, binary=binary)
