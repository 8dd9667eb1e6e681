"""Queries that are changed while their jobs run on Flink, beside the embedded engine.

What ``expected`` gives is the new query over all input, by the embedded engine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flink_jobs import Stage, misjudged

from sameriver.common.errors import ExternalError, UserError
from sameriver.deploy.versions import FIRST, FRESH, ROLLBACK, UPGRADE
from sameriver.flink import upgrade
from sameriver.flink.gateway import Gateway
from sameriver.flink.report import flink_text
from sameriver.flink.state import STOPPED
from sameriver.flink.upgrade import FlinkUpgradeRefused, savepoint_path

ROWS = "a,1,1,@00:01 b,2,2,@00:02 a,3,3,@00:25"
LATER = "a,10,1,@01:01 c,20,2,@01:02 b,7,7,@01:03"
NAMES = "a,Ann b,Bob c,Cid"

SUMS = "SELECT k, SUM(v) AS s FROM t GROUP BY k"
COUNTS = "SELECT v AS g, COUNT(*) AS n FROM t GROUP BY v"
EVERY = "a,1,1,@03:01 b,1,1,@03:01 c,1,1,@03:01 d,1,1,@03:01"


def deduplicated(columns: str, order: str, where: str = "") -> str:
    return f"""SELECT {columns} FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {order}) AS n FROM t {where}
    ) WHERE n = 1"""


def joined(columns: str, where: str = "") -> str:
    return f"SELECT {columns} FROM t JOIN u ON t.k = u.k {where}"


def cumulated(aggregates: str, where: str = "", minutes: int = 1) -> str:
    return f"""SELECT k, CAST(window_end AS STRING) AS till, {aggregates} FROM TABLE(
        CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '{minutes}' MINUTE)
    ) {where} GROUP BY k, window_start, window_end"""


@pytest.fixture
def stage(gateway: Gateway, tmp_path: Path) -> Iterator[Stage]:
    """On the local cluster as if it were one that others share."""
    cluster = Gateway(gateway.jvm, cluster=gateway.rest, parallelism=None, jars=())
    made = Stage(cluster, tmp_path)
    made.add(ROWS)
    made.add(NAMES, "u")
    try:
        yield made
    finally:
        made.end()


def change(
    stage: Stage,
    *queries: str,
    rows: str,
    keys: int = 0,
    options: dict[str, str] | None = None,
    ignore_filter: bool = False,
    allow_partial: bool = False,
) -> None:
    """An upgrade whose job goes on as if its queries had read all input, of which more comes."""
    before = stage.running()
    entry = stage.run(
        *queries, options=options, ignore_filter=ignore_filter, allow_partial=allow_partial
    )
    verdict = "PARTIALLY_COMPATIBLE" if allow_partial else "FULLY_COMPATIBLE"
    assert (entry.version.way, entry.version.verdict) == (UPGRADE, verdict)
    assert entry.version.exact == (not ignore_filter and not allow_partial)
    assert entry.number == before.number + 1
    assert stage.rest.checkpoints(stage.running().job.id).restored == entry.version.savepoint
    stage.add(rows)
    for number, query in enumerate(queries, 1):
        stage.wait(stage.expected(query), keys, number)


# State goes on.


def test_changes_around_a_grouped_query(stage: Stage) -> None:
    first = stage.run(SUMS)
    stage.wait(stage.expected(SUMS))
    assert stage.run(SUMS) == first  # nothing has changed, so it is left running
    change(stage, SUMS, rows="a,1,1,@02:01", options={"parallelism.default": "2"})
    change(stage, SUMS, rows="d,1,1,@02:02", options={"table.exec.state.ttl": "2 h"})
    lives = SUMS.replace("SELECT", "SELECT /*+ STATE_TTL('t' = '1 d') */")
    change(stage, lives, rows="b,1,1,@02:03 a,5,1,@02:03")
    change(stage, f"{SUMS} HAVING SUM(v) > -5", rows="c,1,1,@02:04 a,1,1,@02:04")
    twice = f"SELECT k, s * 2 AS s FROM ({SUMS})"
    change(stage, twice, rows=EVERY, keys=1)
    named = f"SELECT k, CONCAT(k, CAST(s AS STRING)) AS s FROM ({SUMS})"
    change(stage, named, rows=EVERY, keys=1)


def test_mini_batch_is_switched_on(stage: Stage) -> None:
    stage.run(SUMS)
    stage.wait(stage.expected(SUMS))
    folding = {
        "table.exec.mini-batch.enabled": "true",
        "table.exec.mini-batch.allow-latency": "100 ms",
        "table.exec.mini-batch.size": "1000",
    }
    change(stage, SUMS, rows=LATER, options=folding)


def test_a_filter_below_a_grouped_query(stage: Stage) -> None:
    stage.run(SUMS)
    stage.wait(stage.expected(SUMS))
    query = "SELECT k, SUM(v) AS s FROM t WHERE v < 15 GROUP BY k"
    with pytest.raises(FlinkUpgradeRefused, match="INCOMPATIBLE"):
        stage.run(query)
    change(stage, query, rows=LATER, ignore_filter=True)


def test_a_filter_below_a_deduplication(stage: Stage) -> None:
    stage.run(deduplicated("k, v", "ts DESC"))
    stage.wait(stage.expected(deduplicated("k, v", "ts DESC")))
    query = deduplicated("k, v", "ts DESC", "WHERE v < 15")
    change(stage, query, rows=LATER, ignore_filter=True)


def test_a_filter_below_a_join(stage: Stage) -> None:
    stage.run(joined("t.k, v, name"))
    stage.wait(stage.expected(joined("t.k, v, name")))
    query = joined("t.k, v, name", "WHERE v < 15")
    change(stage, query, rows=LATER, ignore_filter=True)
    stage.add("a,Alf", "u")
    stage.wait(stage.expected(query))


def test_a_filter_below_a_window(stage: Stage) -> None:
    def wait(query: str, till: str) -> None:
        """The windows that have passed by then."""
        stage.wait([row for row in stage.expected(query) if row[1] < till])

    stage.run(cumulated("SUM(v) AS s"))
    wait(cumulated("SUM(v) AS s"), "2026-01-01 00:00:24")
    query = cumulated("SUM(v) AS s", "WHERE v < 15")
    entry = stage.run(query, ignore_filter=True)
    assert entry.version.verdict == "FULLY_COMPATIBLE"
    stage.add("a,5,1,@00:26 b,99,1,@00:27 z,0,0,@01:25")
    wait(query, "2026-01-01 00:01:24")


def test_a_second_insert(stage: Stage) -> None:
    stage.run(SUMS)
    stage.wait(stage.expected(SUMS))
    entry = stage.run(SUMS, "SELECT k, v FROM t")
    assert entry.version.verdict == "FULLY_COMPATIBLE"
    stage.add(LATER)
    stage.wait(stage.expected(SUMS))
    stage.wait([("a", 10), ("b", 7), ("c", 20)], number=2)  # what comes from now on


def test_an_insert_less(stage: Stage) -> None:
    stage.run(SUMS, COUNTS)
    stage.wait(stage.expected(SUMS))
    change(stage, SUMS, rows=LATER)


def test_a_join_behind_an_aggregate(stage: Stage) -> None:
    stage.run(SUMS)
    stage.wait(stage.expected(SUMS))
    query = f"SELECT sums.k, s, name FROM ({SUMS}) AS sums JOIN u ON sums.k = u.k"
    with pytest.raises(FlinkUpgradeRefused, match="PARTIALLY"):
        stage.run(query)
    change(stage, query, rows=LATER, keys=1, allow_partial=True)


def test_a_column_more_than_the_first_row_had(stage: Stage) -> None:
    stage.run(deduplicated("k, v", "p"))
    stage.wait(stage.expected(deduplicated("k, v", "p")))
    entry = stage.run(deduplicated("k, v, w", "p"))
    assert entry.version.verdict == "FULLY_COMPATIBLE"
    stage.add(LATER)
    stage.wait([("a", 1), ("b", 2), ("c", 20, 2)])  # a and b are known and don't come again


def test_files_are_not_read_twice(stage: Stage) -> None:
    stage.run("SELECT k, v FROM t")
    stage.wait(stage.expected("SELECT k, v FROM t"))
    change(stage, "SELECT k, ABS(v) AS v FROM t", rows=LATER)


def test_an_aggregate_more_counts_from_the_upgrade(stage: Stage) -> None:
    stage.run(SUMS)
    stage.wait(stage.expected(SUMS))
    query = "SELECT k, SUM(v) AS s, MAX(v) AS m FROM t GROUP BY k"
    with pytest.raises(FlinkUpgradeRefused, match="PARTIALLY") as refused:
        stage.run(query)
    told = flink_text(refused.value.report)
    assert "`MAX(t.v)` is computed in a node of its own" in told
    entry = stage.run(query, allow_partial=True)
    assert entry.version.verdict == "PARTIALLY_COMPATIBLE"
    stage.add(LATER)
    stage.wait([("a", 14, 10), ("b", 9, 7), ("c", 20, 20)], 1)
    assert stage.run(query) == entry  # it is left running
    again = stage.run(query, options={"pipeline.name": "sums"})
    assert (again.version.verdict, again.version.exact) == ("FULLY_COMPATIBLE", False)
    stage.add("a,50,1,@04:01")
    stage.wait([("a", 64, 50), ("b", 9, 7), ("c", 20, 20)], 1)


# State does not go on.


def test_what_would_go_wrong_is_refused_before_anything_is_touched(stage: Stage) -> None:
    old = (
        SUMS, COUNTS, deduplicated("k, v", "ts DESC"), joined("t.k, v, name"),
        cumulated("SUM(v) AS s"),
    )  # fmt: skip
    before = stage.run(*old)
    refused = {
        0: (
            "SELECT k, MAX(v) AS s FROM t GROUP BY k",
            "SELECT k, SUM(v * 2) AS s FROM t GROUP BY k",
            "SELECT k, SUM(v) AS s FROM t GROUP BY k, w",
            "SELECT k, SUM(v) AS s, MAX(v) AS m FROM t GROUP BY k",
        ),
        1: ("SELECT w AS g, COUNT(*) AS n FROM t GROUP BY w",),
        2: (deduplicated("k, v, w", "ts DESC"),),
        3: (joined("t.k, v, w, name"),),
        4: (
            cumulated("SUM(v) AS s, MAX(v) AS m"),
            cumulated("SUM(v) AS s", minutes=2),
        ),
    }
    for place, queries in refused.items():
        for query in queries:
            new = list(old)
            new[place] = query
            with pytest.raises(FlinkUpgradeRefused) as caught:
                stage.run(*new)
            told = [one.outcome.value for one in caught.value.report.operators]
            assert "refused" in told or "new" in told
    assert stage.running() == before
    stage.add(LATER)
    for number, query in enumerate(old[:4], 1):
        stage.wait(stage.expected(query), number=number)


def test_a_version_that_fails_leaves_the_old_one_running(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = stage.run(SUMS)
    stage.wait(stage.expected(SUMS))

    monkeypatch.setattr(upgrade, "judge", misjudged)
    with pytest.raises(ExternalError, match="StateMigrationException") as failed:
        stage.run("SELECT k, SUM(v) AS s, MIN(w) AS m FROM t GROUP BY k")
    assert failed.value.code == "UPGRADE_FAILED"
    assert "Version 1 runs again from 'file:" in failed.value.hint
    again = stage.running()
    assert (again.version, again.number) == (old.version, 1)
    assert again.job.began in failed.value.hint
    assert stage.rest.checkpoints(again.job.id).restored == again.job.began
    stage.add(LATER)
    stage.wait(stage.expected(SUMS))
    assert list(stage.rest.jobs().values()).count("RUNNING") == 1


def test_a_longer_cumulating_window_would_lose_rows(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is restored by Flink, but an open window may have begun later than the new one does."""

    def wait(till: str) -> None:
        shown = cumulated("SUM(v) AS s")
        stage.wait([row for row in stage.expected(shown) if row[1] < f"2026-01-01 00:{till}"])

    stage.run(cumulated("SUM(v) AS s"))
    wait("00:24")
    stage.add("a,1,1,@01:03 a,2,1,@01:25")
    wait("01:24")
    longer = cumulated("SUM(v) AS s", minutes=2)
    with pytest.raises(FlinkUpgradeRefused, match="INCOMPATIBLE"):
        stage.run(longer)
    monkeypatch.setattr(upgrade, "judge", misjudged)
    stage.run(longer)
    stage.add("a,4,1,@01:31 n,1,1,@01:32 z,0,0,@02:25")
    end = "2026-01-01 00:02:00.000"
    deadline = time.monotonic() + 60
    while ("n", end, 1) not in (found := stage.written()):
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
    assert ("a", end, 11) in stage.expected(longer)
    assert ("a", end, 11) not in found


# Ways back and on.


def test_rollback_goes_on_where_the_old_version_was_left(stage: Stage) -> None:
    stage.run(SUMS)
    stage.wait(stage.expected(SUMS))
    with pytest.raises(UserError, match="holds no version before"), stage.deployment() as one:
        one.roll_back()
    few = f"{SUMS} HAVING SUM(v) > -5"
    change(stage, few, rows=LATER)
    with stage.deployment() as deployment:
        back = deployment.roll_back()
    assert (back.version.way, back.version.script) == (ROLLBACK, SUMS)
    assert stage.running() == back
    stage.wait(stage.expected(SUMS))
    with pytest.raises(UserError, match="holds no version before"), stage.deployment() as one:
        one.roll_back()
    change(stage, few, rows=EVERY)
    assert [one.version.way for one in stage.state.entries()] == [FIRST, UPGRADE, ROLLBACK, UPGRADE]


def test_fresh_starts_over(stage: Stage) -> None:
    old = stage.run(SUMS)
    stage.wait(stage.expected(SUMS))
    largest = "SELECT k, MAX(v) AS s FROM t GROUP BY k"
    new = stage.run(largest, fresh=True)
    assert (new.version.way, new.job.began) == (FRESH, "")
    assert stage.rest.state(old.job.id) == "FINISHED"
    first = stage.state.entries()[0].job
    assert (first.stands, bool(first.savepoint)) == (STOPPED, True)
    stage.wait(sorted([*stage.expected(SUMS), *stage.expected(largest)]))


def test_a_job_that_was_being_started_is_ended_first(stage: Stage) -> None:
    entry = stage.run(SUMS)
    stage.wait(stage.expected(SUMS))
    stage.state.draft(replace(entry, job=replace(entry.job, id="0" * 32)))
    assert stage.run(SUMS) == entry
    assert stage.state.drafts() == []
    stage.state.draft(entry)
    again = stage.run(SUMS)  # goes on from the last checkpoint
    assert stage.rest.state(entry.job.id) == "CANCELED"
    assert "chk-" in again.job.began
    stage.add(LATER)
    stage.wait(stage.expected(SUMS))


def test_uris_and_paths_of_savepoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "_metadata").touch()
    monkeypatch.chdir(tmp_path)
    here = f"file://{tmp_path}/made"
    for path in (None, Path("made"), tmp_path / "made", Path(here), here):
        assert savepoint_path(path) == ("" if path is None else here)
    assert savepoint_path(Path("s3://bucket/made")) == "s3://bucket/made"
    with pytest.raises(UserError, match="holds no savepoint"):
        savepoint_path(tmp_path)
