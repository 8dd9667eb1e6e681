"""With a TTL or a watermark, what a long run holds stops growing, for each kind of operator."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sameriver import Session
from sameriver.common.changes import Changes
from sameriver.common.time import ManualClock
from sameriver.deploy.plans import Collected
from sameriver.engine.job import Job
from sameriver.plan.physical.scan import Scan
from sameriver.testing.memory import held

DDL = """
SET 'table.exec.state.ttl' = '4 s';
CREATE TABLE a (k BIGINT, g BIGINT, s STRING, v INT, ts TIMESTAMP(3), proc AS PROCTIME(),
  WATERMARK FOR ts AS ts) WITH ('connector' = 'case');
CREATE TABLE b (k BIGINT, g BIGINT, s STRING, v INT, ts TIMESTAMP(3), proc AS PROCTIME(),
  WATERMARK FOR ts AS ts) WITH ('connector' = 'case');
CREATE VIEW versions AS SELECT g, v, ts FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY ts DESC) AS n FROM b) WHERE n = 1;
"""


def ranked(by: str, *, rank: str = "n = 1", key: str = "k", table: str = "a") -> str:
    return (
        f"SELECT k, s, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY {by}) AS n"
        f" FROM {table}) WHERE {rank}"
    )


def windows(table: str) -> str:
    return f"TABLE(TUMBLE(TABLE {table}, DESCRIPTOR(ts), INTERVAL '2' SECOND))"


QUERIES = {
    "group_aggregate": "SELECT k, COUNT(*), MAX(v), LAST_VALUE(s) FROM a GROUP BY k",
    "group_by_strings": "SELECT s, SUM(v) FROM a GROUP BY s",
    "distinct_aggregate": "SELECT g, COUNT(DISTINCT k) FROM "
    "(SELECT k, g + k / 1000 * 1000 AS g FROM a) GROUP BY g",
    "aggregate_of_aggregate": "SELECT g, MAX(n) FROM (SELECT k, g + k / 1000 * 1000 AS g, "
    "COUNT(*) AS n FROM a GROUP BY k, g) GROUP BY g",
    "keep_first": ranked("proc"),
    "keep_last": ranked("proc DESC"),
    "keep_last_by_time": ranked("ts DESC"),
    "keep_first_by_time": ranked("ts"),
    "top_n": ranked("v DESC", rank="n <= 3"),
    "top_n_of_updates": "SELECT g, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY c "
    "DESC) AS n FROM (SELECT g + k / 1000 * 1000 AS g, k, COUNT(*) AS c FROM a GROUP BY k, g)) "
    "WHERE n <= 3",
    "join": "SELECT a.k, b.s FROM a JOIN b ON a.k = b.k",
    "left_join": "SELECT a.k, b.s FROM a LEFT JOIN b ON a.k = b.k + 1",
    "semi_join": "SELECT k, s FROM a WHERE k IN (SELECT k FROM b)",
    "anti_join": "SELECT k, s FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.s = a.s)",
    "join_of_updates": "SELECT a.k, c.n FROM a JOIN "
    "(SELECT k, COUNT(*) AS n FROM b GROUP BY k) AS c ON a.k = c.k",
    "interval_join": "SELECT a.k, b.s FROM a FULL JOIN b ON a.k = b.k "
    "AND a.ts BETWEEN b.ts - INTERVAL '3' SECOND AND b.ts",
    "window_join": f"SELECT l.k, r.s FROM (SELECT * FROM {windows('a')}) AS l FULL JOIN "
    f"(SELECT * FROM {windows('b')}) AS r ON l.k = r.k AND l.window_start = r.window_start "
    "AND l.window_end = r.window_end",
    "temporal_join": "SELECT a.k, r.v FROM a JOIN versions FOR SYSTEM_TIME AS OF a.ts AS r "
    "ON a.g = r.g",
    "over_range": "SELECT k, SUM(v) OVER (PARTITION BY g ORDER BY ts "
    "RANGE BETWEEN INTERVAL '3' SECOND PRECEDING AND CURRENT ROW) FROM a",
    "over_rows": "SELECT k, MAX(v) OVER (PARTITION BY k ORDER BY proc "
    "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM a",
    "over_unbounded": "SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY proc) FROM a",
    "session_window": "SELECT k, MIN(s), SUM(v) FROM a "
    "GROUP BY k, SESSION(ts, INTERVAL '2' SECOND)",
    "session_table": "SELECT window_start, k, SUM(v) FROM TABLE(SESSION(TABLE a PARTITION BY k, "
    "DESCRIPTOR(ts), INTERVAL '2' SECOND)) GROUP BY window_start, window_end, k",
    "window_aggregate": "SELECT window_start, k, COUNT(DISTINCT v) FROM TABLE(HOP(TABLE a, "
    "DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '4' SECOND)) "
    "GROUP BY window_start, window_end, k",
    "window_top_n": f"SELECT k, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, "
    f"window_end, g ORDER BY v DESC) AS n FROM {windows('a')}) WHERE n <= 3",
    "temporal_sort": "SELECT k, s, ts FROM a ORDER BY ts, v",
    "intersect": "SELECT k, s FROM a INTERSECT SELECT k, s FROM b",
    "except_all": "SELECT k FROM a EXCEPT ALL SELECT k FROM b WHERE v > 0",
    "union": "SELECT k, s FROM a UNION SELECT k, s FROM b",
}

ROUNDS, ROWS = 50, 4000


def batch(number: int) -> Changes:
    """A second of rows: most keys never come again, some come twice."""
    keys = number * ROWS + np.arange(ROWS) * 4 // 5
    times = np.datetime64("2026-01-01", "ms") + (number * 1000 + np.arange(ROWS) // 4).astype(
        "m8[ms]"
    )
    rows = pl.DataFrame(
        {"k": keys, "g": keys % 50, "v": (keys % 7).astype(np.int32), "ts": times}
    ).with_columns(s="text " + pl.col("k").cast(pl.String))
    return Changes(rows)


def push(job: Job, number: int) -> None:
    for scan in job.sources:
        assert isinstance(scan, Scan)
        given = batch(number)
        job.push_rows(scan, given.with_rows(given.rows.select(scan.schema.names)))
    job.fire_timers()


@pytest.mark.parametrize("query", list(QUERIES))
def test_what_a_long_run_holds_stops_growing(query: str) -> None:
    clock, out = ManualClock(0), Collected()
    session = Session(clock=clock)
    (plan,) = session.plan(f"{DDL} {QUERIES[query]};")
    job = session.job(plan, sink=out)
    bytes_held, rows_held = [], []
    for number in range(ROUNDS):
        clock.set(number * 1000)
        push(job, number)
        bytes_held.append(sum(held(vertex.operators) for vertex in job._graph.vertices))
        if number in (ROUNDS // 2 - 1, ROUNDS - 2):
            tables = [table for node in job.snapshot().nodes for table in node.tables.values()]
            rows_held.append(sum(table.height for table in tables))
    assert 0 < rows_held[1] <= 1.2 * rows_held[0]
    middle = ROUNDS * 3 // 5
    assert max(bytes_held[middle:]) <= 1.2 * max(bytes_held[:middle])
    assert out.batches
