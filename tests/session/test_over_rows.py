"""Ranks over a time, and bitmaps over frames, are what counting row by row gives."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver import Session

START = datetime(2026, 1, 1)
Row = tuple[int, int | None, int]
ROWS = st.lists(st.tuples(st.integers(0, 2), st.none() | st.integers(-2, 3), st.integers(0, 4)))


def asked(rows: list[Row], columns: str) -> list[tuple[object, ...]]:
    """Columns of a query, in the order of the rows."""
    frame = pl.DataFrame(
        [(n, k, v, START + timedelta(seconds=s)) for n, (k, v, s) in enumerate(rows)],
        schema={"n": pl.Int64, "k": pl.Int32, "v": pl.Int32, "ts": pl.Datetime("ms")},
        orient="row",
    )
    session = Session()
    session.register("t", frame, watermark=("ts", "ts - INTERVAL '10' SECOND"))
    return session.sql(f"SELECT n, {columns} FROM t").to_polars().sort("n").drop("n").rows()


@settings(max_examples=25, deadline=None)
@given(ROWS)
def test_a_rank_is_how_many_rows_came_up_to_its_time(rows: list[Row]) -> None:
    columns = "RANK() OVER (PARTITION BY k ORDER BY ts), DENSE_RANK() OVER (ORDER BY ts)"
    found = asked(rows, columns)
    assert found == [
        (sum(j == k and t <= s for j, _, t in rows), sum(t <= s for _, _, t in rows))
        for k, _, s in rows
    ]


@pytest.mark.parametrize("back", [None, 1])
@settings(max_examples=15, deadline=None)
@given(rows=ROWS)
def test_a_bitmap_has_the_numbers_of_the_frame(back: int | None, rows: list[Row]) -> None:
    rows = sorted(rows, key=lambda row: row[2])
    start = "UNBOUNDED" if back is None else back
    window = f"(PARTITION BY k ORDER BY ts ROWS BETWEEN {start} PRECEDING AND CURRENT ROW)"
    columns = (
        f"BITMAP_TO_ARRAY(BITMAP_BUILD_AGG(v) OVER {window}),"
        f" BITMAP_TO_ARRAY(BITMAP_XOR_AGG(BITMAP_BUILD(ARRAY[v])) OVER {window})"
    )
    found = asked(rows, columns)
    for place, (numbers, odd) in enumerate(found):
        earlier = [v for k, v, _ in rows[: place + 1] if k == rows[place][0]]
        frame = earlier if back is None else earlier[-back - 1 :]
        known = [v for v in frame if v is not None]
        rising = sorted(set(known), key=lambda v: v % 2**32)
        assert numbers == (rising or None)
        assert odd == [v for v in rising if known.count(v) % 2]
