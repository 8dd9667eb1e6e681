"""A script run by the command line on one of the engines, and what it gives."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable
from contextlib import chdir
from pathlib import Path

from typer.testing import CliRunner

from sameriver.cli.app import app

SCRIPTS = Path(__file__).parent / "scripts"
FLINK = ("--on", "flink")
Table = Counter[str]
"""Rows as JSON, counted; those of files after the folder they are in."""


def tables() -> str:
    """The declarations of all scripts, which come first."""
    return (SCRIPTS / "tables.sql").read_text(encoding="utf-8")


def printed(script: str, folder: Path, *flags: str) -> str:
    """What a script prints; it runs in ``folder``, beside a copy of the data."""
    if not (folder / "data").exists():
        shutil.copytree(SCRIPTS / "data", folder / "data")
    (folder / "script.sql").write_text(script, encoding="utf-8")
    with chdir(folder):
        done = CliRunner().invoke(app, ["run", "script.sql", "--output", "jsonl", *flags])
    assert done.exit_code == 0, done.output
    return done.stdout


def changes(script: str, folder: Path, *flags: str) -> list[str]:
    """The changelog of the SELECTs of a script, a line a change."""
    return [line for line in printed(script, folder, *flags).splitlines() if line.startswith("{")]


def final(script: str, folder: Path, *flags: str) -> Table:
    """The tables that a script's SELECTs add up to, and those it writes into ``out``."""
    table = materialized(changes(script, folder, *flags))
    for path in (folder / "out").rglob("*"):
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            where = os.fspath(path.parent.relative_to(folder))
            table.update(f"{where}: {line}" for line in path.read_text("utf-8").splitlines())
    return table


def materialized(lines: Iterable[str]) -> Table:
    """The table that a changelog, a line a change, adds up to."""
    table: Table = Counter()
    for line in lines:
        change = json.loads(line)
        table[json.dumps(change["row"])] += 1 if change["op"] in ("+I", "+U") else -1
    assert all(count >= 0 for count in table.values()), "a row is taken back that is not there"
    return +table
