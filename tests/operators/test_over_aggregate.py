"""OVER aggregates against a plain model that goes row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given, settings
from test_window_aggregate import CUTS, RESTARTS, streams
from window_bench import Bench, Row, source

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK
from sameriver.common.schema import Schema
from sameriver.common.types import BIGINT, PROCTIME, ROWTIME, STRING, DataType
from sameriver.operators.over_aggregate import over_aggregate
from sameriver.plan.expressions import AggregateCall, Column, Literal
from sameriver.plan.logical import Frame
from sameriver.plan.physical.over_aggregate import OverAggregate

Values = Sequence[int | None]
V = Column("v", BIGINT)
ROWS, RANGE = True, False
FRAMES = [
    Frame(ROWS, None), Frame(RANGE, None), Frame(ROWS, 0), Frame(ROWS, 2), Frame(RANGE, 7),
    Frame(RANGE, 0),
]  # fmt: skip


def call(
    name: str, function: str, *args: Column | Literal, distinct: bool = False
) -> AggregateCall:
    return AggregateCall(name=name, function=function, args=args, distinct=distinct, type=BIGINT)


def present(values: Values) -> list[int]:
    return [value for value in values if value is not None]


CALLS: dict[str, tuple[AggregateCall, Callable[[Values], object]]] = {
    "n": (call("n", "COUNT"), len),
    "s": (call("s", "SUM", V), lambda v: sum(present(v)) if present(v) else None),
    "lo": (call("lo", "MIN", V), lambda v: min(present(v), default=None)),
    "hi": (call("hi", "MAX", V), lambda v: max(present(v), default=None)),
    "f": (call("f", "FIRST_VALUE", V), lambda v: next(iter(present(v)), None)),
    "l": (call("l", "LAST_VALUE", V), lambda v: next(reversed(present(v)), None)),
    "d": (call("d", "COUNT", V, distinct=True), lambda v: len(set(present(v)))),
}


def node(
    frame: Frame,
    calls: Sequence[AggregateCall],
    *,
    partition: Sequence[str] = ("k",),
    time: DataType = ROWTIME,
    ttl: timedelta | None = None,
) -> OverAggregate:
    below = source(time)
    return OverAggregate(
        schema=Schema((*below.schema, *Schema.of((c.name, c.type) for c in calls))),
        input=below,
        partition=tuple(partition),
        time="ts",
        frame=frame,
        calls=tuple(calls),
        ttl=ttl,
    )


@dataclass
class Model:
    """What Flink gives, a row at a time."""

    frame: Frame
    partitioned: bool
    mark: int = MIN_WATERMARK
    late: int = 0
    held: list[Row] = field(default_factory=list)
    past: list[Row] = field(default_factory=list)
    given: list[tuple[object, ...]] = field(default_factory=list)

    def key(self, row: Row) -> str | None:
        return row.key if self.partitioned else None

    def take(self, row: Row) -> None:
        if self._is_late(row):
            self.late += 1
        else:
            self.held.append(row)
        self.move(row.watermark)

    def _is_late(self, row: Row) -> bool:
        if row.time > self.mark:
            return False
        if self.frame.preceding is None:
            return True
        if not self.frame.rows and row.time <= self.mark - self.frame.preceding:
            return True
        return any(p.time >= row.time for p in self.past if self.key(p) == self.key(row))

    def move(self, mark: int) -> None:
        if mark <= self.mark:
            return
        self.mark = mark
        due = sorted((r for r in self.held if r.time <= mark), key=lambda r: r.time)
        self.held = [r for r in self.held if r.time > mark]
        for place, row in enumerate(due):
            peers = due if not self.frame.rows else due[: place + 1]
            rows = [
                r
                for r in (*self.past, *peers)
                if self.key(r) == self.key(row) and r.time <= row.time
            ]
            self.given.append((row.key, row.value, row.time, *self._results(row, rows)))
        self.past += due

    def _results(self, row: Row, rows: list[Row]) -> list[object]:
        if self.frame.preceding is not None:
            if self.frame.rows:
                rows = rows[-1 - self.frame.preceding :]
            else:
                rows = [r for r in rows if r.time >= row.time - self.frame.preceding]
        return [of([r.value for r in rows]) for _, of in CALLS.values()]


def feed(bench: Bench, rows: Sequence[Row]) -> None:
    """Rows, with the watermark after each that moves it, as the engine cuts them."""
    group: list[Row] = []
    for row in rows:
        group.append(row)
        if row.watermark > bench.operator.watermark:
            bench.feed(group, on_event=False)
            bench.move(row.watermark)
            group = []
    bench.feed(group, on_event=False)


def by_key(rows: Sequence[tuple[object, ...]]) -> dict[object, list[tuple[object, ...]]]:
    return {key: [row for row in rows if row[0] == key] for key in ("a", "b", None)}


@pytest.mark.parametrize("frame", FRAMES, ids=str)
@pytest.mark.parametrize("partition", [("k",), ()], ids=str)
@settings(max_examples=12, deadline=None)
@given(rows=streams(1000, 60, 1), cuts=CUTS, restarts=RESTARTS)
def test_event_time_gives_what_row_by_row_gives(
    frame: Frame,
    partition: tuple[str, ...],
    rows: list[Row],
    cuts: list[int],
    restarts: list[bool],
) -> None:
    bench = Bench(node(frame, [c for c, _ in CALLS.values()], partition=partition), over_aggregate)
    bounds = sorted({0, len(rows), *(cut % (len(rows) + 1) for cut in cuts)})
    for number, (start, stop) in enumerate(pairwise(bounds)):
        feed(bench, rows[start:stop])
        if restarts[number % len(restarts)]:
            bench.restart()
    bench.finish()
    model = Model(frame, bool(partition))
    for row in rows:
        model.take(row)
    model.move(MAX_WATERMARK)
    assert by_key(bench.rows()) == by_key(model.given)
    assert bench.late["late_rows"] == model.late
    if frame.preceding is not None and not frame.rows:
        assert bench.held() == 0


@pytest.mark.parametrize("frame", [f for f in FRAMES if f.rows], ids=str)
@settings(max_examples=12, deadline=None)
@given(rows=streams(1000, 60, 1), cuts=CUTS, restarts=RESTARTS)
def test_processing_time_is_the_order_of_arrival(
    frame: Frame, rows: list[Row], cuts: list[int], restarts: list[bool]
) -> None:
    over = node(frame, [c for c, _ in CALLS.values()], time=PROCTIME)
    bench = Bench(over, over_aggregate)
    bounds = sorted({0, len(rows), *(cut % (len(rows) + 1) for cut in cuts)})
    for number, (start, stop) in enumerate(pairwise(bounds)):
        bench.feed(rows[start:stop], on_event=False)
        if restarts[number % len(restarts)]:
            bench.restart()
    expected = []
    for place, row in enumerate(rows):
        same = [r.value for r in rows[: place + 1] if r.key == row.key]
        if frame.preceding is not None:
            same = same[-1 - frame.preceding :]
        results = [of(same) for _, of in CALLS.values()]
        expected.append((row.key, row.value, row.time, *results))
    assert bench.rows() == expected


def test_processing_time_range_goes_back_in_time() -> None:
    over = node(Frame(RANGE, 10), [call("s", "SUM", V)], time=PROCTIME)
    bench = Bench(over, over_aggregate)
    for now, value in ((100, 1), (105, 2), (110, 4), (116, 8), (1000, 16)):
        bench.set_clock(now)
        bench.feed([Row(0, "a", value, 1, 0)], on_event=False)
    assert [row[-1] for row in bench.rows()] == [1, 3, 7, 12, 16]
    assert bench.held() == 2


def test_lag_reads_an_earlier_row_null_or_not() -> None:
    calls = [
        call("l", "LAG", V, Literal(2, BIGINT.not_null)),
        call("m", "LAG", V, Literal(2, BIGINT.not_null), Literal(-1, BIGINT.not_null)),
        call("s", "SUM", V),
    ]
    bench = Bench(node(Frame(ROWS, 2), calls), over_aggregate)
    values = [7, None, 5, 4]
    bench.feed([Row(t, "a", v, 1, 0) for t, v in enumerate(values)], on_event=False)
    bench.finish()
    assert [row[3:] for row in bench.rows()] == [
        (None, -1, 7), (None, -1, 7), (7, 7, 12), (None, None, 9),
    ]  # fmt: skip


@pytest.mark.parametrize("frame", [Frame(ROWS, None), Frame(ROWS, 5)], ids=str)
def test_keys_that_are_not_written_expire(frame: Frame) -> None:
    over = node(frame, [call("s", "SUM", V)], time=PROCTIME, ttl=timedelta(milliseconds=100))
    bench = Bench(over, over_aggregate)
    for now, key in ((0, "a"), (60, "a"), (90, "b"), (159, "a"), (300, "a")):
        bench.set_clock(now)
        bench.feed([Row(0, key, 1, 1, 0)], on_event=False)
    assert [row[-1] for row in bench.rows()] == [1, 2, 1, 3, 1]
    keys = bench.operator.context.store.snapshot()["accumulators"]["k"]
    assert keys.to_list() == ["a"]


def test_lists_need_not_be_words() -> None:
    text = AggregateCall(name="t", function="LISTAGG", args=(Column("k", STRING),), type=STRING)
    for frame, expected in ((Frame(ROWS, 1), ["a", "a,b", "b,a"]), (Frame(ROWS, None), None)):
        bench = Bench(node(frame, [text], partition=()), over_aggregate)
        bench.feed([Row(t, k, 1, 1, 0) for t, k in enumerate("aba")], on_event=False)
        bench.finish()
        assert [row[-1] for row in bench.rows()] == (expected or ["a", "a,b", "a,b,a"])


@pytest.mark.parametrize("frame", FRAMES, ids=str)
def test_many_rows_agree_with_polars(frame: Frame) -> None:
    size = 20_000
    rows = pl.DataFrame(
        {"k": pl.int_range(size, eager=True) * 7 % 13, "v": pl.int_range(size, eager=True) % 101}
    )
    bench = Bench(node(frame, [call("s", "SUM", V)]), over_aggregate)
    fed = [Row(t // 3, str(k), v, 1, 0) for t, (k, v) in enumerate(rows.rows())]
    for start in range(0, size, 5000):
        bench.feed(fed[start : start + 5000], on_event=False)
        bench.move(fed[start + 4999].time - 100)
    bench.finish()
    frame_rows = pl.DataFrame(bench.rows(), schema=["k", "v", "t", "s"], orient="row")
    if frame.preceding is None:
        expected = frame_rows.with_columns(pl.col("v").cum_sum().over("k").alias("e"))
        if not frame.rows:
            expected = expected.with_columns(pl.col("e").last().over("k", "t"))
    elif frame.rows:
        window = frame.preceding + 1
        expected = frame_rows.with_columns(
            pl.col("v").rolling_sum(window, min_samples=1).over("k").alias("e")
        )
    else:
        rolled = (
            frame_rows.sort("k", "t", maintain_order=True)
            .rolling("t", period=f"{frame.preceding + 1}i", group_by="k", closed="right")
            .agg(pl.col("v").sum().alias("e"))
            .unique()
        )
        expected = frame_rows.join(rolled, on=["k", "t"])
    assert expected["s"].to_list() == expected["e"].to_list()


@pytest.mark.parametrize("frame", [Frame(RANGE, 500), Frame(ROWS, 3)], ids=str)
def test_a_long_run_holds_only_what_frames_reach(frame: Frame) -> None:
    bench = Bench(node(frame, [call("s", "SUM", V), call("hi", "MAX", V)]), over_aggregate)
    sizes = []
    for start in range(0, 20_000, 1000):
        rows = [Row(start + i * 7 % 1000, "ab"[i % 2], i, 1, 0) for i in range(1000)]
        bench.feed(rows, on_event=False)
        bench.move(start + 900)
        sizes.append(bench.held())
    assert max(sizes[10:]) <= max(sizes[2:10])
