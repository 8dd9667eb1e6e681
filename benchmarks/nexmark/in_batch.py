"""The queries as DuckDB takes them: over the whole CSV file at once.

Most are the same text. Windows are written otherwise (``batch/``), and what is about processing
time or about how files are written has no meaning in batch.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.nexmark.scripts import HERE, query

WITHOUT_MEANING = ("q10", "q12")
_TYPES = {"INT": "INTEGER", "BIGINT": "BIGINT", "STRING": "VARCHAR", "TIMESTAMP(3)": "TIMESTAMP"}


def setup(folder: Path) -> list[str]:
    """Functions, the file of events and its views, and the side input of q13."""
    declared = (HERE / "sources" / "flat.sql").read_text().partition("(\n")[2]
    columns = re.findall(r"`?(\w+)`? (INT|BIGINT|STRING|TIMESTAMP\(3\))(?=,|\n)", declared)
    types = ", ".join(f"'{name}': '{_TYPES[type]}'" for name, type in columns)
    file = f"read_csv('{folder}/csv/*.csv', header = false, nullstr = '', columns = {{{types}}})"
    side = f"read_csv('{folder}/side_input.csv', columns = {{'key': 'BIGINT', 'value': 'VARCHAR'}})"
    return [
        *_statements(HERE / "batch" / "functions.sql"),
        f"CREATE VIEW events AS SELECT * FROM {file}",
        f"CREATE VIEW side_input AS SELECT * FROM {side}",
        *_statements(HERE / "sources" / "views_flat.sql"),
    ]


def select(name: str, folder: Path) -> str | None:
    """The query; None: it has no meaning in batch."""
    if name in WITHOUT_MEANING:
        return None
    own = HERE / "batch" / f"{name}.sql"
    text = own.read_text() if own.exists() else query(name, folder).select
    return text.replace("`", '"')


def _statements(path: Path) -> list[str]:
    text = path.read_text().replace("`", '"')
    return [part.strip() for part in text.split(";\n") if part.strip()]
