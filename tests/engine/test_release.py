"""What a job held is given back when the job ends, not when Python looks for cycles."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from sameriver import Session
from sameriver.connectors.filesystem.pieces import TextPieces
from sameriver.engine.vertex import Vertex
from sameriver.operators.operator import Operator
from sameriver.state.handle import StateStore

TUMBLE = "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' SECOND)"
RANKED = "SELECT a, b FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY b ORDER BY {}) AS n FROM t)"
QUERIES = {
    "filter": "SELECT a, b FROM t WHERE a > 1",
    "group by": "SELECT b, COUNT(*), SUM(a), COUNT(DISTINCT a) FROM t GROUP BY b",
    "window": f"SELECT b, MAX(a) FROM {TUMBLE} GROUP BY b, window_start, window_end",
    "legacy window": "SELECT b, COUNT(*) FROM t GROUP BY b, SESSION(ts, INTERVAL '1' SECOND)",
    "join": "SELECT l.a, r.b FROM t AS l JOIN t AS r ON l.b = r.b",
    "outer join": "SELECT l.a, r.b FROM t AS l FULL JOIN t AS r ON l.b = r.b AND l.a < r.a",
    "not in": "SELECT a FROM t WHERE a NOT IN (SELECT a + 3 FROM t)",
    "interval join": "SELECT l.a, r.b FROM t AS l JOIN t AS r ON l.b = r.b "
    "AND l.ts BETWEEN r.ts - INTERVAL '1' SECOND AND r.ts",
    "top n": RANKED.format("a") + " WHERE n <= 2",
    "keep last": RANKED.format("ts DESC") + " WHERE n = 1",
    "over": "SELECT a, SUM(a) OVER (PARTITION BY b ORDER BY ts ROWS 2 PRECEDING) FROM t",
    "sort": "SELECT a FROM t ORDER BY ts",
    "intersect": "SELECT b FROM t INTERSECT SELECT b FROM t WHERE a > 2",
    "distinct": "SELECT DISTINCT b FROM t",
}
HOLDERS = (Vertex, Operator, StateStore, TextPieces)


def held() -> list[str]:
    return [type(thing).__name__ for thing in gc.get_objects() if isinstance(thing, HOLDERS)]


@pytest.mark.parametrize("query", QUERIES.values(), ids=list(QUERIES))
def test_a_job_is_let_go_of(query: str, tmp_path: Path) -> None:
    rows = "".join(f'{{"a":{n},"b":"{n % 3}","ts":"2024-01-01 00:00:{n:02}"}}\n' for n in range(9))
    (tmp_path / "t.json").write_text(rows)
    session = Session({"parallelism.default": "2"})
    session.execute(
        "CREATE TABLE t (a INT, b STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ("
        f"'connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json');"
    )
    (result,) = session.execute(f"{query};")
    assert result.to_polars().height
    gc.collect()
    before = held()
    gc.disable()
    try:
        for _ in range(2):
            (result,) = session.execute(f"{query};")
            result.to_polars()
        assert held() == before
    finally:
        gc.enable()
