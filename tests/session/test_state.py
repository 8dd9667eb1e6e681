"""Scripts that keep their state in a folder."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest

from sameriver import ExternalError, SameriverError, Session, StateDir, UserError
from sameriver.checkpoint import disk
from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.reading import facts, query, table
from sameriver.checkpoint.requests import take_savepoint
from sameriver.common.changes import Changes
from sameriver.common.time import ManualClock
from sameriver.engine.driver import Progress
from sameriver.session.materialize import materialize

TOTALS = "SELECT k, SUM(v) AS total, COUNT(DISTINCT v) AS n FROM t GROUP BY k;"
ROWS = pl.DataFrame({"k": [i % 7 for i in range(300)], "v": [i * i % 31 for i in range(300)]})
NAME = "group_aggregate_2_accumulators"


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is to outlive these tests."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def session(shards: int = 1, *, retained: int = 1) -> Session:
    made = Session(
        {
            "sameriver.batch.rows": "10",
            "execution.checkpointing.interval": "1 ms",
            "execution.checkpointing.num-retained": str(retained),
            "parallelism.default": str(shards),
        }
    )
    made.register("t", ROWS)
    return made


def read(
    made: Session, state: StateDir | Path, sql: str = TOTALS, *, batches: int | None = None
) -> tuple[list[Changes], bool]:
    """Batches of the query, until some have come; and whether that was all."""
    stop = threading.Event()
    found: list[Changes] = []
    (result,) = made.results(sql, state=state, stop=stop)
    for batch in result.batches():
        found.append(batch)
        if batches is not None and len(found) >= batches:
            stop.set()
    return found, not stop.is_set()


def final(batches: list[Changes]) -> pl.DataFrame:
    schema = session().sql(TOTALS.rstrip(";")).schema
    return materialize(iter(batches), schema).sort("k")


EXPECTED = ROWS.group_by("k").agg(total=pl.col("v").sum(), n=pl.col("v").n_unique()).sort("k")


def test_a_script_goes_on_where_it_stopped(state: Path) -> None:
    batches: list[Changes] = []
    runs = 0
    ended = False
    while not ended:
        more, ended = read(session(runs % 3 + 1), state, batches=4)
        batches += more
        runs += 1
    assert runs > 3
    assert final(batches).rows() == EXPECTED.rows()


def test_a_script_that_ended_does_nothing_more(state: Path) -> None:
    assert final(read(session(), state)[0]).rows() == EXPECTED.rows()
    seen: list[Progress] = []
    assert session().execute(TOTALS, state=state, progress=seen.append)[0].to_polars().is_empty()
    assert seen[-1].ended_before


def test_a_result_that_is_dropped_is_read_again(state: Path) -> None:
    (result,) = session().results(TOTALS, state=state)
    first = next(iter(result.batches()))
    result.close()
    again, _ = read(session(), state)
    assert again[0].rows.equals(first.rows)


def test_fresh_forgets_the_state(state: Path) -> None:
    read(session(), state, batches=5)
    batches, _ = read(session(), StateDir(state, fresh=True))
    assert final(batches).rows() == EXPECTED.rows()


def test_fresh_forgets_before_the_first_checkpoint(state: Path) -> None:
    read(session(), state, batches=5)
    iterator = session().results("SELECT 1;", state=StateDir(state, fresh=True))
    next(iterator)
    batches, _ = read(session(), state)
    assert final(batches).rows() == EXPECTED.rows()


def test_a_savepoint_begins_another_folder(state: Path, tmp_path: Path) -> None:
    first, _ = read(session(), state, batches=5)
    savepoint = take_savepoint(StateFolder.find(state), tmp_path / "sp", timeout=1)
    other = StateDir(tmp_path / "other", savepoint=savepoint)
    middle, _ = read(session(2), other, batches=5)
    rest, ended = read(session(3), other)
    assert ended
    assert final([*first, *middle, *rest]).rows() == EXPECTED.rows()


def test_state_is_not_replaced_by_a_savepoint_unasked(state: Path, tmp_path: Path) -> None:
    first, _ = read(session(), state, batches=5)
    savepoint = take_savepoint(StateFolder.find(state), tmp_path / "sp", timeout=1)
    read(session(), state, batches=5)
    with pytest.raises(UserError) as caught:
        read(session(), StateDir(state, savepoint=savepoint))
    assert caught.value.code == "STATE_EXISTS"
    rest, _ = read(session(), StateDir(state, savepoint=savepoint, fresh=True))
    assert final([*first, *rest]).rows() == EXPECTED.rows()


def test_an_altered_savepoint_is_refused(state: Path, tmp_path: Path) -> None:
    read(session(), state, batches=5)
    savepoint = take_savepoint(StateFolder.find(state), tmp_path / "sp", timeout=1)
    file = savepoint / f"{NAME}.parquet"
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(ExternalError, match=NAME) as caught:
        read(session(), StateDir(tmp_path / "other", savepoint=savepoint))
    assert caught.value.code == "TORN_FILE"


def test_another_script_is_refused(state: Path) -> None:
    read(session(), state, batches=5)
    changed = TOTALS.replace("SUM(v)", "MAX(v)")
    with pytest.raises(SameriverError) as caught:
        read(session(), state, changed)
    assert caught.value.code == "STATE_NOT_COMPATIBLE"


def test_other_names_are_the_same_state(state: Path) -> None:
    first, _ = read(session(), state, batches=5)
    renamed = "-- totals\nSELECT k, SUM(v) AS s, COUNT(DISTINCT v) AS d FROM t GROUP BY k;"
    rest, _ = read(session(), state, renamed)
    names = {"s": "total", "d": "n"}
    rest = [batch.with_rows(batch.rows.rename(names)) for batch in rest]
    assert final([*first, *rest]).rows() == EXPECTED.rows()


def test_jobs_of_a_script_share_the_folder(state: Path, tmp_path: Path) -> None:
    script = "".join(
        f"CREATE TABLE o{i} (k BIGINT, n BIGINT) WITH ('connector' = 'filesystem', "
        f"'path' = '{tmp_path / f'o{i}'}', 'format' = 'csv');"
        f"INSERT INTO o{i} SELECT k, v FROM t WHERE v > {i};"
        for i in (1, 2)
    )
    for _ in range(2):
        session().execute(script, state=state)
    saved, _ = facts(state)
    assert [(job.name, job.finished) for job in saved.manifest.jobs] == [
        ("INSERT INTO o1", True),
        ("INSERT INTO o2", True),
    ]
    for i in (1, 2):
        lines = sum(len(p.read_text().splitlines()) for p in (tmp_path / f"o{i}").rglob("part*"))
        assert lines == ROWS.filter(pl.col("v") > i).height


def test_jobs_are_run_in_order(state: Path) -> None:
    first, second = session().execute(f"{TOTALS} {TOTALS}", state=state)
    with pytest.raises(UserError) as caught:
        second.to_polars()
    assert caught.value.code == "NOT_IN_ORDER"
    assert first.to_polars().sort("k").rows() == EXPECTED.rows()


def test_a_folder_serves_one_job_at_a_time(state: Path) -> None:
    (result,) = session().results(TOTALS, state=state)
    batches = iter(result.batches())
    next(batches)
    with pytest.raises(ExternalError) as caught:
        read(session(), state)
    assert caught.value.code == "STATE_IN_USE"
    result.close()


def test_a_full_disk_stops_the_job(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read(session(), state, batches=5)
    before = StateFolder.find(state).latest()

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(disk, "sync", full)
        with pytest.raises(ExternalError, match="No space left") as caught:
            read(session(), state)
    assert caught.value.code == "CANT_WRITE"
    assert StateFolder.find(state).latest() == before
    assert read(session(), state)[1]


def test_only_so_many_checkpoints_are_kept(state: Path) -> None:
    read(session(retained=3), state)
    assert len(StateFolder.find(state).numbers()) == 3


# Looking in.


def test_tables_can_be_shown_and_queried(state: Path) -> None:
    read(session(), state)
    _, tables = facts(state)
    assert [(one.name, one.operator, one.rows) for one in tables] == [
        (NAME, "GroupAggregate 2", 7),
        ("group_aggregate_2_distinct_v", "GroupAggregate 2", EXPECTED["n"].sum()),
    ]
    assert table(state, NAME).sort("k")["total"].to_list() == EXPECTED["total"].to_list()
    assert query(state, f"SELECT SUM(total) AS s FROM {NAME}").item() == ROWS["v"].sum()
    with pytest.raises(UserError, match="accumulator") as caught:
        table(state, NAME[:-1])
    assert caught.value.code == "UNKNOWN_TABLE"
    with pytest.raises(UserError) as caught:
        query(state, "SELECT x FROM nothing")
    assert (caught.value.code, NAME in caught.value.hint) == ("BAD_QUERY", True)


def test_a_savepoint_needs_no_sameriver(state: Path) -> None:
    read(session(3), state, batches=9)
    (savepoint,) = (state / "savepoints").iterdir()
    manifest = json.loads((savepoint / "manifest.json").read_text())
    (file,) = [
        part["rows"]
        for node in manifest["jobs"][0]["nodes"]
        for table in node["tables"]
        for part in table["parts"]
        if table["name"] == "accumulators"
    ]
    path = savepoint / file["path"]
    frame = pl.read_parquet(path)
    declared = manifest["jobs"][0]["nodes"][1]["tables"][0]
    names = [column["name"] for column in declared["key"] + declared["values"]]
    assert frame.columns == names == ["k", "total", "n", "last_access"]
    (answer,) = duckdb.connect().execute(f"SELECT COUNT(*), SUM(total) FROM '{path}'").fetchall()
    assert answer == (frame.height, frame["total"].sum())


def test_a_running_job_takes_savepoints(state: Path, tmp_path: Path) -> None:
    stop, done = threading.Event(), []
    made = Session({"execution.checkpointing.interval": "1 h"})
    made.execute(
        "CREATE TABLE g (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000', "
        "'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '1000000');"
        "CREATE TABLE o (n BIGINT, s BIGINT) WITH ('connector' = 'blackhole');"
    )

    def run() -> None:
        sql = "INSERT INTO o SELECT COUNT(*), SUM(id) FROM g;"
        done.append(made.execute(sql, state=state, stop=stop))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        _wait_for(lambda: (state / "lock").exists())
        time.sleep(0.3)
        target = tmp_path / "sp"
        assert take_savepoint(StateFolder.find(state), target, timeout=30) == target
        with pytest.raises(UserError) as caught:
            take_savepoint(StateFolder.find(state), target, timeout=30)
        assert caught.value.code == "TARGET_EXISTS"
    finally:
        stop.set()
        thread.join()
    n, s = table(target, "group_aggregate_2_accumulators").select(pl.nth(0, 1)).row(0)
    assert n > 0
    assert s == n * (n + 1) // 2
    assert done
    assert not list((state / "requests").iterdir())


def test_a_job_that_does_not_answer_is_told(state: Path) -> None:
    folder = StateFolder.make(state)
    with folder.locked(), pytest.raises(ExternalError) as caught:
        take_savepoint(folder, None, timeout=0.2)
    assert caught.value.code == "NO_ANSWER"
    assert not list(folder.requests.iterdir())


def _wait_for(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# Time to live.

HOUR = 3_600_000
Frames = Callable[[], Iterator[pl.DataFrame]]


def part(rows: list[tuple[int, int]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["k", "v"], orient="row")


def play(
    state: Path, clock: ManualClock, ttl: str, frames: Frames, sql: str
) -> list[tuple[object, ...]]:
    """One run over some frames; the last rows it gave."""
    made = Session({"table.exec.state.ttl": ttl}, clock=clock)
    made.register("t", frames)
    found = []
    stop = threading.Event()
    (result,) = made.results(sql, state=state, stop=stop)
    for batch in result.batches():
        found += batch.rows.rows()
        stop.set()
    return found


COUNTS = "SELECT k, COUNT(*) AS n, COUNT(DISTINCT v) AS d FROM t GROUP BY k;"


def endless(*rows: tuple[int, int]) -> Frames:
    """The rows, the first of which may have been read before; then nothing, without end."""

    def frames() -> Iterator[pl.DataFrame]:
        yield part(list(rows))
        while True:
            time.sleep(0.01)
            yield part([])

    return frames


def ending(*rows: tuple[int, int]) -> Frames:
    return lambda: iter([part(list(rows))])


@pytest.mark.parametrize(
    ("before", "after", "between", "expected"),
    [
        ("2 h", "2 h", 1, 2),  # a restart doesn't touch it, so it expires an hour later
        ("2 h", "4 h", 1, 2),
        ("2 h", "4 h", 3, 2),
        ("2 h", "1 h", 1, 1),
        ("2 h", "0 ms", 9, 2),
        ("0 ms", "2 h", 9, 2),
        ("2 h", "2 h", 3, 1),
    ],
)
def test_the_time_to_live_may_change(
    state: Path, before: str, after: str, between: int, expected: int
) -> None:
    clock = ManualClock(100 * HOUR)
    play(state, clock, before, endless((1, 1)), COUNTS)
    clock.advance(between * HOUR)
    found = play(state, clock, after, ending((1, 1), (1, 1)), COUNTS)
    assert found[-1] == (1, expected, 1)


def test_a_restart_does_not_renew_rows(state: Path) -> None:
    clock = ManualClock(100 * HOUR)
    rows = [(1, 1), (2, 1)]
    play(state, clock, "2 h", endless(*rows), COUNTS)
    for _ in range(2):
        clock.advance(HOUR)
        rows.append((2, 1))
        play(state, clock, "2 h", endless(*rows), COUNTS)
    found = play(state, clock, "2 h", ending(*rows, (1, 1), (2, 1)), COUNTS)
    assert {row[0]: row[1] for row in found} == {1: 1, 2: 4}


def test_a_longer_time_to_live_revives_nothing(state: Path) -> None:
    clock = ManualClock(100 * HOUR)
    rows = [(1, 1), (2, 7)]
    play(state, clock, "2 h", endless(*rows), COUNTS)
    clock.advance(3 * HOUR)
    rows.append((3, 1))
    play(state, clock, "2 h", endless(*rows), COUNTS)
    found = play(state, clock, "9 h", ending(*rows, (1, 1), (3, 1)), COUNTS)
    assert {row[0]: row[1:] for row in found} == {1: (1, 1), 3: (2, 1)}
