"""Windows of window TVFs: what fires when, what is late, what state stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from window_bench import (
    CALLS,
    PROPERTIES,
    TYPES,
    Bench,
    Model,
    Row,
    ordered,
    output_schema,
    source,
)

from sameriver.common.changes import Changes
from sameriver.common.config import Config
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, STRING, timestamp
from sameriver.operators.operator import OperatorContext
from sameriver.operators.window_aggregate import window_aggregate
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.plan.table import Table
from sameriver.plan.window import Window, WindowKind

HOUR = 3_600_000
SHAPES = [
    (WindowKind.TUMBLE, 10, None, 0),
    (WindowKind.TUMBLE, 10, None, 3),
    (WindowKind.HOP, 15, 5, 0),
    (WindowKind.HOP, 12, 4, -1),
    (WindowKind.CUMULATE, 20, 5, 0),
    (WindowKind.CUMULATE, 9, 3, 2),
    (WindowKind.SESSION, 7, None, 0),
]
DST = {
    "America/New_York": [(2024, 3, 10, 7), (2024, 11, 3, 6)],
    "Europe/Berlin": [(2024, 3, 31, 1), (2024, 10, 27, 1)],
    "Asia/Shanghai": [(2024, 3, 10, 16)],
    "Asia/Kolkata": [(2024, 3, 10, 18)],
    "UTC": [(2024, 3, 10, 0)],
}


def window(
    kind: WindowKind, size: int, step: int | None, offset: int, time: str = "plain", unit: int = 1
) -> Window:
    return Window(
        kind=kind,
        time="ts",
        type=TYPES[time],
        size=size * unit,
        step=None if step is None else step * unit,
        offset=offset * unit,
        partition=("k",) if kind is WindowKind.SESSION else (),
    )


def aggregate(window: Window, *, retract: bool = False) -> WindowAggregate:
    return WindowAggregate(
        schema=output_schema(["k"]),
        input=source(window.type),
        window=window,
        keys=("k",),
        calls=CALLS,
        properties=PROPERTIES,
        retract=retract,
    )


def streams(
    origin: int, reach: int, unit: int, *, back: int | None = None
) -> st.SearchStrategy[list[Row]]:
    """Rows around ``origin`` in disorder, with a watermark that lags behind a little.

    Some take back a row, one of the last ``back`` that still stand.
    """
    row = st.tuples(
        st.integers(-6, 6),
        st.sampled_from(["a", "b", None]),
        st.sampled_from([1, 2, 3, None]),
        st.integers(0, 8) if back else st.just(0),
        st.integers(0, 8),
        st.integers(0, 6),
    )

    def build(parts: list[tuple[int, str | None, int | None, int, int, int]]) -> list[Row]:
        rows: list[Row] = []
        standing: list[Row] = []
        clock, mark = origin - reach // 2, origin - reach
        for shift, key, value, taken, lag, step in parts:
            clock += step * reach // 60
            mark = max(mark, clock - lag * unit - unit // 3)
            if standing and back and 0 < taken <= min(back, len(standing)):
                row = replace(standing.pop(-taken), sign=-1, watermark=mark)
            else:
                row = Row(clock + shift * unit, key, value, 1, mark)
                standing.append(row)
            rows.append(row)
        return rows

    return st.lists(row, max_size=40).map(build)


def run(
    bench: Bench, rows: Sequence[Row], cuts: list[int], restarts: list[bool], signed: bool
) -> None:
    """Feeds rows in batches that end at ``cuts``; some end with a restart."""
    bounds = sorted({0, len(rows), *(cut % (len(rows) + 1) for cut in cuts)})
    for number, (start, stop) in enumerate(pairwise(bounds)):
        bench.feed(rows[start:stop], signed=signed)
        if restarts[number % len(restarts)]:
            bench.restart()
    bench.finish()


CUTS = st.lists(st.integers(0, 100), max_size=4)
RESTARTS = st.lists(st.booleans(), min_size=1, max_size=3)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("signed", [False, True])
@settings(max_examples=25, deadline=None)
@given(data=st.data(), cuts=CUTS, restarts=RESTARTS)
def test_gives_what_row_by_row_gives(
    shape: tuple[WindowKind, int, int | None, int],
    signed: bool,
    data: st.DataObject,
    cuts: list[int],
    restarts: list[bool],
) -> None:
    # A session may have dropped the row that is taken back, but not the very last one.
    back = (1 if shape[0] is WindowKind.SESSION else 6) if signed else None
    rows = data.draw(streams(1000, 60, 1, back=back))
    node = aggregate(window(*shape), retract=signed)
    bench = Bench(node, window_aggregate)
    run(bench, rows, cuts, restarts, signed)
    expected, late = Model(node.window).run(rows)
    assert ordered(bench.given) == ordered(expected)
    assert bench.late["late_rows"] == late
    assert bench.held() == 0


def test_windows_fire_before_the_first_row_that_a_batch_keeps() -> None:
    node = aggregate(window(WindowKind.HOP, 12, 4, -1))
    bench = Bench(node, window_aggregate)
    rows = [
        Row(972, "a", 1, 1, 972),
        Row(982, "a", 1, 1, 981),
        Row(900, "a", 1, 1, 982),  # late, but the window that ends at 983 is complete with it
        Row(982, "a", 1, 1, 982),
    ]
    run(bench, rows, [2], [False], signed=False)
    assert ordered(bench.given) == ordered(Model(node.window).run(rows)[0])


@pytest.mark.parametrize("zone", DST)
@pytest.mark.parametrize(
    "shape",
    [
        (WindowKind.TUMBLE, 24, None, 0),
        (WindowKind.TUMBLE, 1, None, 0),
        (WindowKind.HOP, 2, 1, 0),
        (WindowKind.CUMULATE, 24, 1, 0),
        (WindowKind.SESSION, 1, None, 0),
    ],
    ids=str,
)
@settings(max_examples=6, deadline=None)
@given(data=st.data(), cuts=CUTS, restarts=RESTARTS)
def test_windows_of_instants_follow_the_wall_clock(
    zone: str,
    shape: tuple[WindowKind, int, int | None, int],
    data: st.DataObject,
    cuts: list[int],
    restarts: list[bool],
) -> None:
    moment = data.draw(st.sampled_from(DST[zone]))
    origin = int(datetime(*moment, tzinfo=UTC).timestamp() * 1000)
    rows = data.draw(streams(origin, 10 * HOUR, HOUR // 4))
    node = aggregate(window(*shape, time="zoned", unit=HOUR))
    bench = Bench(node, window_aggregate, zone)
    run(bench, rows, cuts, restarts, signed=False)
    expected, late = Model(node.window, zone).run(rows)
    assert ordered(bench.given) == ordered(expected)
    assert bench.late["late_rows"] == late


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_jump_of_the_watermark_fires_all_windows_in_order(
    shape: tuple[WindowKind, int, int | None, int],
) -> None:
    cut = window(*shape)
    bench = Bench(aggregate(cut), window_aggregate)
    rows = [Row(t, "a", t % 7, 1, 0) for t in (5, 31, 12, 44, 7, 30)]
    bench.feed(rows, on_event=False)
    assert bench.given == []
    bench.move(1000)
    expected, _ = Model(cut).run(rows)
    assert bench.rows() == [values for _, _, values in expected]
    assert bench.held() == 0


def test_cumulate_shows_a_key_in_each_step_after_its_first_row() -> None:
    node = aggregate(window(WindowKind.CUMULATE, 20, 5, 0))
    bench = Bench(node, window_aggregate)
    bench.feed([Row(7, "a", 1, 1, 0)], on_event=False)
    bench.move(12)
    bench.restart()
    bench.move(100)
    assert [row[4:] for row in bench.rows()] == [(0, 10), (0, 15), (0, 20)]


def test_row_late_for_its_step_counts_in_the_next() -> None:
    bench = Bench(aggregate(window(WindowKind.CUMULATE, 20, 5, 0)), window_aggregate)
    bench.feed([Row(1, "a", 1, 1, 11), Row(2, "a", 2, 1, 11)])
    bench.finish()
    counts = [(row[5], row[1]) for row in bench.rows()]
    assert counts == [(5, 1), (10, 1), (15, 2), (20, 2)]
    assert bench.late["late_rows"] == 0


def test_row_late_for_the_largest_window_is_dropped() -> None:
    bench = Bench(aggregate(window(WindowKind.CUMULATE, 20, 5, 0)), window_aggregate)
    bench.feed([Row(30, "a", 1, 1, 19)])
    bench.feed([Row(2, "a", 2, 1, 19)])
    assert bench.late["late_rows"] == 1


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_clock_fires_windows_of_processing_time(
    shape: tuple[WindowKind, int, int | None, int],
) -> None:
    zone = "Asia/Shanghai"
    cut = window(*shape, time="clock")
    bench = Bench(aggregate(cut), window_aggregate, zone)
    rows = []
    for now in (1001, 1003, 1012, 1013, 1050):
        bench.set_clock(now)
        bench.restart()
        rows.append(Row(now, "a", now % 5, 1, now - 1))
        bench.feed(rows[-1:], on_event=False)
    bench.set_clock(1200)
    expected, _ = Model(cut, zone).run(rows)
    assert bench.rows() == [values for _, _, values in expected]
    assert bench.operator.next_timer() is None
    assert bench.held() == 0


def test_open_windows_of_processing_time_do_not_fire_at_the_end_of_input() -> None:
    tumble = window(WindowKind.TUMBLE, 10, None, 0, time="clock")
    bench = Bench(aggregate(tumble), window_aggregate)
    bench.feed([Row(0, "a", 1, 1, 0)], on_event=False)
    bench.finish()
    assert bench.given == []


def test_windows_that_the_input_carries_fire_when_their_end_passes() -> None:
    end = timestamp(3).not_null
    schema = Schema.of((("k", STRING), ("v", BIGINT), ("window_start", end), ("window_end", end)))
    inner = window(WindowKind.HOP, 15, 5, 0)
    below = Scan(table=Table(name="w", schema=schema, physical=schema.fields), schema=schema)
    node = WindowAggregate(
        schema=output_schema(["k"]),
        input=below,
        window=inner,
        keys=("k",),
        calls=CALLS,
        properties=PROPERTIES,
        retract=False,
        attached=("window_start", "window_end"),
    )
    context = OperatorContext(clock=ManualClock(), config=Config(), zone=ZoneInfo("UTC"))
    operator = window_aggregate(node, context)
    rows = pl.DataFrame(
        {
            "k": ["a", "a", "b"],
            "v": [1, 2, 3],
            "window_start": [5, 0, 5],
            "window_end": [20, 15, 20],
        }
    ).select(pl.col("k", "v"), pl.col("window_start", "window_end").cast(pl.Datetime("ms")))
    operator.watermark = 10
    assert list(operator.process(0, Changes(rows))) == []
    operator.watermark = 14
    (fired,) = operator.on_watermark()
    assert fired.rows["s"].to_list() == [2]
    assert list(operator.process(0, Changes(rows[1:]))) == []
    assert context.counters["late_rows"] == 1
    operator.watermark = 19
    (fired,) = operator.on_watermark()
    assert sorted(fired.rows["s"].to_list()) == [1, 6]


def test_windows_without_keys_or_calls() -> None:
    tumble = window(WindowKind.TUMBLE, 10, None, 0)
    node = replace(aggregate(tumble), keys=(), calls=(), schema=output_schema([], []))
    bench = Bench(node, window_aggregate)
    bench.feed([Row(1, "a", 1, 1, 0), Row(12, "b", 1, 1, 0)])
    bench.restart()
    bench.finish()
    assert bench.rows() == [(0, 10), (10, 20)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_state_tells_its_window(shape: tuple[WindowKind, int, int | None, int]) -> None:
    """Another size is other state; names and order of columns are not."""
    cut = window(*shape)
    step = None if cut.step is None else 2 * cut.step
    node, other = aggregate(cut), aggregate(replace(cut, size=2 * cut.size, step=step))
    for table, changed in zip(node.state(), other.state(), strict=True):
        assert table.key[0].meaning != changed.key[0].meaning
        assert table.key[1:] == changed.key[1:]
    assert node.scope() != other.scope()
    assert node.state() == aggregate(window(*shape)).state()
