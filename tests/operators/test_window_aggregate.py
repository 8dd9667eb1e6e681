"""Windows of window TVFs: what fires when, what is late, what state stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

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

from sameriver.operators.window_aggregate import WindowAggregateOperator
from sameriver.plan.physical.window_aggregate import WindowAggregate
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
@settings(max_examples=40, deadline=None)
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
    bench = Bench(node, WindowAggregateOperator)
    run(bench, rows, cuts, restarts, signed)
    expected, late = Model(node.window).run(rows)
    assert ordered(bench.given) == ordered(expected)
    assert bench.late["late_rows"] == late
    assert bench.held() == 0


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
@settings(max_examples=12, deadline=None)
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
    bench = Bench(node, WindowAggregateOperator, zone)
    run(bench, rows, cuts, restarts, signed=False)
    expected, late = Model(node.window, zone).run(rows)
    assert ordered(bench.given) == ordered(expected)
    assert bench.late["late_rows"] == late
