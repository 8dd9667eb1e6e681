"""What GROUP BY emits, case by case."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import polars as pl
import pytest
from grouping import Change, Grouping, node, table

from sameriver.common.changes import Changes
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, INT, STRING
from sameriver.plan.expressions import AggregateCall, Column

SCHEMA = Schema.of([("k", STRING), ("v", INT)])
V = Column("v", INT)
COUNT = AggregateCall(name="c", function="COUNT", args=(), type=BIGINT.not_null)
SUM = AggregateCall(name="s", function="SUM", args=(V,), type=INT)
MAX = AggregateCall(name="m", function="MAX", args=(V,), type=INT)
HOUR = timedelta(hours=1)


def inserts(*rows: tuple[str | None, int | None]) -> list[Change]:
    return [("+I", row) for row in rows]


def test_a_folded_batch_changes_each_key_once_in_order_of_appearance() -> None:
    grouping = Grouping(node(SCHEMA, ["k"], [SUM]))
    assert grouping.feed(inserts(("b", 1), ("a", 2), ("b", 3))) == [
        ("+I", ("b", 4)),
        ("+I", ("a", 2)),
    ]
    assert grouping.feed(inserts((None, 1), ("a", 5), ("a", 1))) == [
        ("+I", (None, 1)),
        ("-U", ("a", 2)),
        ("+U", ("a", 8)),
    ]


def test_row_by_row_every_row_counts() -> None:
    grouping = Grouping(node(SCHEMA, ["k"], [SUM], folded=False))
    assert grouping.feed(inserts(("b", 1), ("a", 2), ("b", 3))) == [
        ("+I", ("b", 1)),
        ("+I", ("a", 2)),
        ("-U", ("b", 1)),
        ("+U", ("b", 4)),
    ]


def test_rounds_emit_in_order_of_arrival() -> None:
    column = Column("k", STRING)
    call = AggregateCall(name="l", function="LISTAGG", args=(column,), type=STRING)
    grouping = Grouping(node(SCHEMA, ["v"], [call], folded=False))
    assert grouping.feed(inserts(("a", 1), ("b", 1), ("c", 2), ("d", 1))) == [
        ("+I", (1, "a")),
        ("-U", (1, "a")),
        ("+U", (1, "a,b")),
        ("+I", (2, "c")),
        ("-U", (1, "a,b")),
        ("+U", (1, "a,b,d")),
    ]


@pytest.mark.parametrize("folded", [True, False])
def test_an_unchanged_result_emits_nothing(folded: bool) -> None:
    grouping = Grouping(node(SCHEMA, ["k"], [MAX], folded=folded))
    grouping.feed(inserts(("a", 5)))
    assert grouping.feed(inserts(("a", 4), ("a", None))) == []


def test_an_unchanged_result_is_emitted_where_there_is_a_ttl() -> None:
    grouping = Grouping(node(SCHEMA, ["k"], [MAX], ttl=HOUR))
    grouping.feed(inserts(("a", 5)))
    assert grouping.feed(inserts(("a", 4))) == [("-U", ("a", 5)), ("+U", ("a", 5))]


def test_the_last_row_taken_back_deletes() -> None:
    grouping = Grouping(node(SCHEMA, ["k"], [SUM], retract=True))
    grouping.feed(inserts(("a", 1)))
    assert grouping.feed([("-D", ("a", 1))]) == [("-D", ("a", 1))]
    assert grouping.feed(inserts(("a", 7))) == [("+I", ("a", 7))]


@pytest.mark.parametrize("folded", [True, False])
def test_a_key_that_comes_and_goes_in_a_batch(folded: bool) -> None:
    grouping = Grouping(node(SCHEMA, ["k"], [COUNT], retract=True, folded=folded))
    out = grouping.feed([("+I", ("a", 1)), ("-D", ("a", 1))])
    assert out == ([] if folded else [("+I", ("a", 1)), ("-D", ("a", 1))])
    assert grouping.context.store.snapshot()["accumulators"].height == 0


@pytest.mark.parametrize("folded", [True, False])
def test_taking_back_from_an_unknown_key_is_ignored(folded: bool) -> None:
    grouping = Grouping(node(SCHEMA, ["k"], [SUM, MAX], retract=True, folded=folded))
    assert grouping.feed([("-D", ("a", 3))]) == []
    assert grouping.feed(inserts(("a", 1))) == [("+I", ("a", 1, 1))]


def test_values_taken_back_before_they_came_do_no_harm() -> None:
    grouping = Grouping(node(SCHEMA, ["k"], [COUNT, MAX, SUM], retract=True))
    grouping.feed(inserts(("a", 1), ("a", 2)))
    assert grouping.feed([("-U", ("a", 9))]) == [
        ("-U", ("a", 2, 2, 3)),
        ("+U", ("a", 1, 2, -6)),
    ]
    grouping.restart()
    assert grouping.feed(inserts(("a", 9)))[-1] == ("+U", ("a", 2, 2, 3))


def test_select_distinct_emits_a_key_once() -> None:
    grouping = Grouping(node(SCHEMA, ["k", "v"], [], ttl=HOUR))
    assert grouping.feed(inserts(("a", 1), ("a", 1), ("b", 1))) == inserts(("a", 1), ("b", 1))
    assert grouping.feed(inserts(("a", 1))) == []


def test_a_global_aggregate_goes_with_its_last_row() -> None:
    grouping = Grouping(node(SCHEMA, [], [COUNT], retract=True))
    assert grouping.feed([]) == []
    assert grouping.feed(inserts(("a", 1), ("b", 2))) == [("+I", (2,))]
    grouping.restart()
    assert grouping.feed([("-D", ("a", 1)), ("-D", ("b", 2))]) == [("-D", (2,))]


def test_sums_of_int_wrap() -> None:
    grouping = Grouping(node(SCHEMA, ["k"], [SUM]))
    assert grouping.feed(inserts(("a", 2**31 - 1), ("a", 2))) == [("+I", ("a", -(2**31) + 1))]


@pytest.mark.parametrize("restart", [False, True])
def test_an_expired_key_starts_again(restart: bool) -> None:
    clock = ManualClock(0)
    grouping = Grouping(node(SCHEMA, ["k"], [COUNT], ttl=timedelta(seconds=2)), clock)
    grouping.feed(inserts(("a", 1), ("b", 1)))
    clock.advance(1500)
    grouping.feed(inserts(("a", 1)))
    if restart:
        grouping.restart()
    clock.advance(1000)
    assert grouping.feed(inserts(("a", 1), ("b", 1))) == [
        ("-U", ("a", 2)),
        ("+U", ("a", 3)),
        ("+I", ("b", 1)),
    ]


def test_distinct_values_expire_with_their_key() -> None:
    clock = ManualClock(0)
    call = AggregateCall(name="d", function="COUNT", args=(V,), distinct=True, type=BIGINT.not_null)
    grouping = Grouping(node(SCHEMA, ["k"], [call], ttl=timedelta(seconds=2)), clock)
    grouping.feed(inserts(("a", 1), ("a", 2)))
    clock.advance(2000)
    assert grouping.feed(inserts(("a", 1))) == [("+I", ("a", 1))]


def test_expired_keys_are_reclaimed_in_the_background() -> None:
    clock = ManualClock(0)
    grouping = Grouping(node(SCHEMA, ["k"], [COUNT], ttl=timedelta(seconds=2)), clock)
    grouping.feed(inserts(*((str(i), 1) for i in range(3000))))
    clock.advance(5000)
    for _ in range(4):
        grouping.feed(inserts(("x", 1)))
    assert grouping.context.store.snapshot()["accumulators"].height == 1


def test_state_is_tables_of_keys_and_values() -> None:
    call = AggregateCall(name="d", function="COUNT", args=(V,), distinct=True, type=BIGINT.not_null)
    grouping = Grouping(node(SCHEMA, ["k"], [SUM, MAX, call], retract=True))
    grouping.feed(inserts(("a", 4), ("a", 4), (None, None)))
    saved = grouping.context.store.snapshot()
    assert saved["accumulators"].rows() == [("a", 8, 2, 1, 2), (None, 0, 0, 0, 1)]
    assert saved["distinct_v"].rows() == [("a", 4, 2)]
    assert saved["values_m"].rows() == [("a", 4, 2)]


@pytest.mark.parametrize("retract", [False, True])
@pytest.mark.parametrize("folded", [False, True])
def test_many_keys_add_up_to_polars_group_by(folded: bool, retract: bool) -> None:
    rng = np.random.default_rng(7)
    rows = pl.DataFrame(
        {"k": rng.integers(0, 9000, 60_000).astype(str), "v": rng.integers(-50, 50, 60_000)},
        schema=SCHEMA.to_polars(),
    )
    distinct = AggregateCall(
        name="d", function="COUNT", args=(V,), distinct=True, type=BIGINT.not_null
    )
    grouping = Grouping(
        node(SCHEMA, ["k"], [COUNT, SUM, MAX, distinct], retract=retract, folded=folded)
    )
    out: list[Change] = []
    for start in range(0, 60_000, 25_000):
        out += grouping.feed_batch(Changes(rows.slice(start, 25_000)))
    expected = rows.group_by("k").agg(
        pl.len().cast(pl.Int64), pl.sum("v").alias("s"), pl.max("v").alias("m"),
        pl.n_unique("v").alias("d"),
    )  # fmt: skip
    assert table(out, 1) == {row[:1]: row for row in expected.rows()}


def test_of_many_restored_keys_none_outlives_its_time() -> None:
    clock = ManualClock(0)
    grouping = Grouping(node(SCHEMA, ["k"], [COUNT], ttl=timedelta(seconds=2)), clock)
    grouping.feed(inserts(*((str(i), 1) for i in range(6000))))
    grouping.restart()
    clock.advance(5000)
    assert grouping.feed(inserts(("5999", 1))) == [("+I", ("5999", 1))]
