"""Parts of frames, taken without Polars' query engine where there are few rows.

The start of the engine, and of its threads, costs more than all the work on a small batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

FEW = 1 << 12
"""Rows up to which threads don't pay."""


def picked(rows: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """The columns of these names; without any, a frame of the same height."""
    columns = [rows.get_column(name) for name in names]
    return pl.DataFrame(columns) if columns else pl.DataFrame(height=rows.height)


def filtered(rows: pl.DataFrame, mask: pl.Series) -> pl.DataFrame:
    """The rows where ``mask`` is true (NULL drops)."""
    if rows.height > FEW or not rows.width:
        return rows.filter(mask)
    return pl.DataFrame([column.filter(mask) for column in rows.get_columns()])


def gathered(rows: pl.DataFrame, positions: pl.Series) -> pl.DataFrame:
    """The rows at ``positions``, in that order."""
    if len(positions) > FEW or not rows.width:
        return rows[positions]
    return pl.DataFrame([column[positions] for column in rows.get_columns()])


def stacked(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of all parts, in order."""
    if sum(part.height for part in parts) > FEW or not parts[0].width:
        return pl.concat(parts)
    columns = zip(*(part.get_columns() for part in parts), strict=True)
    return pl.DataFrame([pl.concat(column, rechunk=True) for column in columns])


def in_one_piece(rows: pl.DataFrame) -> pl.DataFrame:
    """The same rows in memory of one piece."""
    if rows.height > FEW or not rows.width:
        return rows.rechunk()
    return pl.DataFrame([column.rechunk() for column in rows.get_columns()])
