"""The order of ranked rows, against a sort of Python's."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sameriver.common.types import BIGINT, STRING
from sameriver.operators.ranking import ranked, sorted_by
from sameriver.plan.expressions import Column, SortKey

NUMBERS = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1))
VALUES = st.one_of(st.none(), st.integers(-2, 2))
ROWS = st.tuples(st.integers(0, 2), VALUES, st.one_of(st.none(), st.sampled_from("ab")))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=20))
def test_rows_are_sorted_by_one_number_after_the_other(rows: list[tuple[int, int]]) -> None:
    keys = [np.array([row[place] for row in rows], np.int64) for place in (0, 1)]
    expected = sorted(range(len(rows)), key=lambda place: rows[place])
    assert sorted_by(keys).tolist() == expected


@given(st.lists(ROWS, max_size=20), st.booleans(), st.booleans(), st.booleans())
def test_null_comes_first_or_last_and_equal_rows_stay(
    rows: list[tuple[int, int | None, str | None]], descending: bool, first: bool, both: bool
) -> None:
    frame = pl.DataFrame(rows, {"g": pl.Int64, "n": pl.Int64, "s": pl.String}, orient="row")
    order = [SortKey(Column("n", BIGINT), descending, first)]
    order += [SortKey(Column("s", STRING))] * both

    def key(place: int) -> tuple[object, ...]:
        group, number, text = rows[place]
        sign = -1 if descending else 1
        value = ((number is None) != first, sign * (number or 0))
        return (group, value, (text is not None, text or "") if both else ())

    groups = frame["g"].to_numpy()
    numbers, ranks = ranked(frame, groups, order, "ROW_NUMBER")
    assert numbers.tolist() == sorted(range(len(rows)), key=key)
    counts = {group: iter(range(1, len(rows) + 1)) for group in range(3)}
    assert ranks.tolist() == [next(counts[rows[number][0]]) for number in numbers]
