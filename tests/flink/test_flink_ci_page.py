"""The page on checks in CI: its commands give what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sameriver.cli.app import app
from sameriver.flink.gateway import Gateway

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "check-flink-jobs-in-ci.md"
TEXT = PAGE.read_text(encoding="utf-8")
FILES = re.findall(r"^`(\w+\.sql)`,.*?```sql\n(.*?)```", TEXT, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"```console\n\$ sameriver (.*?)\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "shown"), COMMANDS)
def test_a_command_of_the_page(shared: Gateway, folder: Path, command: str, shown: str) -> None:
    done = CliRunner().invoke(app, shlex.split(command))
    told = re.sub(r'"name": "\w+-\w+"', '"name": "..."', done.output)
    assert told == shown
    assert done.exit_code == 1


def test_the_page_has_commands() -> None:
    assert len(FILES) == len(COMMANDS) == 2


def test_a_good_change_exits_with_0(shared: Gateway, folder: Path) -> None:
    text = (folder / "old.sql").read_text(encoding="utf-8")
    (folder / "new.sql").write_text(
        text.replace("GROUP BY region", "GROUP BY region HAVING SUM(amount) > 0")
    )
    done = CliRunner().invoke(app, ["check", "old.sql", "new.sql", "--on", "flink"])
    assert done.exit_code == 0
    assert done.output.startswith("FULLY_COMPATIBLE")


def test_a_wrong_script_exits_with_2(shared: Gateway, folder: Path) -> None:
    (folder / "new.sql").write_text("SELECT a FROM nowhere;")
    done = CliRunner().invoke(app, ["check", "old.sql", "new.sql", "--on", "flink"])
    assert done.exit_code == 2


def test_a_folder_without_a_job_on_flink(shared: Gateway, folder: Path) -> None:
    (folder / "state").mkdir()
    done = CliRunner().invoke(app, ["check", "new.sql", "--state", "state", "--on", "flink"])
    assert done.exit_code == 2
    assert "NO_STATE" in done.stderr
