"""The page on Flink: what it says of running scripts there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from engines import materialized
from typer.testing import CliRunner

from sameriver.cli.app import app
from sameriver.common.config import Config
from sameriver.flink.gateway import Gateway
from sameriver.flink.options import flink_options

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "scale-out-on-flink.md").read_text(encoding="utf-8")
TOTALS, ORDERS = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
(CHANGES,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^\$ sameriver ((?:run totals|explain).*)$", PAGE, re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = (ROOT / "examples" / "orders.jsonl").read_bytes()
    (tmp_path / "orders.jsonl").write_bytes(rows)
    (tmp_path / "totals.sql").write_text(TOTALS, encoding="utf-8")
    (tmp_path / "orders.sql").write_text(ORDERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page(
    command: str, shared: Gateway, folder: Path, request: pytest.FixtureRequest
) -> None:
    if "localhost:8081" in command:
        command = command.replace("localhost:8081", request.getfixturevalue("cluster"))
    done = CliRunner().invoke(app, shlex.split(command))
    assert done.exit_code == 0, done.output
    if "jsonl" in command:
        assert materialized(done.stdout.splitlines()) == materialized(CHANGES.splitlines())
    elif "explain" in command:
        assert "group-aggregate" in done.stdout or "GroupAggregate" in done.stdout
    else:
        assert "apple" in done.stdout


def test_the_page_has_commands() -> None:
    assert len(COMMANDS) == 4


def test_what_flink_lacks_is_told_as_on_the_page(shared: Gateway, folder: Path) -> None:
    (told,) = re.findall(r"```text\n(error\[NOT_ON_FLINK\].*?)```", PAGE, re.DOTALL)
    line = re.search(r"^5 \| (.*)$", told, re.MULTILINE)
    assert line is not None
    declared = TOTALS.partition("\n\n")[0].replace("\n", " ", 1)
    Path("job.sql").write_text(f"{declared}\n\n{line[1]}\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["run", "job.sql", "--on", "flink"])
    assert done.stderr == told


def test_the_page_lists_the_options_that_are_set() -> None:
    part = PAGE[PAGE.index("## What is set") : PAGE.index("## What Flink does not run")]
    listed = dict(re.findall(r"^\| `([\w.-]+)` \| .* \| `([\w ]+)`", part, re.MULTILINE))
    options = flink_options(Config())
    assert {key: options[key] for key in listed} == listed
    assert set(options) - set(listed) == {
        "table.exec.mini-batch.allow-latency",
        "table.exec.mini-batch.size",
    }
