"""Merging one aggregation's accumulators into another's, as windows do."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from grouping import batch
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.schema import Schema
from sameriver.common.state import Meaning, Role, RowScope, StateColumn
from sameriver.common.types import BIGINT, DOUBLE, INT, STRING, DataType, array, decimal, multiset
from sameriver.operators.aggregation import Aggregation
from sameriver.plan.expressions import AggregateCall, Column
from sameriver.plan.physical.aggregate_state import aggregate_state
from sameriver.state.handle import StateStore

INPUT = Schema.of([("k", INT), ("i", BIGINT), ("s", STRING), ("d", decimal(25, 2)), ("f", DOUBLE)])
KEYS = INPUT.select(["k"])


def call(function: str, column: str, type: DataType, distinct: bool) -> AggregateCall:
    return AggregateCall(
        name=f"{function}_{column}_{distinct}",
        function=function,
        args=(Column(column, INPUT[column]),),
        distinct=distinct,
        type=type,
    )


CALLS = tuple(
    call(function, column, type, distinct)
    for distinct in (False, True)
    for function, column, type in (
        ("COUNT", "s", BIGINT.not_null),
        ("COUNT", "i", BIGINT.not_null),
        ("SUM", "i", BIGINT),
        ("SUM", "d", decimal(38, 2)),
        ("AVG", "f", DOUBLE),
        ("VAR_POP", "f", DOUBLE),
        ("MIN", "i", BIGINT),
        ("MAX", "s", STRING),
        ("MIN", "d", decimal(25, 2)),
        ("FIRST_VALUE", "s", STRING),
        ("LAST_VALUE", "i", BIGINT),
        ("LISTAGG", "s", STRING),
        ("ARRAY_AGG", "i", array(BIGINT)),
        ("COLLECT", "s", multiset(STRING)),
    )
)


def aggregation(calls: tuple[AggregateCall, ...], retract: bool) -> Aggregation:
    below = {name: Meaning(f"t.{name}") for name in INPUT.names}
    keys = (StateColumn(name="k", type=INT, meaning=below["k"], role=Role.KEY),)
    scope = RowScope(sources=("t",))
    tables = aggregate_state(
        keys=keys, calls=calls, retract=retract, below=below, scope=scope, ttl=None
    )
    return Aggregation(tables, KEYS, calls, INPUT, retract=retract, store=StateStore())


Row = tuple[int, int | None, str | None, Decimal | None, float | None]
small = st.integers(-3, 3)
row = st.tuples(
    st.integers(0, 3),
    st.none() | small,
    st.none() | st.sampled_from(["", "a", "bb"]),
    st.none() | small.map(lambda n: Decimal(n) * 10**19),
    st.none() | small.map(float),
)


def feed(into: Aggregation, rows: Sequence[Row]) -> None:
    if rows:
        changes = batch(INPUT, [("+I", r) for r in rows])
        into.update(into.slots(changes.rows.select("k")), changes)


@pytest.mark.parametrize("retract", [False, True])
@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(row, max_size=8), min_size=1, max_size=3))
def test_merging_slices_is_feeding_all_rows(retract: bool, slices: list[list[Row]]) -> None:
    """Keys 0 and 1, 2 and 3 come together in the merged aggregation."""
    direct, merged = aggregation(CALLS, retract), aggregation(CALLS, retract)
    slice_ = aggregation(CALLS, retract)
    for rows in slices:
        folded = sorted(rows, key=lambda r: r[0])
        feed(direct, [(r[0] // 2, *r[1:]) for r in folded])
        feed(slice_, rows)
        slots = slice_.all_slots()
        order = np.argsort(slice_.keys(slots)["k"].to_numpy())
        slots = slots[order]
        keys = slice_.keys(slots).select(pl.col("k") // 2)
        merged.merge(merged.slots(keys), slice_, slots)
        slice_.remove(slots)
        assert len(slice_) == 0
    slots = direct.all_slots()
    expected = direct.results(slots)
    actual = merged.results(merged.find(direct.keys(slots)))
    for name in expected.columns:
        if name.startswith("COLLECT"):
            for left, right in zip(actual[name], expected[name], strict=True):
                assert sorted(left, key=str) == sorted(right, key=str)
        else:
            left, right = (f[name].to_list() for f in (actual, expected))
            assert left == (pytest.approx(right) if actual[name].dtype.is_float() else right), name
    assert (merged.live(merged.all_slots()) > 0).all()


def test_two_keys_of_one_batch_merge_into_one_slot_in_order() -> None:
    calls = tuple(c for c in CALLS if c.function in ("LISTAGG", "FIRST_VALUE") and not c.distinct)
    slice_, merged = aggregation(calls, False), aggregation(calls, False)
    feed(slice_, [(1, None, "a", None, None), (2, None, "b", None, None)])
    slots = slice_.find(pl.DataFrame({"k": [2, 1]}, schema={"k": pl.Int32}))
    into = merged.slots(pl.DataFrame({"k": [7, 7]}, schema={"k": pl.Int32}))
    merged.merge(into, slice_, slots)
    assert merged.results(into[:1]).row(0) == ("b", "b,a")
