"""OVER windows as bound: frames, named windows, ranges of ranks, and what is refused."""

from __future__ import annotations

import pytest
from binding import bind

from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.logical import Frame, Logical
from sameriver.plan.rules import rewrite

DDL = """CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'datagen');
"""


def find(node: Logical, kind: type[Logical]) -> Logical | None:
    if isinstance(node, kind):
        return node
    found = (find(below, kind) for below in logical.inputs(node))
    return next((one for one in found if one is not None), None)


@pytest.mark.parametrize(
    ("window", "frame"),
    [
        ("ORDER BY ts", Frame(rows=False, preceding=None, following=0)),
        ("PARTITION BY k", Frame(rows=False, preceding=None, following=None)),
        ("ORDER BY ts ROWS 2 PRECEDING", Frame(rows=True, preceding=2, following=0)),
        (
            "ORDER BY ts ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
            Frame(rows=True, preceding=-1, following=None),
        ),
        (
            "ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW",
            Frame(rows=False, preceding=3_600_000, following=0),
        ),
    ],
)
def test_frames(window: str, frame: Frame) -> None:
    over = find(bind(f"{DDL}SELECT SUM(v) OVER ({window}) FROM t;"), logical.Over)
    assert isinstance(over, logical.Over)
    assert over.calls[0].frame == frame


@pytest.mark.parametrize(
    ("code", "select"),
    [
        ("BAD_FRAME", "SUM(v) OVER (ORDER BY ts ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM t"),
        ("BAD_FRAME", "SUM(v) OVER (ORDER BY ts RANGE 2 PRECEDING) FROM t"),
        ("BAD_FRAME", "SUM(v) OVER (ORDER BY ts ROWS -2 PRECEDING) FROM t"),
        ("BAD_FRAME", "ROW_NUMBER() OVER (ORDER BY ts ROWS 2 PRECEDING) FROM t"),
        ("BAD_WINDOW", "SUM(v) OVER w FROM t"),
        ("BAD_WINDOW", "SUM(v) OVER w FROM t WINDOW w AS (ORDER BY ts), w AS (ORDER BY v)"),
        ("ORDER_REQUIRED", "RANK() OVER (PARTITION BY k) FROM t"),
        ("NOT_AN_AGGREGATE", "UPPER(k) OVER (ORDER BY ts) FROM t"),
        ("WRONG_ARGUMENTS", "LAG() OVER (ORDER BY ts) FROM t"),
        ("OVER_NOT_ALLOWED", "k FROM t WHERE ROW_NUMBER() OVER (ORDER BY ts) = 1"),
        ("OVER_NOT_ALLOWED", "SUM(RANK() OVER (ORDER BY ts)) OVER (ORDER BY ts) FROM t"),
    ],
)
def test_refused(code: str, select: str) -> None:
    with pytest.raises(UserError) as caught:
        bind(f"{DDL}SELECT {select};")
    assert caught.value.code == code
    assert caught.value.hint


@pytest.mark.parametrize(
    ("condition", "start", "end"),
    [
        ("r = 1", 1, 1),
        ("r < 3", 1, 2),
        ("3 >= r", 1, 3),
        ("r BETWEEN 2 AND 4", 2, 4),
        ("r > 1 AND r <= 3 AND v > 0", 2, 3),
    ],
)
def test_a_filter_on_a_rank_is_a_range(condition: str, start: int, end: int) -> None:
    query = f"SELECT k FROM (SELECT *, RANK() OVER (ORDER BY v) AS r FROM t) WHERE {condition};"
    rank = find(rewrite(bind(DDL + query)), logical.Rank)
    assert isinstance(rank, logical.Rank)
    assert (rank.start, rank.end, rank.column) == (start, end, None)


@pytest.mark.parametrize("condition", ["r > 1", "r = 1 OR v = 1", "r = v"])
def test_a_range_without_an_end_is_none(condition: str) -> None:
    query = f"SELECT k FROM (SELECT *, RANK() OVER (ORDER BY v) AS r FROM t) WHERE {condition};"
    assert find(rewrite(bind(DDL + query)), logical.Rank) is None
