"""Looks into saved state: which tables there are, their rows, and SQL over them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import polars as pl

from sameriver.checkpoint.fold import read_table
from sameriver.checkpoint.savepoint import NamedTable, Savepoint, named_tables, open_savepoint
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError, UserError, nearest

_TRIES = 3
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """What there is to know about a saved table.

    Attributes:
        name: under which it is shown and queried.
        job: name of the job.
        operator: kind and number of the node.
        rows: that count.
        bytes: of its files, with what later rows have replaced.
        files: how many.
        ttl: in ms; None: rows live for ever.
        oldest, newest: when rows were last written, in ms since 1970, where that is kept.
    """

    name: str
    job: str
    operator: str
    rows: int
    bytes: int
    files: int
    ttl: int | None
    oldest: int | None
    newest: int | None


def facts(path: Path) -> tuple[Savepoint, list[TableFacts]]:
    """What is saved in a state folder, a checkpoint or a savepoint.

    Raises:
        UserError: NO_SAVEPOINT.
        ExternalError: a file is missing, torn, altered or foreign.
    """

    def look(saved: Savepoint) -> tuple[Savepoint, list[TableFacts]]:
        return saved, [_facts(saved, named) for named in named_tables(saved.manifest)]

    return _steadily(path, look)


def _facts(saved: Savepoint, named: NamedTable) -> TableFacts:
    rows = read_table(saved.root, named.table)
    files = list(named.table.files)
    access = named.table.access
    times = None if access is None else rows[access].dt.epoch("ms")
    return TableFacts(
        name=named.name,
        job=saved.manifest.jobs[named.job - 1].name,
        operator=f"{named.node.kind} {named.node.number}",
        rows=rows.height,
        bytes=sum(file.bytes for file in files),
        files=len(files),
        ttl=named.table.ttl,
        oldest=None if times is None else _whole(times.min()),
        newest=None if times is None else _whole(times.max()),
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def table(path: Path, name: str) -> pl.DataFrame:
    """The rows of a table.

    Raises:
        UserError: NO_SAVEPOINT, UNKNOWN_TABLE.
        ExternalError: a file is missing, torn, altered or foreign.
    """

    def look(saved: Savepoint) -> pl.DataFrame:
        known = {named.name: named.table for named in named_tables(saved.manifest)}
        if name not in known:
            raise UserError(
                "UNKNOWN_TABLE",
                f"there is no table of state '{name}'",
                hint=nearest(name, known) or "No operator of this script keeps state.",
            )
        return read_table(saved.root, known[name])

    return _steadily(path, look)


def query(path: Path, sql: str) -> pl.DataFrame:
    """The answer to a SELECT over the tables, in the SQL of Polars.

    Raises:
        UserError: NO_SAVEPOINT, BAD_QUERY.
        ExternalError: a file is missing, torn, altered or foreign.
    """

    def look(saved: Savepoint) -> dict[str, pl.DataFrame]:
        return {
            named.name: read_table(saved.root, named.table)
            for named in named_tables(saved.manifest)
            if named.name in sql
        }

    frames = _steadily(path, look)
    try:
        with pl.SQLContext(frames, eager=True) as context:
            answer: pl.DataFrame = context.execute(sql)
    except pl.exceptions.PolarsError as error:
        names = [named.name for named in named_tables(open_savepoint(path).manifest)]
        raise UserError(
            "BAD_QUERY",
            str(error).splitlines()[0],
            hint=f"Tables: {', '.join(names) or 'none'}.",
        ) from error
    return answer


def _steadily(path: Path, look: Callable[[Savepoint], Found]) -> Found:
    """Looks again if the job that runs took a file away meanwhile."""
    tried = 0
    while True:
        saved = open_savepoint(path)
        try:
            return look(saved)
        except ExternalError as error:
            tried += 1
            if error.code != "MISSING_FILE" or tried == _TRIES:
                raise
            if open_savepoint(path).checksum == saved.checksum:
                raise
