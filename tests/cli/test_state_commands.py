"""Jobs that keep their state, from the outside."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sameriver.checkpoint.folder import StateFolder
from sameriver.common.errors import ExternalError

SCRIPT = """CREATE TABLE g (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '5000',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '100000000');
CREATE TABLE o (k BIGINT, n BIGINT, s BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO o SELECT id % 10, COUNT(*), SUM(id) FROM g GROUP BY id % 10;
"""


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "sameriver", *map(str, args)]


def sameriver(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*args), capture_output=True, text=True, timeout=60)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "job.sql"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def start(script: Path, state: Path) -> subprocess.Popen[str]:
    """A job that has been saved with some rows since it started."""
    interval = "execution.checkpointing.interval=50 ms"
    before = saved(state)[0]
    process = subprocess.Popen(
        command("run", script, "--state", state, "--set", interval),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    started = time.monotonic()
    while saved(state)[0] == before or not saved(state)[1]:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() - started < 60
        time.sleep(0.05)
    return process


def saved(state: Path) -> tuple[int, int]:
    """Number of the last checkpoint, and rows written for it."""
    try:
        manifest = StateFolder(state).latest()
    except ExternalError:  # it was replaced just now
        return saved(state)
    return (0, 0) if manifest is None else (manifest.number, manifest.metrics.rows)


def stop(process: subprocess.Popen[str], with_signal: int) -> str:
    process.send_signal(with_signal)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 0, error
    return error


def totals(state: Path) -> tuple[int, int]:
    """How many rows were counted, and their sum."""
    sql = "SELECT SUM(count) AS n, SUM(sum) AS s FROM group_aggregate_3_accumulators"
    done = sameriver("state", "query", state, sql, "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    return row["n"], row["s"]


def test_signals_save_the_job_and_it_goes_on(script: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    counted = 0
    for number, which in enumerate((signal.SIGINT, signal.SIGTERM), 1):
        error = stop(start(script, state), which)
        assert "the same command goes on" in error
        assert len(list((state / "savepoints").iterdir())) == number
        n, s = totals(state)
        assert n >= counted
        assert s == n * (n + 1) // 2
        counted = n
    assert counted


def test_savepoints_of_a_running_and_a_stopped_job(script: Path, tmp_path: Path) -> None:
    state, first, second = tmp_path / "state", tmp_path / "first", tmp_path / "second"
    process = start(script, state)
    try:
        assert sameriver("savepoint", state, first).stdout.strip() == str(first)
        refused = sameriver("run", script, "--state", state)
        assert (refused.returncode, "STATE_IN_USE" in refused.stderr) == (1, True)
    finally:
        stop(process, signal.SIGTERM)
    assert sameriver("savepoint", state, second).returncode == 0
    again = sameriver("savepoint", state, second)
    assert (again.returncode, "TARGET_EXISTS" in again.stderr) == (2, True)
    counts = [totals(place) for place in (first, second, state)]
    assert counts[0] <= counts[1] == counts[2]


def test_state_is_listed_and_shown(script: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    stop(start(script, state), signal.SIGTERM)
    listed = sameriver("state", "ls", state)
    assert "INSERT INTO o" in listed.stdout
    assert "GroupAggregate" in listed.stdout
    facts = json.loads(sameriver("state", "ls", state, "--format", "jsonl").stdout)
    assert facts["rows"] == 10
    shown = sameriver("state", "show", state, facts["name"], "--limit", 3)
    assert "3 of 10 rows" in shown.stdout
    lines = sameriver("state", "show", state, facts["name"], "--format", "csv").stdout.splitlines()
    assert len(lines) == 11
    unknown = sameriver("state", "show", state, "x")
    assert (unknown.returncode, "UNKNOWN_TABLE" in unknown.stderr) == (2, True)
    nothing = sameriver("state", "ls", tmp_path)
    assert (nothing.returncode, "NO_SAVEPOINT" in nothing.stderr) == (2, True)


def test_a_finished_job_says_so(tmp_path: Path) -> None:
    path, state = tmp_path / "job.sql", tmp_path / "state"
    path.write_text("SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS t (a);", encoding="utf-8")
    first, second, fresh = (
        sameriver("run", path, "--state", state, "--output", "jsonl", *more)
        for more in ((), (), ("--fresh",))
    )
    assert first.stdout == fresh.stdout == '{"op": "+I", "row": [2]}\n'
    assert (second.stdout, "ended in an earlier run" in second.stderr) == ("", True)


def test_a_finished_job_that_is_filled_from_history_is_told_once(tmp_path: Path) -> None:
    path, state = tmp_path / "job.sql", tmp_path / "state"
    (tmp_path / "t.csv").write_text("1\n2\n")
    table = (
        "CREATE TABLE t (a INT) WITH ('connector' = 'filesystem',"
        f" 'path' = '{tmp_path}/t.csv', 'format' = 'csv');"
    )
    path.write_text(f"{table} SELECT SUM(a) AS n FROM t;", encoding="utf-8")
    sameriver("run", path, "--state", state)
    path.write_text(f"{table} SELECT SUM(a) AS n FROM t WHERE a > 0;", encoding="utf-8")
    filled = sameriver("run", path, "--state", state, "--backfill")
    assert (filled.returncode, filled.stdout.count("+I")) == (0, 0)
    assert "filled from history" in filled.stderr
    assert "earlier run" not in filled.stderr
    back = sameriver("rollback", state)
    assert (back.returncode, "the backfill told sinks" in back.stderr) == (0, True)
    assert "the backfill" not in sameriver("rollback", state).stderr


def test_a_folder_is_needed(script: Path) -> None:
    for option in (("--fresh",), ("--from", "x")):
        done = sameriver("run", script, *option)
        assert (done.returncode, "BAD_USAGE" in done.stderr) == (2, True)
