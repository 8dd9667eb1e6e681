"""A changed script on the state of another."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import polars as pl
import pytest

from sameriver import Session, StateDir, UserError, udf
from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.requests import take_savepoint
from sameriver.common.changes import Changes
from sameriver.compat import Verdict
from sameriver.deploy.upgrade import UpgradeRefused
from sameriver.deploy.versions import Version, origin, rollback, sql_diff, versions
from sameriver.engine.driver import Progress
from sameriver.session.materialize import materialize

ROWS = pl.DataFrame({"k": [i % 7 for i in range(300)], "v": [i * i % 31 for i in range(300)]})
TOTALS = "SELECT k, SUM(v) AS total, COUNT(*) AS n FROM t GROUP BY k;"
FEWER = "SELECT k, SUM(v) AS total FROM t GROUP BY k;"
MORE = "SELECT k, SUM(v) AS total, COUNT(*) AS n, MAX(v) AS most FROM t GROUP BY k;"
FILTERED = "SELECT k, SUM(v) AS total, COUNT(*) AS n FROM t WHERE v > 3 GROUP BY k;"


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is to outlive these tests."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def session() -> Session:
    made = Session({"sameriver.batch.rows": "10", "execution.checkpointing.interval": "1 ms"})
    made.register("t", ROWS)
    return made


def read(state: StateDir | Path, sql: str, batches: int | None = None) -> list[Changes]:
    """Batches of the query, until some have come, if that is said."""
    stop = threading.Event()
    found: list[Changes] = []
    (result,) = session().results(sql, state=state, stop=stop)
    for batch in result.batches():
        found.append(batch)
        if batches is not None and len(found) >= batches:
            stop.set()
    return found


def table(batches: list[Changes], sql: str) -> pl.DataFrame:
    schema = session().sql(sql.rstrip(";")).schema
    return materialize(iter(batches), schema).sort("k")


def whole(sql: str) -> pl.DataFrame:
    return session().sql(sql.rstrip(";")).to_polars().sort("k")


def known(state: Path) -> list[Version]:
    return versions(StateFolder.find(state))


def files(state: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(state.rglob("*")) if p.is_file()}


def test_an_aggregate_less_goes_on(state: Path) -> None:
    before = read(state, TOTALS, 12)
    after = read(state, FEWER)
    kept = [Changes(batch.rows.drop("n"), batch.kinds) for batch in before]
    assert table([*kept, *after], FEWER).equals(whole(FEWER))
    assert [(v.number, v.way, v.verdict) for v in known(state)] == [
        (1, "first", None),
        (2, "upgrade", "FULLY_COMPATIBLE"),
    ]


def test_what_is_new_needs_leave_to_start_empty(state: Path) -> None:
    read(state, TOTALS, 12)
    before = files(state)
    with pytest.raises(UpgradeRefused) as refused:
        read(state, MORE)
    assert refused.value.report.verdict is Verdict.PARTIAL
    assert files(state) == before
    after = read(StateDir(state, allow_partial=True), MORE)
    last = pl.concat([batch.rows for batch in after]).unique("k", keep="last").sort("k")
    later = ROWS[120:].group_by("k").agg(most=pl.col("v").max()).sort("k")
    assert last["most"].to_list() == later["most"].to_list()
    assert last.drop("most").equals(whole(TOTALS))


def test_a_backfill_makes_what_is_new_exact(state: Path) -> None:
    read(state, TOTALS, 12)
    found = read(StateDir(state, backfill=True), MORE)
    assert table(found, MORE).equals(whole(MORE))
    assert known(state)[-1].way == "backfill"


def test_what_began_empty_is_not_filled_later(state: Path) -> None:
    before = read(state, TOTALS, 12)
    read(StateDir(state, allow_partial=True), MORE, 3)
    assert [v.exact for v in known(state)] == [True, False]
    with pytest.raises(UserError, match="from history") as refused:
        read(StateDir(state, backfill=True), MORE.replace("MAX", "MIN"))
    assert refused.value.code == "NOT_EXACT"
    rollback(StateFolder.find(state), 0)
    found = read(StateDir(state, backfill=True), FILTERED)
    assert [v.exact for v in known(state)] == [True, False, True, True]
    assert table([*before, *found], FILTERED).equals(whole(FILTERED))


def test_an_ignored_filter_is_not_exact(state: Path) -> None:
    read(state, TOTALS, 12)
    ignore = "SET 'table.optimizer.state-compatibility.ignore-filter' = 'true';\n"
    stop = threading.Event()
    _, result = session().results(ignore + FILTERED, state=state, stop=stop)
    for _ in result.batches():
        stop.set()
    assert [(v.verdict, v.exact) for v in known(state)][1:] == [("FULLY_COMPATIBLE", False)]


def test_a_backfill_tells_the_sink_what_differs(state: Path) -> None:
    before = read(state, TOTALS, 12)
    with pytest.raises(UpgradeRefused) as refused:
        read(state, FILTERED)
    assert refused.value.report.verdict is Verdict.INCOMPATIBLE
    after = read(StateDir(state, backfill=True), FILTERED)
    assert table([*before, *after], FILTERED).equals(whole(FILTERED))


def test_a_backfill_tells_the_differences_once(state: Path) -> None:
    before = read(state, TOTALS, 12)
    first = read(StateDir(state, backfill=True), FILTERED, 4)
    second = read(StateDir(state, backfill=True), FILTERED)
    assert table([*before, *first, *second], FILTERED).equals(whole(FILTERED))
    assert len(known(state)) == 2


def test_a_job_that_has_ended_can_change(state: Path) -> None:
    before = read(state, TOTALS)
    after = read(StateDir(state, backfill=True), FILTERED)
    assert table([*before, *after], FILTERED).equals(whole(FILTERED))
    assert read(state, FILTERED) == []


def test_rows_that_come_anew_each_time_are_not_replayed(state: Path) -> None:
    ddl = "CREATE TABLE t (k INT, v INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100');"
    stop = threading.Event()
    made = Session({"execution.checkpointing.interval": "1 ms"})
    _, result = made.results(f"{ddl} {TOTALS}", state=state, stop=stop)
    for _ in result.batches():
        stop.set()
    with pytest.raises(UserError, match="'t' can't be read again") as refused:
        list(Session().results(f"{ddl} {FILTERED}", state=StateDir(state, backfill=True)))
    assert refused.value.code == "NOT_REPLAYABLE"


def test_the_way_back(state: Path) -> None:
    before = read(state, TOTALS, 12)
    read(state, FEWER, 3)
    version = rollback(StateFolder.find(state), 0)
    assert (version.way, version.script) == ("rollback", TOTALS)
    assert table([*before, *read(state, TOTALS)], TOTALS).equals(whole(TOTALS))
    assert origin(known(state)[0]) == "nothing"


def test_the_way_back_leads_forth_again(state: Path) -> None:
    before = read(state, TOTALS, 12)
    kept = [Changes(batch.rows.drop("n"), batch.kinds) for batch in before]
    after = read(state, FEWER, 3)
    folder = StateFolder.find(state)
    rollback(folder, 0)
    assert rollback(folder, 0).script == FEWER
    rest = read(state, FEWER)
    assert table([*kept, *after, *rest], FEWER).equals(whole(FEWER))


def test_there_must_be_a_way_back(state: Path) -> None:
    read(state, TOTALS, 12)
    with pytest.raises(UserError) as refused:
        rollback(StateFolder.find(state), 0)
    assert refused.value.code == "NOTHING_TO_ROLL_BACK"


def test_a_changed_script_begins_with_a_savepoint(state: Path, tmp_path: Path) -> None:
    before = read(state, TOTALS, 12)
    taken = take_savepoint(StateFolder.find(state), tmp_path / "taken", timeout=5)
    other = tmp_path / "other"
    after = read(StateDir(other, savepoint=taken), FEWER)
    kept = [Changes(batch.rows.drop("n"), batch.kinds) for batch in before]
    assert table([*kept, *after], FEWER).equals(whole(FEWER))
    assert origin(known(other)[0]) == str(taken)


def test_state_is_not_replaced_by_a_savepoint_that_is_refused(state: Path, tmp_path: Path) -> None:
    read(state, TOTALS, 12)
    taken = take_savepoint(StateFolder.find(state), tmp_path / "taken", timeout=5)
    before = files(state)
    with pytest.raises(UpgradeRefused):
        read(StateDir(state, savepoint=taken, fresh=True), FILTERED)
    assert files(state) == before


def test_a_script_that_only_looks_otherwise_goes_on(state: Path) -> None:
    before = read(state, TOTALS, 12)
    after = read(state, "-- what each has\n" + TOTALS.replace("total", "sum_of_v"))
    renamed = [Changes(b.rows.rename({"sum_of_v": "total"}), b.kinds) for b in after]
    assert table([*before, *renamed], TOTALS).equals(whole(TOTALS))


def test_a_changed_function_is_no_known_change(state: Path) -> None:
    def once(factor: int, trusted: str = "") -> list[Changes]:
        made = session()
        if trusted:
            made.execute(f"SET 'sameriver.state-compatibility.trusted-functions' = '{trusted}'")
        body = _twice if factor == 2 else _doubled
        made.register_function("times", udf(result_type="INT")(body))
        stop = threading.Event()
        found: list[Changes] = []
        sql = "SELECT k, SUM(times(v)) AS total FROM t GROUP BY k;"
        (result,) = made.results(sql, state=state, stop=stop)
        for batch in result.batches():
            found.append(batch)
            if factor == 2 and len(found) == 12:
                stop.set()
        return found

    before = once(2)
    with pytest.raises(UpgradeRefused) as refused:
        once(1)
    assert refused.value.report.verdict is Verdict.UNKNOWN
    after = once(1, trusted="times")
    found = {row["k"]: row["total"] for b in [*before, *after] for row in b.rows.to_dicts()}
    assert found == dict((whole(FEWER).with_columns(pl.col("total") * 2)).iter_rows())


def _twice(value: int) -> int:
    return value * 2


def _doubled(value: int) -> int:
    return value + value


def test_a_sink_and_its_query_go(state: Path, tmp_path: Path) -> None:
    def script(*inserts: str) -> str:
        sinks = "".join(
            f"CREATE TABLE {name} (k BIGINT, n BIGINT) WITH ('connector' = 'filesystem',"
            f" 'path' = '{tmp_path / name}', 'format' = 'debezium-json');"
            for name in ("firsts", "others")
        )
        return f"{sinks} EXECUTE STATEMENT SET BEGIN {' '.join(inserts)} END;"

    one = "INSERT INTO firsts SELECT k, COUNT(*) FROM t GROUP BY k;"
    two = "INSERT INTO others SELECT v, COUNT(*) FROM t GROUP BY v;"
    stop = threading.Event()

    def watch(progress: Progress) -> None:
        if progress.rows_in >= 100:
            stop.set()

    session().execute(script(one, two), state=state, stop=stop, progress=watch)
    session().execute(script(two), state=state)
    assert known(state)[-1].verdict == "FULLY_COMPATIBLE"
    made = session()
    made.execute(script(two).split("EXECUTE")[0])
    written = made.sql("SELECT k AS v, n FROM others").to_polars().sort("v")
    expected = ROWS.group_by("v").agg(n=pl.len().cast(pl.Int64)).sort("v")
    assert written.equals(expected)


def test_versions_differ_line_by_line() -> None:
    assert sql_diff("a\nb\nc", "a\nx\nc")[1:] == [" a", "-b", "+x", " c"]
