"""Rows of a table out of what its checkpoints saved, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import polars as pl

from sameriver.checkpoint.files import foreign, read_frame, write_frame
from sameriver.checkpoint.manifest import Part, SavedTable
from sameriver.common.schema import unique
from sameriver.state.handle import Delta
from sameriver.state.kernels.types import NO_INTS, Ints

ID = "$id"


def merge(older: Delta, newer: Delta) -> Delta:
    """Two deltas, one after the other, as one."""
    if newer.whole:
        return newer
    kept = ~_among(older.ids, np.concatenate([newer.ids, newer.gone]))
    gone = NO_INTS
    if not older.whole:
        buried = older.gone[~_among(older.gone, newer.ids)]
        gone = np.unique(np.concatenate([buried, newer.gone]))
    return Delta(
        rows=pl.concat([older.rows.filter(pl.Series(kept)), newer.rows]),
        ids=np.concatenate([older.ids[kept], newer.ids]),
        gone=gone,
        whole=older.whole,
    )


def _among(ids: Ints, others: Ints) -> np.ndarray:
    found: np.ndarray = pl.Series(ids).is_in(pl.Series(others).implode()).to_numpy()
    return found


def write_part(folder: Path, name: str, delta: Delta, shard: int, *, below: str) -> Part:
    """Writes a delta into ``folder``: its rows with their ids, and the ids that are gone.

    Raises:
        OSError: the disk is full, and the like.
    """
    ids = pl.Series(unique(ID, delta.rows.columns), delta.ids)
    rows = delta.rows.select(ids, *delta.rows.columns)
    gone = None
    if len(delta.gone) and not delta.whole:
        frame = pl.DataFrame({ID: delta.gone})
        gone = write_frame(folder, f"{name}.gone.parquet", frame, below=below, brief=True)
    return Part(
        shard=shard,
        whole=delta.whole,
        has_ids=True,
        rows=write_frame(folder, f"{name}.parquet", rows, below=below, brief=True),
        gone=gone,
    )


def read_part(root: Path, part: Part) -> Delta:
    """What ``write_part`` wrote.

    Raises:
        ExternalError: a file is missing, torn, altered or not a file of state.
    """
    rows = read_frame(root, part.rows)
    ids = np.arange(rows.height)
    if part.has_ids:
        if not rows.width or rows.dtypes[0] != pl.Int64:
            raise foreign(root, part.rows, "has no column of ids")
        ids = rows.to_series(0).to_numpy()
        rows = rows.drop(rows.columns[0])
    gone = NO_INTS if part.gone is None else read_frame(root, part.gone).to_series(0).to_numpy()
    return Delta(rows=rows, ids=ids, gone=gone, whole=part.whole)


def read_table(root: Path, table: SavedTable) -> pl.DataFrame:
    """All rows of a table, shard by shard, in the order they had in memory.

    Raises:
        ExternalError: a file is missing, torn, altered or not the table's own.
    """
    names = [column.name for column in table.columns]
    parts = sorted(table.parts, key=lambda part: part.shard)
    frames = []
    for _, saved in groupby(parts, key=lambda part: part.shard):
        frames.append(_rows(root, list(saved), names))
    return pl.concat(frames)


def _rows(root: Path, parts: Sequence[Part], names: Sequence[str]) -> pl.DataFrame:
    """The rows of one shard."""
    whole: Delta | None = None
    for part in parts:
        delta = read_part(root, part)
        if delta.rows.columns != list(names):
            raise foreign(root, part.rows, f"has columns {delta.rows.columns}, not {list(names)}")
        whole = delta if whole is None else merge(whole, delta)
    assert whole is not None
    if np.all(whole.ids[1:] >= whole.ids[:-1]):
        return whole.rows
    return whole.rows[pl.Series(np.argsort(whole.ids, kind="stable"))]
