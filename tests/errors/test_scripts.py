"""Each wrong script gives a code, a place and a way out; none gives a traceback."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from sameriver import SameriverError, Session
from sameriver.common.errors import render

TABLES = (
    "CREATE TABLE orders (id BIGINT, k STRING, qty INT, ts TIMESTAMP(3), "
    "WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen', 'number-of-rows' = '3'); "
    "CREATE TABLE plain (k STRING, ts TIMESTAMP(3)) WITH ('connector' = 'datagen'); "
    "CREATE TABLE gen (id INT) WITH ('connector' = 'datagen'); "
    "CREATE TABLE sink (id BIGINT, k STRING) WITH ('connector' = 'blackhole'); "
    "CREATE TABLE files (k STRING, n BIGINT) "
    "WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json');\n"
)
FILE = Path(__file__).with_name("scripts.txt")


@dataclass(frozen=True)
class Wrong:
    code: str
    place: str
    fragments: tuple[str, ...]
    sql: str


def wrong_scripts() -> list[Wrong]:
    blocks = re.split(r"^== ", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = []
    for block in blocks:
        head, *lines = block.rstrip("\n").splitlines()
        code, _, place = head.partition(" ")
        fragments = tuple(line[2:] for line in lines if line.startswith("| "))
        sql = "\n".join(line for line in lines if not line.startswith("| "))
        found.append(Wrong(code, place, fragments, sql))
    return found


def run(script: str) -> None:
    for result in Session().execute(script):
        list(result.batches())


def outcome(sql: str, folder: Path) -> tuple[SameriverError, str]:
    script = TABLES.replace("{folder}", str(folder)) + sql
    with pytest.raises(SameriverError) as caught:
        run(script)
    return caught.value, render(caught.value, script, "job.sql")


def test_there_are_at_least_eighty() -> None:
    assert len(wrong_scripts()) >= 80


@pytest.mark.parametrize("wrong", wrong_scripts(), ids=lambda w: w.sql[:60])
def test_a_wrong_script_is_refused_by_name_and_place(wrong: Wrong, tmp_path: Path) -> None:
    error, text = outcome(wrong.sql, tmp_path)
    position = error.position
    # the tables stand on the first line, so that line 1 of the script is line 2 here
    place = "" if position is None else f"{position.line - 1}:{position.column}"
    assert (error.code, place) == (wrong.code, wrong.place), text
    assert error.hint, f"no way out: {text}"
    for fragment in wrong.fragments:
        assert fragment in text
