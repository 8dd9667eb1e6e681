"""The queries as DuckDB takes them: over the whole file at once.

Most are the same text. Windows are written otherwise (``batch/``), and what is about processing
time or about how files are written has no meaning in batch.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.nexmark.scripts import HERE, VIEWS, query

WITHOUT_MEANING = ("q10", "q12")


def setup(format: str, folder: Path) -> list[str]:
    """Functions, the file of events and its views, and the side input of q13."""
    events = {"csv": _csv, "json": _json, "parquet": _parquet}[format](folder)
    side = f"read_csv('{folder}/side_input.csv', columns = {{'key': 'BIGINT', 'value': 'VARCHAR'}})"
    return [
        *_statements(HERE / "batch" / "functions.sql"),
        f"CREATE VIEW events AS {events}",
        f"CREATE VIEW side_input AS SELECT * FROM {side}",
        *_statements(HERE / "sources" / f"{VIEWS[format]}.sql"),
    ]


def select(name: str, folder: Path) -> str | None:
    """The query; None: it has no meaning in batch."""
    if name in WITHOUT_MEANING:
        return None
    own = HERE / "batch" / f"{name}.sql"
    text = own.read_text() if own.exists() else query(name, folder).select
    return text.replace("`", '"')


def _parquet(folder: Path) -> str:
    return f"SELECT * FROM read_parquet('{folder}/parquet/*.parquet')"


def _csv(folder: Path) -> str:
    columns = _columns(_declared("flat"))
    return f"SELECT * FROM read_csv('{folder}/csv/*.csv', header = false, nullstr = '', {columns})"


def _json(folder: Path) -> str:
    stored, _, computed = _declared("nested").partition('"dateTime" AS ')
    time, columns = computed.rpartition(",")[0], _columns(stored)
    file = f"read_json('{folder}/json/*.json', format = 'newline_delimited', {columns})"
    return f'SELECT *, {time} AS "dateTime" FROM {file}'


def _declared(shape: str) -> str:
    """The columns of a table of events up to its watermark, in DuckDB's types."""
    text = (HERE / "sources" / f"{shape}.sql").read_text().replace("`", '"')
    text = text.partition("(\n")[2].partition("WATERMARK")[0].replace("TIMESTAMP(3)", "TIMESTAMP")
    return re.sub(r"ROW<(.*?)>", r"STRUCT(\1)", text, flags=re.DOTALL)


def _columns(declared: str) -> str:
    """The option of a reader of files that tells the types of columns."""
    columns = re.findall(r'"?(\w+)"? (\w+(?:\(.*?\))?),', declared, flags=re.DOTALL)
    return "columns = {" + ", ".join(f"'{name}': '{type}'" for name, type in columns) + "}"


def _statements(path: Path) -> list[str]:
    text = path.read_text().replace("`", '"')
    return [part.strip() for part in text.split(";\n") if part.strip()]
