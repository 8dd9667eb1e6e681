"""Aggregates that are added, taken away or moved while the old ones go on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flink_jobs import Stage

from sameriver.flink.gateway import Gateway

OLD = "SELECT k, SUM(v) AS s, MAX(w) AS m FROM t GROUP BY k"
FIRST = "a,1,1,@00:01 b,2,2,@00:02 a,3,3,@00:03"


@pytest.fixture
def stage(gateway: Gateway, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(gateway, tmp_path)
    made.add(FIRST)
    try:
        yield made
    finally:
        made.end()


def test_an_added_aggregate_counts_from_the_upgrade(stage: Stage) -> None:
    stage.run(OLD)
    stage.wait(stage.expected(OLD), 1)
    added = "SELECT k, COUNT(*) AS c, SUM(v) AS s, MAX(w) AS m FROM t GROUP BY k"
    entry = stage.run(added, allow_partial=True)
    assert entry.version.verdict == "PARTIALLY_COMPATIBLE"
    stage.add("a,10,1,@01:01 c,20,2,@01:02 a,5,9,@01:03")
    stage.wait([("a", 2, 19, 9), ("b", 2, 2), ("c", 1, 20, 2)], 1)


def test_it_goes_on_after_another_change(stage: Stage) -> None:
    stage.run(OLD)
    stage.wait(stage.expected(OLD), 1)
    added = "SELECT k, COUNT(*) AS c, SUM(v) AS s, MAX(w) AS m FROM t GROUP BY k"
    stage.run(added, allow_partial=True)
    stage.add("a,10,1,@01:01")
    stage.wait([("a", 1, 14, 3), ("b", 2, 2)], 1)
    again = f"{added} HAVING SUM(v) > 0"
    assert stage.run(again).version.verdict == "FULLY_COMPATIBLE"
    stage.add("a,1,1,@02:01")
    stage.wait([("a", 2, 15, 3), ("b", 2, 2)], 1)
    more = "SELECT k, COUNT(*) AS c, SUM(v) AS s, MAX(w) AS m, MIN(w) AS n FROM t GROUP BY k"
    stage.run(more, allow_partial=True)
    stage.add("a,1,7,@03:01")
    stage.wait([("a", 3, 16, 7, 7), ("b", 2, 2)], 1)


@pytest.mark.parametrize(
    "new",
    [
        "SELECT k, MAX(w) AS m, SUM(v) AS s FROM t GROUP BY k",
        "SELECT k, SUM(v) + 1 AS s1, MAX(w) AS m, SUM(v) AS s FROM t GROUP BY k HAVING SUM(v) > 0",
    ],
)
def test_what_is_moved_goes_on(stage: Stage, new: str) -> None:
    stage.run(OLD)
    stage.wait(stage.expected(OLD), 1)
    assert stage.run(new).version.verdict == "FULLY_COMPATIBLE"
    stage.add("a,10,1,@01:01 b,20,2,@01:02 a,5,9,@01:03")
    stage.wait(stage.expected(new), 1)
