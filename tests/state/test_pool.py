"""Rows kept by position, in pieces."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sameriver.state.pool import Pool

SCHEMA = pl.Schema({"n": pl.Int64(), "s": pl.String()})


def rows(start: int, height: int) -> pl.DataFrame:
    numbers = range(start, start + height)
    return pl.DataFrame({"n": numbers, "s": [f"text of row {n}" for n in numbers]}, schema=SCHEMA)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.data())
def test_rows_are_found_in_any_order_whatever_pieces_they_came_in(
    heights: list[int], data: st.DataObject
) -> None:
    pool = Pool(SCHEMA)
    for height in heights:
        pool.append(rows(pool.height, height))
    asked = data.draw(st.lists(st.integers(0, pool.height - 1), max_size=12))
    found = pool.gather(np.array(asked, np.int64))
    assert found.equals(rows(0, pool.height)[asked] if asked else rows(0, 0))
    assert pool.gather(np.array(asked, np.int64), ["s"]).equals(found.select("s"))


def test_a_few_rows_of_several_pieces_leave_the_pieces_as_they_are() -> None:
    pool = Pool(SCHEMA)
    for height in (64, 32, 16):
        pool.append(rows(pool.height, height))
    assert pool.gather(np.array([100, 3, 70, 3]))["n"].to_list() == [100, 3, 70, 3]
    assert pool.gather(np.array([65, 64]))["n"].to_list() == [65, 64]
    pool.keep(np.array([111, 0]))
    assert pool.gather(np.array([0, 1]))["n"].to_list() == [111, 0]
