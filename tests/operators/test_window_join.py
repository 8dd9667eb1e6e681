"""Window joins: against a model that joins whole windows, and what is late or freed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timed_bench import DIFFER, KEYS, Bench, Move, Out, Row, Step, joined, meets, side, streams

from sameriver.common.changes import MIN_WATERMARK
from sameriver.common.types import ROWTIME
from sameriver.operators.window_join import WindowJoinOperator
from sameriver.plan.expressions import Expression
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.window_join import WindowJoin
from sameriver.plan.window import Window, WindowKind

SIZE = 5


def node(kind: JoinKind, condition: Expression | None = None) -> WindowJoin:
    left, right = side("l", windowed=True), side("r", windowed=True)
    semi = kind in (JoinKind.SEMI, JoinKind.ANTI)
    return WindowJoin(
        schema=joined(left, None if semi else right),
        left=left,
        right=right,
        kind=kind,
        keys=KEYS,
        window=Window(kind=WindowKind.TUMBLE, time="t", type=ROWTIME, size=SIZE),
        left_window=("ls", "le"),
        right_window=("rs", "re"),
        condition=condition,
    )


def start(row: Row) -> int:
    return row.time // SIZE * SIZE


def windowed_frame(node: PhysicalNode, rows: Sequence[Row]) -> pl.DataFrame:
    data = [(row.key, row.value, start(row), start(row) + SIZE) for row in rows]
    names = node.schema.names
    types = (pl.String, pl.Int64, pl.Int64, pl.Int64)
    frame = pl.DataFrame(data, schema=dict(zip(names, types, strict=True)), orient="row")
    return frame.with_columns(pl.col(*names[2:]).cast(pl.Datetime("ms")))


def bench(of: WindowJoin, shards: int = 1) -> Bench:
    return Bench(of, WindowJoinOperator, windowed_frame, shards)


def cells(row: Row | None) -> list[object]:
    return [None] * 4 if row is None else [row.key, row.value, start(row), start(row) + SIZE]


def expected(of: WindowJoin, steps: Sequence[Step]) -> tuple[Counter[Out], int]:
    """What whole windows give, and how many rows are late."""
    watermark, late = MIN_WATERMARK, 0
    rows: tuple[list[Row], list[Row]] = ([], [])
    for step in steps:
        if isinstance(step, Move):
            watermark = step.time
        elif start(step) + SIZE - 1 <= watermark:
            late += 1
        else:
            rows[step.port].append(step)
    pairs = [
        (i, j)
        for i, left in enumerate(rows[0])
        for j, right in enumerate(rows[1])
        if start(left) == start(right) and meets(left, right, of.condition)
    ]
    met = {i for i, _ in pairs}, {j for _, j in pairs}
    out: list[list[object]] = []
    lost = [[row for n, row in enumerate(rows[p]) if n not in met[p]] for p in (0, 1)]
    if of.kind in (JoinKind.SEMI, JoinKind.ANTI):
        chosen = lost[0] if of.kind is JoinKind.ANTI else [rows[0][i] for i in met[0]]
        out = [cells(row) for row in chosen]
    else:
        out = [[*cells(rows[0][i]), *cells(rows[1][j])] for i, j in pairs]
        if of.kind in (JoinKind.LEFT, JoinKind.FULL):
            out += [[*cells(row), *cells(None)] for row in lost[0]]
        if of.kind in (JoinKind.RIGHT, JoinKind.FULL):
            out += [[*cells(None), *cells(row)] for row in lost[1]]
    return Counter((0, *row) for row in out), late


@settings(max_examples=60, deadline=None)
@given(
    steps=streams(),
    kind=st.sampled_from(list(JoinKind)),
    condition=st.sampled_from([None, DIFFER]),
    batch=st.integers(1, 9),
    shards=st.sampled_from([1, 3]),
    restart=st.none() | st.integers(0, 25),
)
def test_gives_what_whole_windows_give(
    steps: list[Step],
    kind: JoinKind,
    condition: Expression | None,
    batch: int,
    shards: int,
    restart: int | None,
) -> None:
    of = node(kind, condition)
    real = bench(of, shards)
    real.run(steps, batch=batch, restart=restart)
    assert (real.out, real.late["late_rows"]) == expected(of, steps)
    assert real.held() == 0


@pytest.mark.parametrize("kind", [JoinKind.INNER, JoinKind.FULL, JoinKind.ANTI])
def test_waits_for_the_end_of_the_window(kind: JoinKind) -> None:
    real = bench(node(kind))
    real.feed([Row(0, "a", 1, 3), Row(0, "a", 2, 7)])
    real.feed([Row(1, "a", 1, 4), Row(1, "b", 2, 7)])
    real.move(3)
    assert (real.order, real.held()) == ([], 4)
    real.move(4)
    assert real.held() == 2


def test_windows_come_out_in_order() -> None:
    real = bench(node(JoinKind.LEFT))
    real.feed([Row(0, "a", 1, 12), Row(0, "a", 2, 2)])
    real.feed([Row(1, "a", 9, 13)])
    real.move(20)
    assert [row[1:3] for row in real.order] == [("a", 2), ("a", 1)]
