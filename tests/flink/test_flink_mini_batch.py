"""State goes on when mini-batch is switched on or off: it is kept in the same form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flink_jobs import Stage

from sameriver.flink.gateway import Gateway

_NUMBERED = (
    "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {}) AS rn FROM t)"
    " WHERE rn = 1"
)
QUERIES = (
    "SELECT k, SUM(v) AS s, COUNT(DISTINCT w) AS d FROM t GROUP BY k",
    _NUMBERED.format("p"),
    _NUMBERED.format("ts DESC"),
    "SELECT t.k, t.v, u.name FROM t JOIN u ON t.k = u.k",
)
ON = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "50 ms",
    "table.exec.mini-batch.size": "100",
}


@pytest.fixture
def stage(gateway: Gateway, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(gateway, tmp_path)
    made.add("a,1,1,@00:01 b,2,2,@00:02 a,3,3,@00:03")
    made.add("a,x b,y", "u")
    try:
        yield made
    finally:
        made.end()


@pytest.mark.parametrize(("before", "after"), [({}, ON), (ON, {})], ids=["on", "off"])
def test_switched(stage: Stage, before: dict[str, str], after: dict[str, str]) -> None:
    stage.run(*QUERIES, options=before)
    _arrived(stage)
    assert stage.run(*QUERIES, options=after).number == 2
    stage.add("a,10,1,@01:01 b,20,2,@01:02 c,5,9,@01:03")
    stage.add("c,z", "u")
    _arrived(stage)


def _arrived(stage: Stage) -> None:
    for number, query in enumerate(QUERIES, 1):
        stage.wait(stage.expected(query), number=number)
