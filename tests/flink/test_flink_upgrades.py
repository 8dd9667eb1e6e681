"""Queries that are changed while their jobs run on Flink, beside the embedded engine.

What ``expected`` gives is the new query over all input, by the embedded engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flink_jobs import Stage

from sameriver.deploy.versions import UPGRADE
from sameriver.flink.gateway import Gateway
from sameriver.flink.upgrade import FlinkUpgradeRefused

ROWS = "a,1,1,@00:01 b,2,2,@00:02 a,3,3,@00:03"
LATER = "a,10,1,@01:01 c,20,2,@01:02 b,7,7,@01:03"
NAMES = "a,Ann b,Bob c,Cid"

SUMS = "SELECT k, SUM(v) AS s FROM t GROUP BY k"
LAST = """SELECT {columns} FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {order}) AS n FROM t{where}
) WHERE n = 1"""
JOINED = "SELECT {columns} FROM t JOIN u ON t.k = u.k"
WINDOWS = """SELECT k, window_start, window_end, {aggregates} FROM TABLE(
  CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '{size}' SECOND)
){where} GROUP BY k, window_start, window_end"""


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
    every = "a,1,1,@03:01 b,1,1,@03:01 c,1,1,@03:01 d,1,1,@03:01"
    change(stage, twice, rows=every, keys=1)
    named = f"SELECT k, CONCAT(k, CAST(s AS STRING)) AS s FROM ({SUMS})"
    change(stage, named, rows=every, keys=1)


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
