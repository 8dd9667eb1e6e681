"""``sameriver check`` from the outside: exit status, formats, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sameriver import Session
from sameriver.cli.app import app

DDL = """CREATE TABLE orders (region STRING, amount BIGINT, qty INT)
WITH ('connector' = 'datagen', 'number-of-rows' = '9');
CREATE TABLE totals (region STRING, total BIGINT, most INT) WITH ('connector' = 'blackhole');
"""
OLD = f"{DDL}INSERT INTO totals SELECT region, SUM(amount), MAX(qty) FROM orders GROUP BY region;\n"
PARTIAL = OLD.replace("MAX(qty)", "MIN(qty)")
BROKEN = OLD.replace("GROUP BY region", "WHERE qty > 1 GROUP BY region")


def checked(folder: Path, new: str, *args: str, old: str = OLD) -> tuple[int, str, str]:
    (folder / "old.sql").write_text(old, encoding="utf-8")
    (folder / "new.sql").write_text(new, encoding="utf-8")
    done = CliRunner().invoke(
        app, ["check", str(folder / "old.sql"), str(folder / "new.sql"), *args]
    )
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("new", "args", "status"),
    [
        (OLD, [], 0),
        (OLD, ["--require", "full"], 0),
        (PARTIAL, [], 0),
        (PARTIAL, ["--require", "full"], 1),
        (BROKEN, [], 1),
        (BROKEN, ["--set", "table.optimizer.state-compatibility.ignore-filter=true"], 0),
    ],
)
def test_exit_status(tmp_path: Path, new: str, args: list[str], status: int) -> None:
    assert checked(tmp_path, new, *args)[0] == status


@pytest.mark.parametrize(
    ("new", "args", "fragments"),
    [
        (OLD.replace("SUM(amount)", "SUM(amont)"), [], ["UNKNOWN_COLUMN", "new.sql:4", "^"]),
        (DDL, [], ["NO_JOB"]),
        (OLD, ["--set", "nonsense"], ["BAD_USAGE"]),
        (OLD, ["--require", "most"], ["most"]),
    ],
)
def test_what_is_wrong_ends_with_2(
    tmp_path: Path, new: str, args: list[str], fragments: list[str]
) -> None:
    status, shown, errors = checked(tmp_path, new, *args)
    assert (status, shown) == (2, "")
    assert all(fragment in errors for fragment in fragments), errors


def test_an_error_in_the_old_script_is_placed_there(tmp_path: Path) -> None:
    status, _, errors = checked(tmp_path, OLD, old=OLD.replace("MAX(qty)", "MAX(quty)"))
    assert (status, "old.sql:4" in errors) == (2, True)


def test_a_missing_script_ends_with_2(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["check", str(tmp_path / "a.sql"), str(tmp_path / "b.sql")])
    assert (done.exit_code, "NO_SCRIPT" in done.stderr) == (2, True)


def test_the_formats(tmp_path: Path) -> None:
    _, text, _ = checked(tmp_path, PARTIAL)
    assert text.startswith("PARTIALLY_COMPATIBLE: ")
    assert "new.sql:4:" in text
    _, markdown, _ = checked(tmp_path, PARTIAL, "--format", "markdown")
    assert markdown.startswith("### ")
    _, data, _ = checked(tmp_path, PARTIAL, "--format", "json")
    assert json.loads(data)["verdict"] == "PARTIALLY_COMPATIBLE"


def test_the_new_script_may_come_from_standard_input(tmp_path: Path) -> None:
    old = tmp_path / "old.sql"
    old.write_text(OLD, encoding="utf-8")
    done = CliRunner().invoke(app, ["check", str(old), "-"], input=BROKEN)
    assert (done.exit_code, "WHERE-01" in done.stdout) == (1, True)


def test_a_state_folder_as_the_old_job(tmp_path: Path) -> None:
    Session().execute(OLD, state=tmp_path / "state")
    new = tmp_path / "new.sql"
    new.write_text(PARTIAL, encoding="utf-8")
    done = CliRunner().invoke(app, ["check", str(tmp_path / "state"), str(new)])
    assert (done.exit_code, "GAGG-04" in done.stdout) == (0, True)


def test_a_folder_without_state_ends_with_2(tmp_path: Path) -> None:
    new = tmp_path / "new.sql"
    new.write_text(OLD, encoding="utf-8")
    done = CliRunner().invoke(app, ["check", str(tmp_path), str(new)])
    assert (done.exit_code, "NO_SAVEPOINT" in done.stderr) == (2, True)
