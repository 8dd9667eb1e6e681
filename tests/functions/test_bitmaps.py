"""Bytes of bitmaps: they hold what was put in, and are those that other systems write."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sameriver.functions.roaring import from_bytes, to_bytes

NUMBERS = st.integers(0, 2**32 - 1)
SPANS = st.tuples(NUMBERS, st.integers(0, 5000), st.integers(1, 2))
"""First number, how many more, and how far apart: lists, runs and bits."""


@given(st.lists(NUMBERS), st.lists(SPANS, max_size=2))
@example([], [(0, 4095, 2)])
@example([], [(0, 4096, 2)])
@example([], [(65_535, 0, 1), (131_071, 3, 1), (262_143, 0, 1), (400_000, 0, 1)])
@example([], [(0, 65_535, 1)])
def test_bytes_hold_the_numbers(single: list[int], spans: list[tuple[int, int, int]]) -> None:
    every = {n for first, more, step in spans for n in range(first, first + more * step + 1, step)}
    numbers = np.array(sorted({n for n in every if n < 2**32} | set(single)), np.uint32)
    assert from_bytes(to_bytes(numbers)).tolist() == numbers.tolist()


def test_a_run_is_written_where_it_is_shorter() -> None:
    assert to_bytes(np.arange(1, 5, dtype=np.uint32)).hex() == "3b3000000100000300010001000300"
    assert to_bytes(np.arange(1, 4, dtype=np.uint32)).hex() == (
        "3a300000010000000000020010000000010002000300"
    )


@pytest.mark.parametrize(
    "data",
    ["", "01", "3a300000", "3a30000001000000", "3a300000010000000000010010000000020001", "ff" * 20],
)
def test_other_bytes_are_refused(data: str) -> None:
    with pytest.raises(ValueError, match=r"they|numbers|parts"):
        from_bytes(bytes.fromhex(data))


def test_numbers_that_do_not_rise_are_refused() -> None:
    with pytest.raises(ValueError, match="rise"):
        from_bytes(bytes.fromhex("3a30000001000000000001001000000002000100"))
