"""Legacy group windows: one row a window, or early, at the end and late."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_window_aggregate import CUTS, RESTARTS, run, streams, window
from window_bench import CALLS, PROPERTIES, Bench, Model, Row, ordered, output_schema, source

from sameriver.common.changes import MAX_WATERMARK, ChangeKind
from sameriver.common.errors import UserError
from sameriver.operators.group_window import group_window
from sameriver.plan.physical.group_window import GroupWindow
from sameriver.plan.window import Window, WindowKind

RECORDS = {"table.exec.mini-batch.enabled": "false"}
SHAPES = [
    (WindowKind.TUMBLE, 10, None, 0),
    (WindowKind.HOP, 15, 5, 0),
    (WindowKind.HOP, 10, 4, 1),
    (WindowKind.HOP, 4, 10, 0),
]
ADD, OLD, NEW, GONE = map(int, ChangeKind)


def node(
    window: Window,
    *,
    retract: bool = False,
    lateness: int = 0,
    early_fire: int | None = None,
    late_fire: int | None = None,
) -> GroupWindow:
    return GroupWindow(
        schema=output_schema(["k"]),
        input=source(window.type),
        window=window,
        keys=("k",),
        calls=CALLS,
        properties=PROPERTIES,
        retract=retract,
        lateness=lateness,
        early_fire=early_fire,
        late_fire=late_fire,
    )


def tumble(
    *, lateness: int = 0, early_fire: int | None = None, late_fire: int | None = None
) -> GroupWindow:
    cut = window(WindowKind.TUMBLE, 10, None, 0)
    return node(cut, lateness=lateness, early_fire=early_fire, late_fire=late_fire)


def row(time: int, value: int = 1, watermark: int = 0) -> Row:
    return Row(time, "a", value, 1, watermark)


def kinds(bench: Bench) -> list[tuple[int, object]]:
    """Change kinds and counts."""
    return [(kind, values[1]) for _, kind, values in bench.given]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@settings(max_examples=15, deadline=None)
@given(rows=streams(1000, 60, 1), cuts=CUTS, restarts=RESTARTS)
def test_gives_each_window_once(
    shape: tuple[WindowKind, int, int | None, int],
    rows: list[Row],
    cuts: list[int],
    restarts: list[bool],
) -> None:
    once = node(window(*shape))
    bench = Bench(once, group_window)
    run(bench, rows, cuts, restarts, signed=False)
    expected, late = Model(once.window).run(rows)
    assert ordered(bench.given) == ordered(expected)
    assert bench.late["late_rows"] == late


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("signed", [False, True])
@settings(max_examples=15, deadline=None)
@given(data=st.data(), cuts=CUTS, restarts=RESTARTS)
def test_late_rows_change_what_was_shown(
    shape: tuple[WindowKind, int, int | None, int],
    signed: bool,
    data: st.DataObject,
    cuts: list[int],
    restarts: list[bool],
) -> None:
    rows = data.draw(streams(1000, 60, 1, back=6 if signed else None))
    firing = node(window(*shape), retract=signed, lateness=6, late_fire=0)
    bench = Bench(firing, group_window, options=RECORDS)
    run(bench, rows, cuts, restarts, signed)
    expected, late = Model(firing.window, lateness=6, updates=True).run(rows)
    assert ordered(bench.given) == ordered(expected)
    assert bench.late["late_rows"] == late
    assert bench.held() == 0


@settings(max_examples=15, deadline=None)
@given(rows=streams(1000, 60, 1), cuts=CUTS)
def test_folding_gives_the_same_table(rows: list[Row], cuts: list[int]) -> None:
    firing = tumble(lateness=20, late_fire=0, early_fire=0)
    single, folded = Bench(firing, group_window, options=RECORDS), Bench(firing, group_window)
    run(single, rows, [], [False], signed=False)
    run(folded, rows, cuts, [False], signed=False)
    assert table(single) == table(folded)


def table(bench: Bench) -> list[str]:
    """What the changes add up to; each -U and -D must hit a row."""
    rows: list[tuple[object, ...]] = []
    for _, kind, values in bench.given:
        if kind in (ADD, NEW):
            rows.append(values)
        else:
            rows.remove(values)
    return sorted(map(repr, rows))


def test_late_row_fires_after_the_end_of_its_window_in_one_batch() -> None:
    bench = Bench(tumble(lateness=100, late_fire=0), group_window, options=RECORDS)
    bench.feed([row(1), row(12, watermark=9), row(5, watermark=9)])
    assert kinds(bench) == [(ADD, 1), (OLD, 1), (NEW, 2)]


def test_early_fire_comes_in_periods_from_the_first_row() -> None:
    bench = Bench(tumble(early_fire=300), group_window)
    bench.clock.set(1000)
    bench.feed([row(1)])
    bench.set_clock(1200)
    bench.feed([row(2)])
    assert bench.operator.next_timer() == 1300
    bench.set_clock(1300)
    assert kinds(bench) == [(ADD, 2)]
    bench.set_clock(1650)
    bench.feed([row(3)])
    assert kinds(bench) == [(ADD, 2)]
    bench.set_clock(1900)
    assert kinds(bench) == [(ADD, 2), (OLD, 2), (NEW, 3)]
    bench.feed([row(20, watermark=9)])
    assert kinds(bench) == [(ADD, 2), (OLD, 2), (NEW, 3)]


def test_early_fire_goes_on_after_a_restart() -> None:
    bench = Bench(tumble(early_fire=300), group_window)
    bench.feed([row(1)])
    bench.restart()
    bench.set_clock(300)
    bench.restart()
    bench.feed([row(2)])
    bench.set_clock(600)
    assert kinds(bench) == [(ADD, 1), (OLD, 1), (NEW, 2)]


def test_early_fire_without_delay_shows_every_row() -> None:
    bench = Bench(tumble(early_fire=0), group_window, options=RECORDS)
    bench.feed([row(1), row(2), row(3)])
    assert kinds(bench) == [(ADD, 1), (OLD, 1), (NEW, 2), (OLD, 2), (NEW, 3)]


def test_late_fire_with_a_delay_waits_for_the_clock() -> None:
    bench = Bench(tumble(lateness=100, late_fire=50), group_window)
    bench.feed([row(1), row(12, watermark=9)])
    bench.set_clock(1000)
    bench.feed([row(5, watermark=9), row(6, watermark=9)])
    assert kinds(bench) == [(ADD, 1)]
    bench.set_clock(1050)
    assert kinds(bench) == [(ADD, 1), (OLD, 1), (NEW, 3)]


def test_key_first_seen_late_is_inserted_at_once() -> None:
    bench = Bench(tumble(lateness=100, late_fire=50), group_window)
    bench.feed([row(20, watermark=15)])
    bench.feed([row(5, watermark=15)])
    assert kinds(bench) == [(ADD, 1)]


def test_rows_beyond_the_lateness_are_dropped() -> None:
    bench = Bench(tumble(lateness=10, late_fire=0), group_window)
    bench.feed([row(1), row(30, watermark=19)])
    bench.feed([row(5, watermark=19)])
    assert bench.late["late_rows"] == 1
    assert kinds(bench) == [(ADD, 1)]


def test_last_row_taken_back_deletes_the_window() -> None:
    firing = node(window(WindowKind.TUMBLE, 10, None, 0), retract=True, lateness=100, late_fire=0)
    bench = Bench(firing, group_window, options=RECORDS)
    first = row(1)
    bench.feed([first, row(30, watermark=15)], signed=True)
    bench.feed([replace(first, sign=-1, watermark=15)], signed=True)
    assert kinds(bench) == [(ADD, 1), (GONE, 1)]


def test_session_refuses_to_fire_early() -> None:
    with pytest.raises(UserError, match="SESSION"):
        node(window(WindowKind.SESSION, 10, None, 0), early_fire=0)


def test_clock_fires_windows_of_processing_time() -> None:
    firing = node(window(WindowKind.TUMBLE, 10, None, 0, time="clock"), early_fire=4)
    bench = Bench(firing, group_window)
    bench.set_clock(1001)
    bench.feed([row(0)], on_event=False)
    bench.set_clock(1005)
    bench.feed([row(0)], on_event=False)
    bench.set_clock(1009)
    bench.feed([row(0)], on_event=False)
    bench.set_clock(1010)
    assert kinds(bench) == [(ADD, 1), (OLD, 1), (NEW, 2), (OLD, 2), (NEW, 3)]
    bench.move(MAX_WATERMARK)
    assert bench.held() == 0


def test_windows_without_calls_show_that_they_are_there() -> None:
    firing = replace(tumble(early_fire=0), keys=("k",), calls=(), schema=output_schema(["k"], []))
    bench = Bench(firing, group_window, options=RECORDS)
    bench.feed([row(1), row(2), row(12)])
    bench.restart()
    bench.feed([row(3)])
    bench.finish()
    assert bench.rows() == [("a", 0, 10), ("a", 10, 20)]
