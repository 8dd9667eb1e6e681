"""Bitmaps in columns: their bytes, which are those that other systems write, and what they hold."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sameriver.functions.failure import EvaluationError
from sameriver.functions.roaring import DTYPE, built, from_bytes, merged, to_bytes

NUMBERS = st.integers(0, 2**32 - 1)
SPANS = st.tuples(NUMBERS, st.integers(0, 5000), st.integers(1, 2))
"""First number, how many more, and how far apart: lists, runs and bits."""
SETS = st.frozensets(st.integers(0, 40))


def column(*sets: set[int] | frozenset[int] | None) -> pl.Series:
    return pl.Series([one if one is None else sorted(one) for one in sets], dtype=DTYPE)


@given(st.lists(NUMBERS), st.lists(SPANS, max_size=2))
@example([], [(0, 4095, 2)])
@example([], [(0, 4096, 2)])
@example([], [(65_535, 0, 1), (131_071, 3, 1), (262_143, 0, 1), (400_000, 0, 1)])
@example([], [(0, 65_535, 1)])
def test_bytes_hold_the_numbers(single: list[int], spans: list[tuple[int, int, int]]) -> None:
    every = {n for first, more, step in spans for n in range(first, first + more * step + 1, step)}
    given = column({7}, None, {n for n in every if n < 2**32} | set(single), set())
    assert from_bytes(to_bytes(given)).to_list() == given.to_list()


def test_a_run_is_written_where_it_is_shorter() -> None:
    first, second = to_bytes(column(set(range(1, 5)), set(range(1, 4)))).to_list()
    assert first.hex() == "3b3000000100000300010001000300"
    assert second.hex() == "3a300000010000000000020010000000010002000300"


@pytest.mark.parametrize(
    "data",
    ["", "01", "3a300000", "3a30000001000000", "3a300000010000000000010010000000020001", "ff" * 20],
)
def test_other_bytes_are_refused(data: str) -> None:
    fine = to_bytes(column({1}))[0]
    with pytest.raises(EvaluationError, match=rf"'{data}' .*(they|numbers|parts)"):
        from_bytes(pl.Series([fine, None, bytes.fromhex(data)], dtype=pl.Binary))


def test_numbers_that_do_not_rise_are_refused() -> None:
    data = bytes.fromhex("3a30000001000000000001001000000002000100")
    with pytest.raises(EvaluationError, match="rise"):
        from_bytes(pl.Series([data]))


@given(st.lists(st.none() | st.lists(st.none() | st.integers(-(2**31), 2**31 - 1)), min_size=1))
@example([list(range(60, 0, -1)) * 2, [3, 1, 2]])
def test_bitmaps_are_built_of_lists(lists: list[list[int | None] | None]) -> None:
    found = pl.DataFrame({"x": pl.Series(lists, dtype=pl.List(pl.Int32))}).select(
        built(pl.col("x"))
    )
    expected = [
        one if one is None else sorted({np.uint32(n % 2**32) for n in one if n is not None})
        for one in lists
    ]
    assert found["x"].to_list() == expected


@given(
    st.lists(st.tuples(st.none() | SETS, st.none() | SETS), min_size=1),
    st.tuples(*[st.booleans()] * 3),
)
def test_two_bitmaps_are_merged_as_sets(
    pairs: list[tuple[frozenset[int] | None, frozenset[int] | None]], kept: tuple[bool, bool, bool]
) -> None:
    def of(one: frozenset[int], two: frozenset[int]) -> list[int]:
        parts = (one - two, one & two, two - one)
        return sorted(n for part, keep in zip(parts, kept, strict=True) if keep for n in part)

    frame = pl.DataFrame({"a": column(*(a for a, _ in pairs)), "b": column(*(b for _, b in pairs))})
    found = frame.select(merged(pl.col("a"), pl.col("b"), kept)).to_series()
    assert found.to_list() == [None if a is None or b is None else of(a, b) for a, b in pairs]
