"""Jobs on Flink that keep their state, by the commands."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from flink_jobs import Stage, misjudged
from typer.testing import CliRunner, Result

from sameriver import StateDir
from sameriver.cli.app import app
from sameriver.common.errors import ExternalError, SameriverError, UserError
from sameriver.common.time import SystemClock
from sameriver.flink import upgrade
from sameriver.flink.gateway import Gateway
from sameriver.flink.keeping import run_kept
from sameriver.flink.rest import Rest
from sameriver.flink.script import prepare
from sameriver.flink.state import ENDED, RUNNING, STOPPED, Entry, FlinkFolder

SUMS = "SELECT k, SUM(v) AS s FROM t GROUP BY k"
FEWER = "SELECT k, SUM(v) AS s FROM t GROUP BY k HAVING SUM(v) > -5"
LARGEST = "SELECT k, MAX(v) AS s FROM t GROUP BY k"


class Play:
    """A script over folders of files, on a cluster or not.

    Attributes:
        stage: of its files.
    """

    def __init__(self, gateway: Gateway, path: Path) -> None:
        self.stage = Stage(gateway, path)
        self.stage.add("a,1,1,@00:01 b,2,2,@00:02 a,3,3,@00:03")
        self._gateway = gateway
        self._script = path / "job.sql"
        self._out = path / "out_1"

    @property
    def state(self) -> Path:
        return self.stage.state.path

    def text(self, query: str, *, watched: bool = True) -> str:
        return ";\n".join([
            "SET 'execution.checkpointing.interval' = '200 ms'",
            *self.stage.tables(watched=watched),
            "CREATE TABLE o (k STRING, s BIGINT) WITH ('connector' = 'filesystem',"
            f" 'format' = 'debezium-json', 'path' = '{self._out}')",
            f"INSERT INTO o {query};\n",
        ])  # fmt: skip

    def script(self, query: str) -> Path:
        self._script.write_text(self.text(query), encoding="utf-8")
        return self._script

    def kept(
        self,
        script: str,
        stop: threading.Event,
        *,
        fresh: bool = False,
        savepoint: Path | None = None,
    ) -> Entry:
        """Runs a script in the foreground."""
        return run_kept(
            script,
            prepare(script, self._gateway.environment()),
            self._gateway,
            StateDir(self.state, savepoint, fresh),
            SystemClock(),
            stop=stop,
            watch=lambda rest, id: None,
        )

    def until(self, query: str, savepoint: Path | None = None) -> Entry:
        """Runs a query in the foreground until it has read all there is, then stops it."""
        stop = threading.Event()
        found: list[Entry | SameriverError] = []

        def run() -> None:
            try:
                found.append(self.kept(self.text(query), stop, savepoint=savepoint))
            except SameriverError as error:
                found.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            self.stage.wait(self.stage.expected(query))
        finally:
            stop.set()
            thread.join()
        (entry,) = found
        assert isinstance(entry, Entry)
        return entry


def command(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def play(gateway: Gateway, tmp_path: Path) -> Play:
    return Play(gateway, tmp_path)


def test_a_job_on_a_session_cluster(shared: Gateway, cluster: str, tmp_path: Path) -> None:
    play = Play(Gateway(shared.jvm, cluster=cluster, parallelism=None, jars=()), tmp_path)
    stage, state, rest = play.stage, play.state, Rest(cluster)
    on = ("--on", "flink", "--cluster", cluster, "--state", state, "--detached")
    try:
        started = command("run", play.script(SUMS), *on)
        assert started.exit_code == 0, started.output
        job = stage.running().job
        assert f"version 1 runs as job {job.id} on {cluster}" in started.stderr
        stage.wait(stage.expected(SUMS))
        assert command("run", play.script(SUMS), *on).exit_code == 0
        assert stage.running().job == job

        saved = command("savepoint", state)
        assert Path(saved.stdout.strip().removeprefix("file:"), "_metadata").is_file()
        aside = command("savepoint", state, tmp_path / "aside").stdout
        assert aside.startswith(f"file:{tmp_path / 'aside'}/savepoint-")

        refused = command("run", play.script(LARGEST), *on)
        assert refused.exit_code == 1
        assert refused.stderr.startswith("INCOMPATIBLE")
        assert "nothing was touched" in refused.stderr
        assert stage.running().job == job

        changed = command("run", play.script(FEWER), *on)
        assert "version 2 of the script: upgrade  FULLY_COMPATIBLE" in changed.stderr
        stage.add("a,5,1,@00:04 c,1,1,@00:04")
        stage.wait(stage.expected(FEWER))

        told = command("history", state).stdout
        assert "1  " in told
        assert "+INSERT INTO o SELECT k, SUM(v) AS s FROM t GROUP BY k HAVING" in told
        back = command("rollback", state)
        assert "version 3 is the state and the script from before" in back.stdout
        assert back.stdout.endswith(f"INSERT INTO o {SUMS};\n")
        assert stage.running().number == 3
        stage.wait(stage.expected(SUMS))
        again = command("rollback", state)
        assert (again.exit_code, "NOTHING_TO_ROLL_BACK" in again.stderr) == (2, True)

        wider = command("run", play.script(SUMS), *on, "--parallelism", 2)
        assert "version 4 of the script: upgrade  FULLY_COMPATIBLE" in wider.stderr
        parts = rest.job(stage.running().job.id).vertices
        assert 2 in {part.parallelism for part in parts}
    finally:
        for id, stands in rest.jobs().items():
            if stands == "RUNNING":
                rest.cancel(id)


def test_a_local_job_is_stopped_and_goes_on(play: Play, tmp_path: Path) -> None:
    stopped = play.until(SUMS)
    assert (stopped.job.stands, stopped.number) == (STOPPED, 1)
    left = Path(stopped.job.savepoint.removeprefix("file:"))
    assert left.parent == play.state / "stops"
    # a copy, since the other goes when nothing goes on from it any more
    saved = play.state / "savepoints" / left.name
    for _ in range(2):
        assert command("savepoint", play.state).stdout.strip() == f"file://{saved}"
    assert (saved / "_metadata").is_file()
    aside = tmp_path / "aside"
    assert command("savepoint", play.state, aside).stdout.strip() == f"file://{aside}"
    assert (aside / "_metadata").is_file()
    assert "TARGET_EXISTS" in command("savepoint", play.state, aside).stderr

    play.stage.add("a,5,1,@00:04 c,1,1,@00:04")
    again = play.until(SUMS)
    assert (again.number, again.job.began) == (1, stopped.job.savepoint)
    changed = play.until(FEWER)
    assert (changed.number, changed.job.began) == (2, again.job.savepoint)
    assert not left.exists()
    assert saved.exists()

    assert "version 3 is the state" in command("rollback", play.state).stdout
    play.stage.add("b,5,1,@00:05")
    back = play.until(SUMS)
    assert (back.number, back.job.began) == (3, again.job.savepoint)
    lines = command("history", play.state).stdout.splitlines()
    assert [line.split("UTC  ")[1] for line in lines if line[0].isdigit()] == [
        "first", "upgrade  FULLY_COMPATIBLE", "rollback",
    ]  # fmt: skip
    needed = {Path(one.job.savepoint).name for one in (again, changed, back)}
    assert {path.name for path in (play.state / "stops").iterdir()} == needed


def test_a_local_upgrade_that_fails_goes_on_with_the_old_version(
    shared: Gateway, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = play.until(SUMS)
    monkeypatch.setattr(upgrade, "judge", misjudged)
    play.stage.add("a,5,1,@00:04 c,1,1,@00:04")
    script = play.script(
        "SELECT k, s FROM (SELECT k, SUM(v) AS s, MIN(w) AS m FROM t GROUP BY k) WHERE m > 0"
    )

    def until_written() -> None:
        try:
            play.stage.wait(play.stage.expected(SUMS))
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=until_written)
    thread.start()
    done = command("run", script, "--on", "flink", "--state", play.state)
    thread.join()
    assert done.exit_code == 1
    said = done.stderr
    assert "error[UPGRADE_FAILED]: the new version does not run on the state of version 1" in said
    assert f"Version 1 runs again from '{stopped.job.savepoint}'" in said
    assert "the old version of the script goes on here" in said
    assert said.splitlines()[-1].startswith("version 1 is stopped")
    again = play.stage.state.latest()
    assert again is not None
    assert (again.number, again.job.stands, again.job.began) == (1, STOPPED, stopped.job.savepoint)
    assert again.job.savepoint != stopped.job.savepoint


def test_a_folder_begins_with_a_savepoint(play: Play, tmp_path: Path) -> None:
    saved = Path(play.until(SUMS).job.savepoint)
    play.stage.add("a,5,1,@00:04 b,1,1,@00:04")
    play.stage.state = FlinkFolder.make(tmp_path / "elsewhere")
    again = play.until(SUMS, saved)
    assert again.version.savepoint == saved.as_posix().replace("file:/", "file:///")
    assert play.until(SUMS, saved).number == 1  # it goes on where it is
    with pytest.raises(UserError, match="holds state that did not begin with"):
        play.kept(play.text(SUMS), threading.Event(), savepoint=Path(again.job.savepoint))
    with pytest.raises(UserError, match="holds no savepoint of Flink"):
        play.kept(play.text(SUMS), threading.Event(), savepoint=tmp_path)
    with pytest.raises(ExternalError, match="Cannot map checkpoint/savepoint state"):
        play.kept(play.text(LARGEST), threading.Event(), savepoint=saved, fresh=True)
    assert play.until(SUMS).number == 1


def test_a_local_job_that_was_killed_goes_on_from_its_checkpoint(play: Play) -> None:
    stage = play.stage
    started = stage.run_text(play.text(SUMS))
    assert started.job.stands == RUNNING
    stage.add("a,5,1,@00:04")
    stage.wait(stage.expected(SUMS))
    stage.rest.cancel(started.job.id)  # as if its process had gone
    assert "chk-" in command("savepoint", play.state).stdout
    again = play.until(SUMS)
    assert "chk-" in again.job.began


def test_a_job_that_keeps_failing_can_be_changed(play: Play) -> None:
    stage = play.stage
    again = (
        "SET 'restart-strategy.type' = 'fixed-delay';"
        "SET 'restart-strategy.fixed-delay.attempts' = '1000';"
        "SET 'restart-strategy.fixed-delay.delay' = '5 s';"
    )
    started = stage.run_text(again + play.text(SUMS))
    stage.wait(stage.expected(SUMS))
    stage.add("a,x,1,@00:04 a,5,1,@00:05")
    deadline = time.monotonic() + 60
    while not stage.rest.failures(started.job.id):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    lenient = "'format' = 'csv', 'csv.ignore-parse-errors' = 'true'"
    changed = stage.run_text(again + play.text(SUMS).replace("'format' = 'csv'", lenient))
    try:
        assert changed.number == 2
        assert "chk-" in changed.job.began
        stage.wait([("a", 9), ("b", 2)])
    finally:
        stage.end()


def test_a_job_whose_input_has_ended(play: Play) -> None:
    script = play.text(SUMS, watched=False)
    ended = play.kept(script, threading.Event())
    assert ended.job.stands == ENDED
    assert play.kept(script, threading.Event()) == ended
    nothing = command("savepoint", play.state)
    assert (nothing.exit_code, "has ended" in nothing.stderr) == (2, True)
    with pytest.raises(SameriverError, match="Flink keeps no state then"):
        play.kept(play.text(FEWER, watched=False), threading.Event())
    fresh = play.kept(play.text(FEWER, watched=False), threading.Event(), fresh=True)
    assert (fresh.number, fresh.job.stands) == (2, ENDED)


def test_a_job_that_fails_says_why(play: Play) -> None:
    play.stage.add("a,x,1,@00:04")
    with pytest.raises(ExternalError, match='NumberFormatException: For input string: "x"'):
        play.kept(play.text(SUMS), threading.Event())


def test_what_has_no_state_on_flink(shared: Gateway, play: Play, tmp_path: Path) -> None:
    on = ("--on", "flink", "--state", tmp_path / "new")
    values = "(VALUES (1), (2)) AS t (a)"
    sink = "CREATE TABLE b (a INT) WITH ('connector' = 'blackhole');"
    for text, flags, code in (
        (f"SELECT * FROM {values};", (), "NOT_ON_FLINK"),
        (f"{sink} INSERT INTO b SELECT * FROM {values}; INSERT INTO b SELECT 1;", (), "ONE_JOB"),
        ("SHOW TABLES;", (), "NO_JOB"),
        (f"{sink} INSERT INTO b SELECT 1;", ("--backfill",), "NOT_ON_FLINK"),
        (f"{sink} INSERT INTO b SELECT 1;", ("--detached",), "BAD_USAGE"),
    ):
        script = tmp_path / "wrong.sql"
        script.write_text(text, encoding="utf-8")
        done = command("run", script, *on, *flags)
        assert (done.exit_code, f"error[{code}]" in done.stderr) == (2, True), done.output
    assert FlinkFolder.find(tmp_path / "new") is None
    embedded = command("run", play.script(SUMS), "--state", play.state)
    assert "holds state of a job on Flink" in embedded.stderr
    assert "NO_STATE" in command("savepoint", play.state).stderr
    assert command("run", play.script(SUMS), "--detached").exit_code == 2
