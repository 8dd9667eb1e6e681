"""Interval joins: against a model that goes row by row, and what is freed when."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timed_bench import (
    DIFFER,
    KEYS,
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

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK
from sameriver.operators.interval_join import IntervalJoinOperator
from sameriver.plan.expressions import Expression
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.interval_join import IntervalJoin
from sameriver.plan.physical.timed_join import JoinKeys

OUTER = {
    JoinKind.INNER: (False, False),
    JoinKind.LEFT: (True, False),
    JoinKind.RIGHT: (False, True),
    JoinKind.FULL: (True, True),
}


def node(
    kind: JoinKind,
    lower: int = -4,
    upper: int = 2,
    condition: Expression | None = None,
    *,
    event_time: bool = True,
    keys: JoinKeys = KEYS,
) -> IntervalJoin:
    left, right = side("l"), side("r")
    return IntervalJoin(
        schema=joined(left, right),
        left=left,
        right=right,
        kind=kind,
        keys=keys,
        left_time="lt",
        right_time="rt",
        lower=lower,
        upper=upper,
        event_time=event_time,
        condition=condition,
    )


def bench(of: IntervalJoin, shards: int = 1) -> Bench:
    return Bench(of, IntervalJoinOperator, timed_frame, shards)


class Model:
    """Row by row: what is held, and which of it has met a row."""

    def __init__(self, of: IntervalJoin) -> None:
        self.node = of
        self.held: tuple[list[list[object]], list[list[object]]] = ([], [])
        self.watermark = MIN_WATERMARK
        self.out: Counter[Out] = Counter()

    def step(self, step: Step) -> None:
        if isinstance(step, Move):
            self.watermark = step.time
            for port in (0, 1):
                self._expire(port)
            return
        met = False
        for entry in self.held[1 - step.port]:
            other = entry[0]
            assert isinstance(other, Row)
            left, right = (step, other) if step.port == 0 else (other, step)
            distance = left.time - right.time
            if not self.node.lower <= distance <= self.node.upper:
                continue
            if meets(left, right, self.node.condition):
                entry[1] = met = True
                self.give(left, right)
        if self.last(step) > self.watermark:
            self.held[step.port].append([step, met])
        elif not met:
            self._lost(step)

    def last(self, row: Row) -> int:
        """The last time of the other side that it may meet."""
        return row.time + (-self.node.lower if row.port == 0 else self.node.upper)

    def _expire(self, port: int) -> None:
        for entry in list(self.held[port]):
            row, met = entry
            assert isinstance(row, Row)
            if self.last(row) < self.watermark:
                self.held[port].remove(entry)
                if not met:
                    self._lost(row)

    def _lost(self, row: Row) -> None:
        if OUTER[self.node.kind][row.port]:
            self.give(*((row, None) if row.port == 0 else (None, row)))

    def give(self, left: Row | None, right: Row | None) -> None:
        cells: list[object] = []
        for row in (left, right):
            cells += [None] * 3 if row is None else [row.key, row.value, row.time]
        self.out[(0, *cells)] += 1


@settings(max_examples=60, deadline=None)
@given(
    steps=streams(),
    kind=st.sampled_from(list(OUTER)),
    bounds=st.tuples(st.integers(-5, 3), st.integers(0, 6)),
    condition=st.sampled_from([None, DIFFER]),
    batch=st.integers(1, 9),
    shards=st.sampled_from([1, 3]),
    restart=st.none() | st.integers(0, 25),
)
def test_gives_what_the_model_gives(
    steps: list[Step],
    kind: JoinKind,
    bounds: tuple[int, int],
    condition: Expression | None,
    batch: int,
    shards: int,
    restart: int | None,
) -> None:
    of = node(kind, bounds[0], bounds[0] + bounds[1], condition)
    model = Model(of)
    for step in steps:
        model.step(step)
    real = bench(of, shards)
    real.run(steps, batch=batch, restart=restart)
    assert real.out == model.out
    assert real.held() == 0


def test_joins_without_keys() -> None:
    real = bench(node(JoinKind.INNER, keys=JoinKeys()))
    real.run([Row(0, "a", 1, 10), Row(1, "b", 2, 12), Row(1, None, 3, 15)], batch=1)
    real.feed([Row(1, None, 3, 14)])
    assert real.out == Counter([(0, "a", 1, 10, "b", 2, 12), (0, "a", 1, 10, None, 3, 14)])


def test_pads_a_late_row_at_once_and_keeps_it_out_of_state() -> None:
    real = bench(node(JoinKind.LEFT))
    real.move(100)
    real.feed([Row(0, "a", 1, 50)])
    assert real.order == [(0, "a", 1, 50, None, None, None)]
    assert real.held() == 0


def test_pads_a_row_as_soon_as_its_chance_has_passed() -> None:
    real = bench(node(JoinKind.LEFT, -4, 2))
    real.feed([Row(0, "a", 1, 50)])
    real.move(54)
    assert real.order == []
    real.move(55)
    assert real.order == [(0, "a", 1, 50, None, None, None)]


def test_rows_without_a_key_are_not_held_by_an_inner_join() -> None:
    real = bench(node(JoinKind.INNER))
    real.feed([Row(0, None, 1, 50)])
    assert real.held() == 0


def test_state_of_a_long_run_stops_growing() -> None:
    real = bench(node(JoinKind.FULL))
    sizes = []
    for start in range(0, 20_000, 1_000):
        for port in (0, 1):
            real.feed([Row(port, str(i % 7), i, start + i) for i in range(0, 1_000, 4)])
        real.move(start + 990)
        sizes.append(real.held())
    assert max(sizes) < 20


@pytest.mark.parametrize(("kind", "delay"), [(JoinKind.INNER, 4), (JoinKind.FULL, 5)])
def test_output_lags_by_as_much_as_a_row_waits(kind: JoinKind, delay: int) -> None:
    assert bench(node(kind, -4, 2)).operators[0].delay == delay


def test_by_the_clock_rows_meet_that_arrive_close_to_each_other() -> None:
    real = bench(node(JoinKind.LEFT, -1_000, 1_000, event_time=False))
    real.clock.set(10_000)
    real.feed([Row(0, "a", 1, 0), Row(0, "b", 2, 0)])
    real.clock.set(11_000)
    real.feed([Row(1, "a", 3, 0)])
    operator = real.operators[0]
    assert operator.next_timer() == 11_001
    real.clock.set(11_001)
    real.take(operator.on_timer())
    assert real.order == [(0, "a", 1, 0, "a", 3, 0), (0, "b", 2, 0, None, None, None)]
    real.move(MAX_WATERMARK)
    assert operator.delay == 0
