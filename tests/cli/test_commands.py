"""Commands from the outside: what they print, and their exit status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
JOB = (ROOT / "examples" / "orders.sql").read_text(encoding="utf-8")


def sameriver(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sameriver", *args]
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=ROOT, timeout=60
    )


def test_run_prints_the_changelog_as_json_lines() -> None:
    done = sameriver("run", "examples/orders.sql", "--output", "jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    first = json.loads(done.stdout.splitlines()[0])
    start, end = "2026-01-01 10:00:00.000", "2026-01-01 10:00:10.000"
    assert first == {"op": "+I", "row": ["apple", start, end, 3, 2]}


def test_run_prints_a_table_and_takes_a_script_from_standard_input() -> None:
    done = sameriver(
        "run", "-", stdin="SELECT a, b FROM (VALUES (1, 'x'), (NULL, 'y')) AS t (a, b);"
    )
    assert done.returncode == 0
    lines = [line.split("|")[1:-1] for line in done.stdout.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line] for line in lines]
    assert cells == [["op", "a", "b"], ["+I", "1", "x"], ["+I", "<NULL>", "y"]]


def test_run_with_output_none_prints_nothing() -> None:
    assert sameriver("run", "examples/orders.sql", "--output", "none").stdout == ""


def test_set_comes_first_and_show_answers() -> None:
    script = "SET; CREATE TABLE t (a INT) WITH ('connector' = 'print'); SHOW TABLES;"
    done = sameriver("run", "-", "--set", "parallelism.default=3", stdin=script)
    assert done.returncode == 0
    assert ["parallelism.default", "3"] in [line.split() for line in done.stdout.splitlines()]
    assert done.stdout.splitlines()[-1] == "t"


@pytest.mark.parametrize(
    ("args", "stdin", "status", "fragments"),
    [
        (["run", "-"], "SELECT b FROM (VALUES (1)) t (bb);", 2, ["UNKNOWN_COLUMN", "'bb'", "^"]),
        (["run", "nowhere.sql"], "", 2, ["NO_SCRIPT", "nowhere.sql"]),
        (["run", "src/sameriver/py.typed/x"], "", 2, ["NO_SCRIPT", "x"]),
        (["run", "-"], "\ufeffSELECT b;", 2, ["UNKNOWN_COLUMN", "-:1:8"]),
        (["run", "-", "--set", "x"], "", 2, ["BAD_USAGE", "KEY=VALUE"]),
        (["run", "-", "--output", "xml"], "", 2, ["xml"]),
        (["run", "-"], "SELECT 1 / a FROM (VALUES (0)) AS t (a);", 1, ["DIVISION_BY_ZERO"]),
        (["explain", "-"], "SELECT;", 2, ["SYNTAX"]),
        (["test", "nowhere"], "", 2, ["NO_CASES"]),
    ],
)  # fmt: skip
def test_errors_have_a_status_and_no_traceback(
    args: list[str], stdin: str, status: int, fragments: list[str]
) -> None:
    done = sameriver(*args, stdin=stdin)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    for fragment in fragments:
        assert fragment in done.stderr


def test_insert_writes_files_and_reads_them_back(tmp_path: Path) -> None:
    options = f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/out', 'format' = 'json')"
    write = f"CREATE TABLE t (a INT, b STRING) {options}; INSERT INTO t VALUES (1, 'x'), (2, NULL);"
    assert sameriver("run", "-", stdin=write).returncode == 0
    read = f"CREATE TABLE t (a INT, b STRING) {options}; SELECT * FROM t;"
    done = sameriver("run", "-", "--output", "jsonl", stdin=read)
    assert [json.loads(line)["row"] for line in done.stdout.splitlines()] == [[1, "x"], [2, None]]


def test_explain_shows_plans_and_state() -> None:
    text = sameriver("explain", "examples/orders.sql").stdout
    for fragment in ("== Logical Plan ==", "== Physical Plan ==", "changelogMode=[I]", "CUMULATE"):
        assert fragment in text
    assert "SUM(orders.amount)" in text
    (job,) = json.loads(sameriver("explain", "examples/orders.sql", "--format", "json").stdout)
    stateful = [node for node in job["physical"]["nodes"] if node["state"]]
    assert [node["node"] for node in stateful] == ["WindowAggregate"]


CASE = """# a case
== sql
CREATE TABLE t (a INT) WITH ('connector' = 'case');
SELECT a + 1 AS b FROM t;
== input t
+I  1
== changelog
+I  {expected}
"""


def test_a_failing_case_shows_a_diff(tmp_path: Path) -> None:
    case = tmp_path / "plus.case"
    case.write_text(CASE.format(expected=3), encoding="utf-8")
    done = sameriver("test", str(case), "--mode", "written")
    assert done.returncode == 1
    assert "-+I  3" in done.stdout
    assert "++I  2" in done.stdout
    assert done.stdout.splitlines()[-1] == "0 passed, 1 failed"
    assert sameriver("test", "--write", str(case)).returncode == 0
    assert case.read_text(encoding="utf-8") == CASE.format(expected=2)
    assert sameriver("test", str(tmp_path)).stdout.splitlines()[-1] == "6 passed, 0 failed"


def test_ctrl_c_stops_cleanly(tmp_path: Path) -> None:
    script = tmp_path / "endless.sql"
    script.write_text(
        "CREATE TABLE g (a INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100');"
        f"CREATE TABLE s (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/out',"
        " 'format' = 'csv'); INSERT INTO s SELECT a FROM g;",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "sameriver", "run", str(script)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 30
        while not list(tmp_path.glob("out/*")) and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert errors.startswith("stopped; what was read so far is written")
    assert "--state DIR" in errors
    assert not [path for path in tmp_path.glob("out/*") if path.name.startswith(".")]
    assert sum(len(path.read_text().splitlines()) for path in tmp_path.glob("out/*.csv")) > 0


def test_rows_that_are_lost_are_told_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "1,2026-01-01 00:00:10\nx,2026-01-01 00:00:20\n3,4,5\n4,2026-01-01 00:00:01\n"
    )
    script = f"""
        SET 'scan.watermark.emit.strategy' = 'on-event';
        CREATE TABLE t (a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
          'connector' = 'filesystem', 'path' = '{tmp_path}/t.csv', 'format' = 'csv',
          'csv.ignore-parse-errors' = 'true'
        );
        SELECT window_end, SUM(a) AS a
        FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND))
        GROUP BY window_start, window_end;
    """
    done = sameriver("run", "-", "--output", "none", stdin=script)
    assert done.returncode == 0
    told = "1 late row dropped, 1 bad row ignored, 1 bad field read as NULL\n"
    assert done.stderr == told


def test_version() -> None:
    done = sameriver("--version")
    assert (done.returncode, done.stdout) == (0, f"sameriver {version('sameriver')}\n")


@pytest.mark.parametrize("after", [0.05, 0.3, 0.6])
def test_ctrl_c_is_quiet_while_the_command_loads(after: float) -> None:
    """Python itself takes some milliseconds until it handles signals."""
    code = "import sys; print('up', flush=True); from sameriver_main import main; main()"
    command = [sys.executable, "-c", code, "run", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "")


def test_kernels_that_have_to_be_compiled_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text(
        "from numba import types\n"
        "from sameriver.common.kernel import before_compiling, kernel\n"
        "@kernel(types.int64(types.int64))\n"
        "def one(n):\n    return n + 1\n"
        "@kernel(types.int64(types.int64))\n"
        "def two(n):\n    return n + 2\n"
        "before_compiling(lambda: print('compiling'))\n"
        "print(one(1) + two(1))\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    command = [sys.executable, str(tmp_path / "twice.py")]
    first, second = (
        subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
        for _ in range(2)
    )
    assert (first, second) == ("compiling\n5\n", "5\n")
