"""ORDER BY event time against a plain model; what waits is freed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from test_window_aggregate import CUTS, RESTARTS, streams
from window_bench import Bench, Row, source

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK
from sameriver.operators.temporal_sort import TemporalSortOperator
from sameriver.plan.expressions import Column, SortKey
from sameriver.plan.physical.temporal_sort import TemporalSort


def node(*further: SortKey) -> TemporalSort:
    below = source()
    time = SortKey(Column("ts", below.schema["ts"]))
    return TemporalSort(schema=below.schema, input=below, keys=(time, *further))


V = Column("v", source().schema["v"])
ORDERS = {
    "time": (),
    "rising": (SortKey(V),),
    "falling": (SortKey(V, descending=True, nulls_first=False),),
    "nulls last": (SortKey(V, nulls_first=False),),
}


def key(row: Row, order: str) -> tuple[object, ...]:
    match order:
        case "rising":
            return (row.time, row.value is not None, row.value or 0)
        case "falling":
            return (row.time, row.value is None, -(row.value or 0))
        case "nulls last":
            return (row.time, row.value is None, row.value or 0)
    return (row.time,)


def model(rows: Sequence[Row], order: str) -> tuple[list[tuple[object, ...]], int]:
    """Rows in the order in which they come out, and how many are late."""
    held: list[Row] = []
    given: list[Row] = []
    late, mark, last = 0, MIN_WATERMARK, MIN_WATERMARK
    for row in (*rows, None):
        if row is not None and row.time <= last:
            late += 1
        elif row is not None:
            held.append(row)
        moved = MAX_WATERMARK if row is None else row.watermark
        if moved > mark:
            mark = moved
            due = sorted((r for r in held if r.time <= mark), key=lambda r: key(r, order))
            held = [r for r in held if r.time > mark]
            given += due
            last = max([last, *(r.time for r in due)])
    return [(r.key, r.value, r.time) for r in given], late


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


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=25, deadline=None)
@given(rows=streams(1000, 60, 1), cuts=CUTS, restarts=RESTARTS)
def test_gives_what_row_by_row_gives(
    order: str, rows: list[Row], cuts: list[int], restarts: list[bool]
) -> None:
    bench = Bench(node(*ORDERS[order]), TemporalSortOperator)
    bounds = sorted({0, len(rows), *(cut % (len(rows) + 1) for cut in cuts)})
    for number, (start, stop) in enumerate(pairwise(bounds)):
        feed(bench, rows[start:stop])
        if restarts[number % len(restarts)]:
            bench.restart()
    bench.finish()
    expected, late = model(rows, order)
    assert bench.rows() == expected
    assert bench.late["late_rows"] == late


def test_a_long_run_holds_only_what_waits() -> None:
    bench = Bench(node(), TemporalSortOperator)
    sizes = []
    for start in range(0, 20_000, 1000):
        rows = [Row(start + i * 7 % 1000, "a", i, 1, 0) for i in range(1000)]
        bench.feed(rows, on_event=False)
        bench.move(start + 500)
        sizes.append(bench.held())
    assert max(sizes) <= 1000
    bench.finish()
    times = [row[2] for row in bench.rows()]
    assert times == sorted(range(20_000))
