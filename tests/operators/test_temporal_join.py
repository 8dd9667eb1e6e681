"""Temporal joins: against a model that keeps all versions, and what is late or freed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from timed_bench import (
    DIFFER,
    KEYS,
    UPDATING,
    Bench,
    Move,
    Out,
    Row,
    Step,
    joined,
    meets,
    side,
    streams,
    timed_frame,
)

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK, ChangeKind
from sameriver.operators.temporal_join import TemporalJoinOperator
from sameriver.plan.expressions import Expression
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.temporal_join import TemporalJoin

ADD, OLD, NEW, GONE = map(int, ChangeKind)


def node(
    kind: JoinKind,
    condition: Expression | None = None,
    *,
    updates: bool = True,
    ttl: timedelta | None = None,
) -> TemporalJoin:
    left = side("l")
    right = side("r", kinds=UPDATING) if updates else side("r")
    return TemporalJoin(
        schema=joined(left, right),
        left=left,
        right=right,
        kind=kind,
        keys=KEYS,
        left_time="lt",
        right_time="rt",
        condition=condition,
        ttl=ttl,
    )


def bench(of: TemporalJoin, shards: int = 1) -> Bench:
    return Bench(of, TemporalJoinOperator, timed_frame, shards)


@dataclass
class Model:
    """All versions of each key by time, forgotten one by one as the watermark passes them."""

    node: TemporalJoin
    watermark: int = MIN_WATERMARK
    left: list[Row] = field(default_factory=list)
    versions: dict[str, dict[int, Row]] = field(default_factory=dict)
    out: Counter[Out] = field(default_factory=Counter)
    late: int = 0

    def step(self, step: Step) -> None:
        if isinstance(step, Move):
            self._move(step.time)
        elif step.port == 0:
            self.left.append(step)
        elif step.kind != OLD and step.key is not None:
            self.versions.setdefault(step.key, {})[step.time] = step

    def _move(self, watermark: int) -> None:
        for row in [row for row in self.left if row.time <= watermark]:
            self.left.remove(row)
            self._join(row)
        for known in self.versions.values():
            passed = sorted(time for time in known if time <= watermark)
            for time in passed[:-1]:
                del known[time]
            if passed and known[passed[-1]].kind == GONE:
                del known[passed[-1]]
        self.watermark = watermark

    def _join(self, row: Row) -> None:
        known = self.versions.get(row.key or "", {})
        before = [time for time in known if time <= row.time]
        if not before and row.time <= self.watermark:
            self.late += 1
            return
        version = known[max(before)] if before else None
        if (
            version is not None
            and version.kind != GONE
            and meets(row, version, self.node.condition)
        ):
            self.give(row, version)
        elif self.node.kind is JoinKind.LEFT:
            self.give(row, None)

    def give(self, row: Row, version: Row | None) -> None:
        right = (None,) * 3 if version is None else (version.key, version.value, version.time)
        self.out[(0, row.key, row.value, row.time, *right)] += 1


@settings(max_examples=80, deadline=None)
@given(
    steps=streams(right_kinds=(ADD, ADD, OLD, NEW, GONE), length=35),
    kind=st.sampled_from([JoinKind.INNER, JoinKind.LEFT]),
    condition=st.sampled_from([None, DIFFER]),
    batch=st.integers(1, 9),
    shards=st.sampled_from([1, 3]),
    restart=st.none() | st.integers(0, 25),
)
def test_gives_what_the_model_gives(
    steps: list[Step],
    kind: JoinKind,
    condition: Expression | None,
    batch: int,
    shards: int,
    restart: int | None,
) -> None:
    of = node(kind, condition)
    model = Model(of)
    for step in steps:
        model.step(step)
    real = bench(of, shards)
    real.run(steps, batch=batch, restart=restart)
    assert real.out == model.out
    assert real.late["late_rows"] == model.late


def test_a_row_waits_for_versions_up_to_its_time() -> None:
    real = bench(node(JoinKind.LEFT, updates=False))
    real.feed([Row(0, "a", 1, 10)])
    real.move(9)
    assert real.order == []
    real.feed([Row(1, "a", 7, 10), Row(1, "a", 8, 11)])
    real.move(10)
    assert real.order == [(0, "a", 1, 10, "a", 7, 10)]


def test_a_late_row_whose_version_is_gone_is_dropped_and_counted() -> None:
    real = bench(node(JoinKind.LEFT, updates=False))
    real.feed([Row(1, "a", 7, 1), Row(1, "a", 8, 10)])
    real.move(20)
    real.feed([Row(0, "a", 1, 5), Row(0, "a", 2, 15)])
    real.move(30)
    assert real.order == [(0, "a", 2, 15, "a", 8, 10)]
    assert real.late["late_rows"] == 1


def test_only_the_last_version_of_a_key_is_kept() -> None:
    real = bench(node(JoinKind.INNER, updates=False))
    for time in range(100):
        real.feed([Row(1, "a", time, time), Row(1, "b", time, time)])
        real.move(time)
    assert real.held() == 2


def test_a_deleted_key_is_forgotten() -> None:
    real = bench(node(JoinKind.INNER))
    real.feed([Row(1, "a", 1, 1), Row(1, "a", 1, 5, GONE)])
    real.move(MAX_WATERMARK)
    assert real.held() == 0


def idle(seconds: int = 10) -> Bench:
    """A join whose clock shows a second."""
    made = bench(node(JoinKind.LEFT, ttl=timedelta(seconds=seconds)), 2)
    made.clock.set(1_000)
    return made


def test_the_rows_of_an_idle_key_go() -> None:
    run = idle()
    run.run([Row(1, "a", 1, 1), Row(1, "b", 2, 1), Move(5)], batch=9)
    run.clock.set(9_000)
    run.run([Row(0, "b", 0, 6), Move(6)], batch=9)
    run.restart()
    run.clock.set(12_000)
    run.run([Row(0, "a", 0, 7), Row(0, "b", 0, 7), Move(7)], batch=9)
    assert [(out[1], out[4]) for out in run.order] == [("b", "b"), ("a", None), ("b", "b")]


def test_rows_that_wait_too_long_go_with_their_key() -> None:
    run = idle()
    run.run([Row(0, "a", 0, 5)], batch=9)
    run.clock.set(12_000)
    run.run([Move(9)], batch=9)
    assert run.order == []
    assert run.held() == 0


def test_keys_that_come_and_go_are_freed() -> None:
    run = idle()
    for number in range(40):
        run.clock.set(1_000 * (number + 1))
        run.run([Row(1, f"k{number}{i}", 0, number) for i in range(10)], batch=99)
        assert run.held() <= 2 * 13 * 10
