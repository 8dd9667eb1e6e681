"""``sameriver state``."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from sameriver.checkpoint import reading
from sameriver.checkpoint.manifest import Manifest
from sameriver.checkpoint.reading import TableFacts
from sameriver.cli.progress import bytes_text, rough_duration
from sameriver.cli.script import errors_of
from sameriver.common.time import duration_text

app = typer.Typer(help="Looks into the state of jobs.", no_args_is_help=True)

StateArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="State folder, savepoint or checkpoint.")
]


class Format(Enum):
    """The value is the word for ``--format``."""

    TABLE = "table"
    JSONL = "jsonl"
    CSV = "csv"


FormatOption = Annotated[Format, typer.Option(help="How rows are shown.")]


@app.command("ls")
def list_tables(folder: StateArgument, format: FormatOption = Format.TABLE) -> None:
    """Lists operators and their tables: rows, bytes, time to live, ages of the last writes."""
    with errors_of(str(folder)):
        saved, tables = reading.facts(folder)
    now = time.time_ns() // 1_000_000
    if format is Format.TABLE:
        print("\n".join(_described(saved.manifest)))
        _show(pl.DataFrame([_row(one, now) for one in tables], infer_schema_length=None), format)
    else:
        _show(pl.DataFrame(tables, infer_schema_length=None), format)


@app.command("show")
def show_table(
    folder: StateArgument,
    table: Annotated[str, typer.Argument(help="A name that 'ls' lists.")],
    limit: Annotated[int, typer.Option(help="Most rows; 0: all.")] = 20,
    format: FormatOption = Format.TABLE,
) -> None:
    """Shows the rows of a table."""
    with errors_of(str(folder)):
        rows = reading.table(folder, table)
        _show(rows.head(limit) if limit else rows, format)
    if format is Format.TABLE and 0 < limit < rows.height:
        print(f"{limit} of {rows.height:,} rows; --limit 0 shows all")


@app.command("query")
def query_tables(
    folder: StateArgument,
    sql: Annotated[str, typer.Argument(help="A SELECT over the names that 'ls' lists.")],
    format: FormatOption = Format.TABLE,
) -> None:
    """Runs SQL (of Polars) over the tables."""
    with errors_of(str(folder)):
        _show(reading.query(folder, sql), format)


def _described(manifest: Manifest) -> list[str]:
    moment = datetime.fromtimestamp(manifest.created / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    metrics = manifest.metrics
    lines = [
        f"{manifest.kind} {manifest.number} of {moment} UTC: "
        f"took {rough_duration(metrics.duration)}, paused the job for "
        f"{rough_duration(metrics.pause)}, wrote {metrics.rows:,} rows, "
        f"{bytes_text(metrics.bytes)}"
    ]
    for number, job in enumerate(manifest.jobs, 1):
        lines.append(f"job {number}: {job.name}{' (finished)' if job.finished else ''}")
    return lines


def _row(facts: TableFacts, now: int) -> dict[str, str]:
    def age(moment: int | None) -> str:
        return "" if moment is None else rough_duration(now - moment)

    return {
        "table": facts.name,
        "operator": facts.operator,
        "rows": f"{facts.rows:,}",
        "size": bytes_text(facts.bytes),
        "ttl": "" if facts.ttl is None else duration_text(facts.ttl),
        "newest": age(facts.newest),
        "oldest": age(facts.oldest),
    }


def _show(rows: pl.DataFrame, format: Format) -> None:
    match format:
        case Format.JSONL:
            print(rows.write_ndjson(), end="")
        case Format.CSV:
            print(_flat(rows).write_csv(), end="")
        case Format.TABLE if rows.width:
            _print(_flat(rows))


def _flat(rows: pl.DataFrame) -> pl.DataFrame:
    """Nested values as text."""
    nested = [name for name, dtype in rows.schema.items() if dtype.is_nested()]
    texts = [pl.Series(name, [_text(value) for value in rows[name]]) for name in nested]
    return rows.with_columns(texts)


def _text(value: object) -> str | None:
    if isinstance(value, pl.Series):
        value = value.to_list()
    return None if value is None else str(value)


def _print(rows: pl.DataFrame) -> None:
    """Columns side by side; numbers to the right."""
    columns = []
    for column in rows:
        cells = ["NULL" if value is None else str(value) for value in column]
        width = max(map(len, [column.name, *cells]))
        right = column.dtype.is_numeric()
        columns.append([c.rjust(width) if right else c.ljust(width) for c in (column.name, *cells)])
    for line in zip(*columns, strict=True):
        sys.stdout.write("  ".join(line).rstrip() + "\n")
