"""Windows without aggregate: rows with their windows, sessions held until they close."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from test_window_aggregate import CUTS, RESTARTS, run, streams, window
from window_bench import Bench, Row, is_over, source, wall, windows_of

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK
from sameriver.common.schema import Schema
from sameriver.common.types import ROWTIME, timestamp
from sameriver.operators.window_table import window_table
from sameriver.plan.physical.window_table import WindowTable
from sameriver.plan.window import Window, WindowKind

END = timestamp(3).not_null


def node(window: Window) -> WindowTable:
    below = source(window.type)
    own = Schema.of((("window_start", END), ("window_end", END), ("window_time", ROWTIME)))
    return WindowTable(
        schema=Schema((*below.schema, *own)),
        input=below,
        window=window,
        start="window_start",
        end="window_end",
        time="window_time",
    )


@pytest.mark.parametrize(
    "shape",
    [
        (WindowKind.TUMBLE, 10, None, 3),
        (WindowKind.HOP, 15, 5, 0),
        (WindowKind.CUMULATE, 20, 5, 0),
    ],
    ids=str,
)
@settings(max_examples=10, deadline=None)
@given(rows=streams(1000, 60, 1), cuts=CUTS)
def test_each_row_comes_with_each_of_its_windows(
    shape: tuple[WindowKind, int, int | None, int], rows: list[Row], cuts: list[int]
) -> None:
    tagged = node(window(*shape))
    bench = Bench(tagged, window_table)
    run(bench, rows, cuts, [False], signed=False)
    expected, mark = [], MIN_WATERMARK
    for row in rows:
        for start, end in windows_of(tagged.window, row.time):
            values = (row.key, row.value, row.time, start, end, end - 1)
            expected.append((mark, 0, values))
        mark = row.watermark
    assert bench.given == expected
    assert bench.late["late_rows"] == 0


@settings(max_examples=30, deadline=None)
@given(rows=streams(1000, 60, 1), cuts=CUTS, restarts=RESTARTS)
def test_session_gives_its_rows_in_order_of_arrival_when_it_closes(
    rows: list[Row], cuts: list[int], restarts: list[bool]
) -> None:
    tagged = node(window(WindowKind.SESSION, 7, None, 0))
    bench = Bench(tagged, window_table)
    run(bench, rows, cuts, restarts, signed=False)
    expected, late = sessions(rows, tagged.window.size)
    by_key = {key: [g for g in bench.given if g[2][0] == key] for key in ("a", "b", None)}
    assert by_key == {key: [g for g in expected if g[2][0] == key] for key in ("a", "b", None)}
    assert bench.late["late_rows"] == late
    assert bench.held() == 0


def sessions(rows: list[Row], gap: int) -> tuple[list[tuple[int, int, tuple[object, ...]]], int]:
    """What a session table gives, a row at a time."""
    held: list[tuple[int, int, list[tuple[int, Row]]]] = []
    given: list[tuple[int, int, tuple[object, ...]]] = []
    late, mark = 0, MIN_WATERMARK
    for number, row in enumerate([*rows, None]):
        if row is not None:
            time = wall(row.time, "UTC")
            touched = [
                s for s in held if s[2][0][1].key == row.key and s[0] <= time + gap and s[1] >= time
            ]
            start = min([time, *(s[0] for s in touched)])
            end = max([time + gap, *(s[1] for s in touched)])
            if is_over(end, mark, "UTC"):
                late += 1
            else:
                inside = [*(r for s in touched for r in s[2]), (number, row)]
                inside.sort(key=lambda pair: pair[0])
                held = [s for s in held if s not in touched] + [(start, end, inside)]
        after = MAX_WATERMARK if row is None else row.watermark
        for session in sorted(held, key=lambda s: s[:2]):
            if is_over(session[1], after, "UTC"):
                held.remove(session)
                start, end, inside = session
                for _, r in inside:
                    values = (r.key, r.value, r.time, start, end, end - 1)
                    given.append((mark, 0, values))
        mark = max(mark, after)
    return given, late


def test_session_rows_wait_for_the_clock_in_processing_time() -> None:
    clock = window(WindowKind.SESSION, 10, None, 0, time="clock")
    below = source(clock.type)
    own = Schema.of((("window_start", END), ("window_end", END), ("window_time", clock.type)))
    tagged = WindowTable(
        schema=Schema((*below.schema, *own)),
        input=below,
        window=clock,
        start="window_start",
        end="window_end",
        time="window_time",
    )
    bench = Bench(tagged, window_table)
    bench.set_clock(1000)
    bench.feed([Row(0, "a", 1, 1, 0)], on_event=False)
    bench.set_clock(1005)
    bench.restart()
    bench.feed([Row(0, "a", 2, 1, 0)], on_event=False)
    bench.set_clock(1014)
    assert bench.given == []
    bench.set_clock(1015)
    assert [row[3:5] for row in bench.rows()] == [(1000, 1015), (1000, 1015)]
