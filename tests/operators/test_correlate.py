"""UNNEST: batches against plain Python, change kinds and watermarks."""

from __future__ import annotations

import polars as pl
import pytest
from grouping import Source
from hypothesis import given, settings
from hypothesis import strategies as st
from stateless import context, shown

from sameriver.common.changes import KINDS, Changes
from sameriver.common.schema import Schema
from sameriver.common.types import BIGINT, INT, array
from sameriver.functions.unnest import UNNEST_WITH_ORDINALITY
from sameriver.operators.correlate import CorrelateOperator
from sameriver.plan.expressions import Column
from sameriver.plan.physical.correlate import Correlate

INPUT = Schema.of([("id", BIGINT), ("xs", array(BIGINT))])
LISTS = st.one_of(st.none(), st.lists(st.one_of(st.none(), st.integers(0, 5)), max_size=4))


def operator(*, outer: bool) -> CorrelateOperator:
    schema = Schema.of([*((f.name, f.type) for f in INPUT), ("x", BIGINT), ("n", INT)])
    node = Correlate(
        schema=schema,
        input=Source(schema=INPUT),
        function=UNNEST_WITH_ORDINALITY,
        args=(Column("xs", INPUT["xs"]),),
        outer=outer,
    )
    return CorrelateOperator(node, context())


def batch(lists: list[list[int | None] | None]) -> pl.DataFrame:
    return pl.DataFrame({"id": range(len(lists)), "xs": lists}, schema=INPUT.to_polars())


@pytest.mark.parametrize("outer", [False, True])
@settings(max_examples=40, deadline=None)
@given(lists=st.lists(LISTS, max_size=8))
def test_rows_and_kinds_are_those_of_the_model(
    outer: bool, lists: list[list[int | None] | None]
) -> None:
    kinds = [number % 4 for number in range(len(lists))]
    wanted = []
    for number, xs in enumerate(lists):
        rows: list[tuple[int | None, int | None]] = list(zip(xs or [], range(1, 9), strict=False))
        if outer and not rows:
            rows = [(None, None)]
        wanted += [(kinds[number], number, x, n) for x, n in rows]
    found = []
    given = Changes(batch(lists), pl.Series(kinds, dtype=KINDS))
    for event in operator(outer=outer).process(0, given):
        assert isinstance(event, Changes)
        parts = (event.rows["id"], event.rows["x"], event.rows["n"])
        found += list(zip(event.kinds_or_inserts(), *parts, strict=True))
    assert found == wanted


def test_watermarks_of_rows_without_elements_are_kept() -> None:
    changes = Changes(batch([[], [7, 8], None]), None, pl.Series([10, 20, 30]))
    assert shown(list(operator(outer=False).process(0, changes))) == [
        10,
        [((1, [7, 8], 7, 1), 30), ((1, [7, 8], 8, 2), 30)],
    ]
