"""OVER by plain columns: the changes add up to the results of the rows that stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_window_aggregate import CUTS, RESTARTS
from window_bench import Bench, Row, source

from sameriver.common.schema import Schema
from sameriver.common.types import BIGINT
from sameriver.operators.over_sorted import OverSortedOperator
from sameriver.plan.expressions import AggregateCall, Column, Literal, SortKey
from sameriver.plan.physical.over_sorted import OverSorted

V, K = Column("v", BIGINT), "k"
ORDER = (SortKey(V, descending=True, nulls_first=False),)
Values = tuple[object, ...]


def call(name: str, function: str, *args: Column | Literal) -> AggregateCall:
    return AggregateCall(name=name, function=function, args=args, type=BIGINT)


PEERS = [call("n", "COUNT"), call("s", "SUM", V), call("hi", "MIN", V)]
PLACES = [
    call("rn", "ROW_NUMBER"), call("rk", "RANK"), call("dr", "DENSE_RANK"), call("n", "COUNT"),
    call("lag", "LAG", V), call("lead", "LEAD", V, Literal(2, BIGINT), Literal(-1, BIGINT)),
]  # fmt: skip


def node(
    calls: Sequence[AggregateCall],
    *,
    rows: bool,
    folded: bool,
    partition: Sequence[str] = (K,),
    ttl: timedelta | None = None,
) -> OverSorted:
    below = source()
    return OverSorted(
        schema=Schema((*below.schema, *Schema.of((c.name, c.type) for c in calls))),
        input=below,
        partition=tuple(partition),
        order=ORDER,
        rows=rows,
        calls=tuple(calls),
        folded=folded,
        ttl=ttl,
    )


def sort_key(row: Row) -> tuple[bool, int]:
    return (row.value is None, -(row.value or 0))


def peers_model(rows: list[Row]) -> list[Values]:
    found: list[Values] = []
    for row in rows:
        frame = [r.value for r in rows if sort_key(r) <= sort_key(row)]
        values = [v for v in frame if v is not None]
        total, least = (sum(values), min(values)) if values else (None, None)
        found.append((row.key, row.value, row.time, len(frame), total, least))
    return found


def places_model(rows: list[Row]) -> list[Values]:
    found: list[Values] = []
    for place, row in enumerate(rows):
        before = [r for r in rows if sort_key(r) < sort_key(row)]
        lag = rows[place - 1].value if place else None
        lead = rows[place + 2].value if place + 2 < len(rows) else -1
        ranks = (place + 1, len(before) + 1, len({sort_key(r) for r in before}) + 1, place + 1)
        found.append((row.key, row.value, row.time, *ranks, lag, lead))
    return found


def changelogs() -> st.SearchStrategy[list[Row]]:
    """Rows that come and that are taken back again, some twice there."""
    part = st.tuples(
        st.sampled_from(["a", "b", None]),
        st.sampled_from([1, 2, 3, None]),
        st.integers(0, 2),
        st.integers(0, 6),
    )

    def build(parts: list[tuple[str | None, int | None, int, int]]) -> list[Row]:
        rows: list[Row] = []
        standing: list[Row] = []
        for key, value, time, taken in parts:
            if taken and len(standing) >= taken:
                gone = standing.pop(-taken)
                rows.append(Row(gone.time, gone.key, gone.value, -1, 0))
            else:
                standing.append(Row(time, key, value, 1, 0))
                rows.append(standing[-1])
        return rows

    return st.lists(part, max_size=24).map(build)


def stand(rows: Sequence[Row]) -> list[Row]:
    left: list[Row] = []
    for row in rows:
        if row.sign > 0:
            left.append(row)
        else:
            left.remove(Row(row.time, row.key, row.value, 1, 0))
    return left


def table(given: Sequence[tuple[int, int, Values]]) -> Counter[Values]:
    """What the changes add up to; each that is taken back was there."""
    rows: Counter[Values] = Counter()
    for _, kind, row in given:
        rows[row] += 1 if kind in (0, 2) else -1
        assert rows[row] >= 0
    return +rows


@pytest.mark.parametrize("folded", [True, False])
@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("partition", [(K,), ()], ids=str)
@settings(max_examples=12, deadline=None)
@given(changes=changelogs(), cuts=CUTS, restarts=RESTARTS)
def test_changes_add_up_to_the_results_of_what_stands(
    folded: bool,
    rows: bool,
    partition: tuple[str, ...],
    changes: list[Row],
    cuts: list[int],
    restarts: list[bool],
) -> None:
    over = node(PLACES if rows else PEERS, rows=rows, folded=folded, partition=partition)
    bench = Bench(over, OverSortedOperator)
    bounds = sorted({0, len(changes), *(cut % (len(changes) + 1) for cut in cuts)})
    for number, (start, stop) in enumerate(pairwise(bounds)):
        bench.feed(changes[start:stop], on_event=False, signed=True)
        if restarts[number % len(restarts)]:
            bench.restart()
    left = stand(changes)
    groups = (
        [[r for r in left if r.key == key] for key in ("a", "b", None)] if partition else [left]
    )
    model = places_model if rows else peers_model
    expected: Counter[Values] = Counter()
    for group in groups:
        expected.update(model(sorted(group, key=sort_key)))
    assert table(bench.given) == expected
    assert bench.held() == len(left)


def test_record_by_record_a_new_row_comes_in_the_order_of_the_window() -> None:
    bench = Bench(node([call("n", "COUNT")], rows=False, folded=False), OverSortedOperator)
    bench.feed([Row(t, "a", v, 1, 0) for t, v in enumerate((1, 2, 2))], on_event=False)
    assert [(kind, row[2], row[3]) for _, kind, row in bench.given] == [
        (0, 0, 1), (0, 1, 1), (1, 0, 1), (2, 0, 2), (1, 1, 1), (2, 1, 2), (0, 2, 2), (1, 0, 2),
        (2, 0, 3),
    ]  # fmt: skip


def test_folded_a_batch_changes_a_result_once() -> None:
    bench = Bench(node([call("n", "COUNT")], rows=False, folded=True), OverSortedOperator)
    bench.feed([Row(0, "a", 1, 1, 0)], on_event=False)
    bench.feed([Row(1, "a", 2, 1, 0), Row(2, "a", 3, 1, 0)], on_event=False)
    assert [(kind, row[2], row[3]) for _, kind, row in bench.given] == [
        (0, 0, 1), (0, 2, 1), (0, 1, 2), (1, 0, 1), (2, 0, 3),
    ]  # fmt: skip


def test_partitions_that_are_not_written_expire() -> None:
    ttl = timedelta(milliseconds=100)
    bench = Bench(node([call("n", "COUNT")], rows=False, folded=True, ttl=ttl), OverSortedOperator)
    for now, key in ((0, "a"), (60, "b"), (90, "a"), (170, "a")):
        bench.set_clock(now)
        bench.feed([Row(now, key, 1, 1, 0)], on_event=False)
    assert bench.held() == 3
    assert [row[3] for _, kind, row in bench.given if kind == 0] == [1, 1, 2, 3]
