"""Helpers: opens sources and sinks as the engine would, and reads them to the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.changes import ChangeKind, Changes, concat
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.connectors.connector import Position, Sink, Source, TableContext
from sameriver.connectors.registry import check_options, connector

GOLDEN = Path(__file__).parents[1] / "golden"


def context(
    schema: Schema,
    options: dict[str, str],
    *,
    declared: Schema | None = None,
    metadata: dict[str, str] | None = None,
    partitioned_by: Sequence[str] = (),
    now: int = 0,
) -> TableContext:
    return TableContext(
        name="t",
        schema=schema,
        declared=declared or schema,
        options=options,
        metadata=metadata or {},
        primary_key=(),
        partitioned_by=tuple(partitioned_by),
        zone=ZoneInfo("UTC"),
        clock=ManualClock(now),
    )


def source(table: TableContext) -> Source:
    name = table.options["connector"]
    check_options(name, table.options, schema=table.declared)
    make = connector(name).source
    assert make is not None
    return make(table)


def sink(table: TableContext) -> Sink:
    name = table.options["connector"]
    check_options(name, table.options, schema=table.declared)
    make = connector(name).sink
    assert make is not None
    return make(table)


def file_options(path: Path, format: str, **more: str) -> dict[str, str]:
    """WITH of a filesystem table; ``more`` are options of the format, ``_`` for ``-``."""
    extra = {f"{format}.{key.replace('__', '.').replace('_', '-')}": v for key, v in more.items()}
    return {"connector": "filesystem", "path": str(path), "format": format, **extra}


def drain(source: Source, rows: int = 1000) -> Changes:
    """All that is left."""
    parts: list[Changes] = []
    while True:
        batch = source.poll(rows)
        if batch.changes is not None:
            parts.append(batch.changes)
        if batch.finished:
            break
    return concat(parts) if parts else Changes(pl.DataFrame())


def positions(source: Source, rows: int) -> list[tuple[Position, int]]:
    """Position after each poll, and how many rows had come by then."""
    found: list[tuple[Position, int]] = []
    count = 0
    while True:
        batch = source.poll(rows)
        count += 0 if batch.changes is None else len(batch.changes)
        found.append((batch.position, count))
        if batch.finished:
            return found


def read(schema: Schema, path: Path, format: str, **more: str) -> list[tuple[object, ...]]:
    """All rows of a file."""
    return drain(source(context(schema, file_options(path, format, **more)))).rows.rows()


def symbols(changes: Changes) -> list[str]:
    return [ChangeKind(kind).symbol for kind in changes.kinds_or_inserts().to_list()]
