"""The part on state of the page on Flink: its commands do what it says."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sameriver.cli.app import app
from sameriver.flink.gateway import Gateway
from sameriver.flink.rest import Rest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "scale-out-on-flink.md"
(PART,) = re.findall(
    r"^## Keep state.*?(?=^## )", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)
(SCRIPT,) = re.findall(r"```sql\n(.*?)```", PART, re.DOTALL)
COMMANDS = re.findall(r"^\$ sameriver (.*)$", PART, re.MULTILINE)


def total(folder: Path) -> int:
    """The last total that was written."""
    files = [*folder.glob("totals/.*"), *folder.glob("totals/*")]
    found = [re.findall(r'"total":(\d+)', path.read_text(encoding="utf-8")) for path in files]
    return max((int(number) for numbers in found for number in numbers), default=0)


def wait(folder: Path, wanted: int) -> None:
    deadline = time.monotonic() + 60
    while total(folder) != wanted:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_the_commands_of_the_page(
    shared: Gateway, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("orders").mkdir()
    Path("orders", "1.csv").write_text("apple,2\n", encoding="utf-8")
    script = Path("orders.sql")
    script.write_text(SCRIPT, encoding="utf-8")
    (detached,) = (command for command in COMMANDS if command.endswith("--detached"))
    often = f"{detached} --set 'execution.checkpointing.interval=200 ms'"
    run = often.replace("localhost:8081", cluster)

    def do(command: str) -> str:
        done = CliRunner().invoke(app, shlex.split(command))
        assert done.exit_code == 0, done.output
        return done.output

    try:
        assert re.search(r"version 1 runs as job [0-9a-f]{32} on ", do(run))
        wait(tmp_path, 2)
        having = SCRIPT.replace("GROUP BY item", "GROUP BY item HAVING SUM(amount) > 1")
        script.write_text(having, encoding="utf-8")
        assert "upgrade  FULLY_COMPATIBLE" in do(run)
        Path("orders", "2.csv").write_text("apple,3\n", encoding="utf-8")
        wait(tmp_path, 5)
        savepoint, history, rollback = COMMANDS[-3:]
        assert do(savepoint).startswith("file:")
        assert "HAVING" in do(history)
        assert do(rollback).endswith(SCRIPT)
        wait(tmp_path, 5)
    finally:
        rest = Rest(cluster)
        for id, stands in rest.jobs().items():
            if stands == "RUNNING":
                rest.cancel(id)
