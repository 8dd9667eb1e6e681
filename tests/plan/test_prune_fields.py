"""Of ROWs, scans read the fields that are needed."""

from __future__ import annotations

import pytest
from binding import bind
from planned import all_of, find

from sameriver.common.config import Config
from sameriver.compat.describe import describe
from sameriver.plan.describe import describe as shown
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.sink import Sink
from sameriver.plan.planner import plan_job

DDL = """CREATE TABLE t (
  kind INT,
  a ROW<x BIGINT, y STRING, deep ROW<p INT, q INT>>,
  b ROW<x BIGINT, ts TIMESTAMP(3)>,
  items ARRAY<ROW<x INT, y INT>>,
  ts AS COALESCE(b.ts, TIMESTAMP '2026-01-01 00:00:00'),
  WATERMARK FOR ts AS ts
) WITH ('connector' = 'filesystem', 'path' = 'p', 'format' = 'json');
"""


def planned(*queries: str, nested: bool = True) -> tuple[Sink, ...]:
    logicals = [bind(f"{DDL}{query};") for query in queries]
    return plan_job(logicals, Config(), nested=lambda table: nested)


def read(*queries: str) -> str:
    """What the one scan of the queries reads."""
    scans = {scan for root in planned(*queries) for scan in all_of(root, Scan)}
    (scan,) = scans
    return dict(scan.details())["columns"]


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT a.x FROM t", "a.x"),
        ("SELECT a.x, a.deep.q FROM t WHERE b.x > 1", "a.x, a.deep.q, b.x"),
        ("SELECT a.x, a.deep FROM t", "a.x, a.deep"),
        ("SELECT a, a.x FROM t", "a"),
        ("SELECT a.x, a IS NULL FROM t", "a"),
        ("SELECT ts, a.y FROM t", "a.y, b.ts"),
        ("SELECT items[1].x FROM t", "items"),
        ("SELECT a.x, COUNT(*) FROM t GROUP BY a.x", "a.x"),
        ("SELECT b, COUNT(*) FROM t GROUP BY b", "b"),
        ("SELECT l.y FROM (SELECT a.x, a.y FROM t) l JOIN (SELECT b.x FROM t) r ON l.x = r.x",
         "a.x, a.y, b.x"),
        ("SELECT a.x FROM t UNION ALL SELECT b.x FROM t", "a.x, b.x"),
        ("SELECT window_start, SUM(a.x) FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)"
         " GROUP BY window_start, window_end", "a.x, b.ts"),
    ],
)  # fmt: skip
def test_fields_that_are_read(query: str, columns: str) -> None:
    assert read(query) == columns


def test_a_table_is_read_once_for_all_queries() -> None:
    assert read("SELECT a.x FROM t", "SELECT a.y, b.x FROM t") == "a.x, a.y, b.x"
    assert read("SELECT a.x FROM t", "SELECT a FROM t") == "a"


def test_types_below_what_picks_fields_are_those_of_the_scan() -> None:
    (root,) = planned("SELECT ts, a.y FROM t")
    scan = find(root, Scan)
    assert scan.schema["b"].names == ("ts",)
    assert root.schema == planned("SELECT ts, a.y FROM t", nested=False)[0].schema


def test_a_connector_that_reads_whole_rows_is_asked_for_them() -> None:
    (root,) = planned("SELECT a.x FROM t", nested=False)
    assert "columns=[a]" in shown(find(root, Scan))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a.x, COUNT(*), MAX(b.x) FROM t WHERE kind = 1 GROUP BY a.x",
        "SELECT l.y FROM (SELECT a.x, a.y FROM t) l JOIN (SELECT b.x FROM t) r ON l.x = r.x",
    ],
)
def test_what_state_means_does_not_depend_on_it(query: str) -> None:
    one, other = planned(query), planned(query, nested=False)
    assert one != other
    assert describe(one, Config()) == describe(other, Config())
