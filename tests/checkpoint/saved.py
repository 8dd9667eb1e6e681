"""Manifests and jobs with little in them, to test checkpoints with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from sameriver.checkpoint.fold import write_part
from sameriver.checkpoint.manifest import (
    CHECKPOINT,
    Manifest,
    Metrics,
    Part,
    SavedColumn,
    SavedJob,
    SavedNode,
    SavedScope,
    SavedTable,
)
from sameriver.state.handle import Delta


def delta(rows: dict[int, int], gone: tuple[int, ...] = (), *, whole: bool = False) -> Delta:
    """Rows of a number and the square of it; keys are ids."""
    ids = np.array(sorted(rows), np.int64)
    frame = pl.DataFrame({"k": ids, "v": [rows[i] for i in ids.tolist()]}, schema=SCHEMA)
    return Delta(rows=frame, ids=ids, gone=np.array(gone, np.int64), whole=whole)


SCHEMA = {"k": pl.Int64, "v": pl.Int64}


def column(name: str, role: str) -> SavedColumn:
    return SavedColumn(name=name, type="BIGINT", meaning=f"t.{name}", role=role)


def table(*parts: Part, name: str = "rows") -> SavedTable:
    return SavedTable(
        name=name,
        key=(column("k", "key"),),
        values=(column("v", "row"),),
        scope=SavedScope(sources=("t:filesystem",), filters=(), path=()),
        ttl=None,
        parts=parts,
    )


def manifest(number: int, *tables: SavedTable) -> Manifest:
    node = SavedNode(
        number=2, kind="KeepRows", inputs=(1,), watermarks=(5,), emitted=5, tables=tables
    )
    job = SavedJob(
        name="SELECT", finished=False, description=None, nodes=(node,), sources=(), sinks=()
    )
    return Manifest(
        kind=CHECKPOINT,
        version="0",
        number=number,
        created=1000,
        script="SELECT 1;",
        origin="",
        jobs=(job,),
        metrics=Metrics(duration=1, pause=1, rows=1, bytes=1),
    )


def write(draft: Path, below: str, number: int, rows: dict[int, int]) -> Manifest:
    """A checkpoint of one table, saved whole."""
    part = write_part(draft, "t", delta(rows, whole=True), 0, below=below)
    return manifest(number, table(part))
