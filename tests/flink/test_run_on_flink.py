"""``sameriver run`` and ``explain`` with ``--on flink``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest
from engines import FLINK, printed, tables
from typer.testing import CliRunner, Result

from sameriver.cli.app import app
from sameriver.flink.gateway import Gateway
from sameriver.flink.progress import progress_of
from sameriver.flink.rest import Rest
from sameriver.flink.run import run_insert
from sameriver.flink.script import InsertJob, QueryJob, prepare
from sameriver.flink.select import changelog

NUMBERS = """CREATE TABLE numbers (n INT, k STRING) WITH (
  'connector' = 'datagen', 'number-of-rows' = '20',
  'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '20'
);
"""
NOTHING = "CREATE TABLE nothing (n INT) WITH ('connector' = 'blackhole');\n"
SHOWN = "CREATE TABLE shown (n INT) WITH ('connector' = 'print');\n"
ENDLESS = """CREATE TABLE endless (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '50');
"""


def _run(script: str, folder: Path, command: str = "run", *flags: str) -> Result:
    path = folder / "job.sql"
    path.write_text(script, encoding="utf-8")
    return CliRunner().invoke(app, [command, str(path), *FLINK, *flags])


def test_statements_that_are_no_jobs_answer_alike(shared: Gateway, tmp_path: Path) -> None:
    script = f"""SET 'parallelism.default' = '1'; RESET 'parallelism.default';
    {NUMBERS} CREATE VIEW v AS SELECT n FROM numbers; CREATE DATABASE d;
    SHOW TABLES; SHOW VIEWS; SHOW DATABASES; DESCRIBE numbers; SHOW TABLES LIKE 'n%';
    USE d; SHOW CURRENT DATABASE; USE default_database; DROP VIEW v; SHOW TABLES;"""
    assert printed(script, tmp_path / "here") == printed(script, tmp_path / "there", *FLINK)


def test_print_tables_print_here(shared: Gateway, tmp_path: Path) -> None:
    done = _run(f"{NUMBERS}{SHOWN}INSERT INTO shown SELECT n FROM numbers WHERE n < 3;", tmp_path)
    assert done.stdout.splitlines() == ["+I[1]", "+I[2]"]


def test_options_of_the_embedded_engine_are_told(shared: Gateway, tmp_path: Path) -> None:
    done = _run("SET 'sameriver.batch.rows' = '7';", tmp_path, "run", "--set", "pipeline.name=p")
    assert done.exit_code == 0
    assert done.stderr.count("'sameriver.batch.rows' has no meaning on Flink") == 1


@pytest.mark.parametrize(
    ("job", "code", "place", "said"),
    [
        (
            "SELECT * FROM (SELECT *, RANK() OVER (ORDER BY n) AS r FROM numbers) WHERE r < 3;",
            "NOT_ON_FLINK",
            "7:26",
            "Flink has no RANK() under a bound in streams",
        ),
        (
            "SELECT k,\n  m FROM numbers;",
            "FLINK_REFUSED",
            "8:3",
            "Column 'm' not found in any table",
        ),
        (
            "CREATE TABLE f (n INT) WITH ('connector' = 'frame', 'frame' = 'f');",
            "NOT_ON_FLINK",
            "7:1",
            "connector 'frame' of table 'f' is not one of Flink's",
        ),
        (
            "CREATE TABLE f (n INT) WITH"
            " ('connector' = 'filesystem', 'path' = 'a/*.csv', 'format' = 'csv');",
            "NOT_ON_FLINK",
            "7:1",
            "Flink reads no pattern such as the path 'a/*.csv'",
        ),
        (
            "CREATE FUNCTION twice AS 'module.twice' LANGUAGE PYTHON;",
            "NOT_ON_FLINK",
            "7:1",
            "function 'twice' is Python of this engine",
        ),
        (
            "CREATE TABLE f (n INT) WITH ('connector' = 'kafka'); SELECT * FROM f;",
            "NOT_ON_FLINK",
            "7:54",
            "Flink has no connector or format 'kafka' in its package",
        ),
    ],
)
def test_what_flink_does_not_run_is_said_before_anything_runs(
    job: str, code: str, place: str, said: str, shared: Gateway, tmp_path: Path
) -> None:
    before = f"{NUMBERS}{SHOWN}INSERT INTO shown SELECT n FROM numbers; "
    done = _run(f"{before}\n{job}", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error[{code}]: ")
    assert said in done.stderr
    assert f"job.sql:{place}" in done.stderr


def test_a_job_that_fails_tells_why(shared: Gateway, tmp_path: Path) -> None:
    done = _run(f"{NUMBERS}{NOTHING}INSERT INTO nothing SELECT 6 / (n - 4) FROM numbers;", tmp_path)
    assert done.exit_code == 1
    assert "error[JOB_FAILED]: the job failed on Flink: ArithmeticException" in done.stderr


def test_a_query_that_fails_tells_why(shared: Gateway, tmp_path: Path) -> None:
    done = _run(f"{NUMBERS}SELECT 6 / (n - 4) FROM numbers;", tmp_path)
    assert done.exit_code == 1
    assert "error[JOB_FAILED]: the job failed on Flink: ArithmeticException" in done.stderr
    assert "--> " in done.stderr
    assert "job.sql:5:1" in done.stderr


def test_queries_come_one_after_the_other_each_with_its_options(gateway: Gateway) -> None:
    environment = gateway.environment()
    script = "SET 'execution.checkpointing.interval' = '10 s'; SELECT 1 AS a; RESET; SELECT 2 AS a;"
    found = []
    for step in prepare(script, environment):
        if isinstance(step, QueryJob):
            batches = list(changelog(environment, step, Event(), lambda rest, id: None))
            rows = [row for _, rows in batches for row in rows]
            executed = environment.java.getPlanner().getExecEnv()
            found.append((rows, executed.getCheckpointInterval()))
    assert found == [([[1]], 10_000), ([[2]], -1)]


@pytest.mark.parametrize("flag", [("--parallelism", "2"), ("--cluster", "here:1"), ("--jar", "j")])
def test_flags_of_flink_need_flink(flag: tuple[str, str], tmp_path: Path) -> None:
    script = tmp_path / "job.sql"
    script.write_text("SELECT 1;", encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(script), *flag])
    assert done.exit_code == 2
    assert f"'{flag[0]}' is for Flink" in done.stderr


def _endless(gateway: Gateway) -> tuple[InsertJob, Rest]:
    environment = gateway.environment()
    script = f"{ENDLESS}{NOTHING}INSERT INTO nothing SELECT n FROM endless;"
    (job,) = [one for one in prepare(script, environment) if isinstance(one, InsertJob)]
    return job, Rest(gateway.rest)


def test_a_stop_cancels_the_job(gateway: Gateway) -> None:
    job, rest = _endless(gateway)
    stop, seen = Event(), []

    def watch(rest: Rest, id: str) -> None:
        seen.append(id)
        stop.set()

    run_insert(gateway, job, stop, watch)
    assert rest.state(seen[0]) == "CANCELED"


def test_progress_counts_rows(gateway: Gateway) -> None:
    job, _ = _endless(gateway)
    stop, told = Event(), []

    def watch(rest: Rest, id: str) -> None:
        told.append(progress_of(rest, id, 1.0))
        # vertices tell their metrics at moments of their own
        if len(told) > 200 or min(told[-1].rows_in, told[-1].rows_out) > 50:
            stop.set()

    run_insert(gateway, job, stop, watch)
    assert min(told[-1].rows_in, told[-1].rows_out) > 50
    assert told[-1].watermark is None


def test_explain_shows_names_and_state(shared: Gateway, tmp_path: Path) -> None:
    job = f"{NUMBERS}{NOTHING}INSERT INTO nothing SELECT COUNT(*) FROM numbers GROUP BY k;"
    job = job.replace(
        "n INT) WITH ('connector' = 'blackhole'", "n BIGINT) WITH ('connector' = 'print'"
    )
    done = _run(job, tmp_path, "explain")
    assert done.exit_code == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    place = next(i for i, line in enumerate(lines) if "GroupAggregate(groupBy=[k]" in line)
    assert lines[place + 1].startswith("name:  ")
    assert lines[place + 2] == "state: groupAggregateState, ttl 36 h"
    done = _run(job, tmp_path, "explain", "--format", "json")
    (plan,) = json.loads(done.stdout)
    assert {"flinkVersion", "nodes", "edges"} <= set(plan)


def test_explain_shows_the_plan_of_a_query(shared: Gateway, tmp_path: Path) -> None:
    done = _run(f"{NUMBERS}SELECT k, COUNT(*) FROM numbers GROUP BY k;", tmp_path, "explain")
    assert "GroupAggregate(groupBy=[k]" in done.stdout


def test_relative_paths_are_those_of_this_process(shared: Gateway, tmp_path: Path) -> None:
    script = tables() + "SHOW CREATE TABLE customers;"
    assert f"{tmp_path}/data/customers.csv" in printed(script, tmp_path, *FLINK)


def test_ctrl_c_stops_the_job_and_is_no_failure(real_flink: None, tmp_path: Path) -> None:
    script = tmp_path / "job.sql"
    script.write_text(f"{ENDLESS}SELECT n FROM endless;", encoding="utf-8")
    command = [sys.executable, "-c", "from sameriver.cli import main; main()", "run", str(script)]
    with subprocess.Popen(
        [*command, *FLINK, "--output", "jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["op"] == "+I"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
    assert process.returncode == 0
    assert told == "stopped; a later run starts anew: --state DIR lets it go on from here\n"
