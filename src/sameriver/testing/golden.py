"""Reads a folder in the format of Flink's answers: job, input files, arrival and expectations."""

from __future__ import annotations

import json
import re
from pathlib import Path

from sameriver.common.errors import UserError
from sameriver.testing.scenario import FileRows, Row, Scenario, Sleep, Step

OPTIONS = {
    "table.exec.mini-batch.enabled": "false",
    "table.exec.state.ttl": "0",
    "scan.watermark.emit.strategy": "on-event",
}
"""How the answers were made: record by record, no TTL, a watermark after each row."""


def is_golden(path: Path) -> bool:
    return (path / "job.sql").is_file()


def read_golden(path: Path) -> Scenario:
    """Reads a folder.

    Raises:
        UserError: BAD_CASE for an arrival line that can't be read.
    """
    refused = (path / "expected_error.txt").exists()
    return Scenario(
        name=path.name,
        path=path,
        sql=(path / "job.sql").read_text(encoding="utf-8"),
        steps=_arrival(path / "arrival.txt"),
        options=OPTIONS,
        changelog=None if refused else _changelog(path / "expected.jsonl"),
        schema=None if refused else _schema(path / "schema.jsonl"),
        may_refuse=refused,
        exact=False,
    )


def _arrival(path: Path) -> tuple[Step, ...]:
    if not path.exists():
        return ()
    steps: list[Step] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        match = re.fullmatch(r"sleep (\d+)|(\w+)(?:\*(\d+))?", text)
        if match is None:
            raise UserError(
                "BAD_CASE",
                f"{path.name}:{number}: '{text}' is no arrival",
                hint="Write TABLE, TABLE*N or sleep MS.",
            )
        wait, table, count = match.groups()
        steps.append(Sleep(int(wait)) if wait else FileRows(table, int(count or 1)))
    return tuple(steps)


def _changelog(path: Path) -> tuple[Row, ...]:
    lines = path.read_text(encoding="utf-8").splitlines()
    changes = [json.loads(line) for line in lines if line]
    return tuple((change["op"], tuple(change["row"])) for change in changes)


def _schema(path: Path) -> tuple[tuple[str, str], ...]:
    lines = path.read_text(encoding="utf-8").splitlines()
    columns = [json.loads(line) for line in lines if line]
    return tuple((column["name"], column["type"]) for column in columns)
