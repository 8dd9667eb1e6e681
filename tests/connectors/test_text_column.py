"""Columns of text cut out of a buffer."""

from __future__ import annotations

import gc
import threading

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
from hypothesis import given

from sameriver.common.text_column import text_column

CELLS = st.lists(st.one_of(st.none(), st.text("abc é☃", max_size=40)), max_size=80)


def column(cells: list[str | None], *, text: bool | None) -> pl.Series:
    """The cells behind one another in a buffer, with a byte between them."""
    data, start, end, kind = b"", [], [], []
    for cell in cells:
        start.append(len(data))
        data += (cell or "").encode()
        end.append(len(data))
        data += b","
        kind.append(1 if cell is None else 2)
    return text_column(
        np.frombuffer(data + b"\n", np.uint8),
        np.array(start, np.int64),
        np.array(end, np.int64),
        np.array(kind, np.uint8),
        text=text,
    )


@given(CELLS)
def test_bytes_are_those_of_the_buffer(cells: list[str | None]) -> None:
    made = column(cells, text=False)
    assert made.dtype == pl.Binary
    assert made.cast(pl.String).to_list() == cells
    assert made.null_count() == cells.count(None)


@given(CELLS)
def test_what_is_all_ascii_is_text(cells: list[str | None]) -> None:
    made = column(cells, text=None)
    assert made.cast(pl.String).to_list() == cells
    ascii = all(cell is None or cell.isascii() for cell in cells)
    assert made.dtype == (pl.String if ascii else pl.Binary)


@pytest.mark.parametrize("length", [0, 1, 12, 13, 1000])
def test_short_and_long_texts(length: int) -> None:
    cells = ["x" * length, None, "y" * length]
    made = column(cells, text=True)
    assert made.dtype == pl.String
    assert made.to_list() == cells


def test_a_column_lives_on_in_what_is_made_of_it() -> None:
    made = column([f"a long text with number {row}" for row in range(1000)], text=True)
    kept = made.gather([999]).rename("kept").to_frame()
    del made
    gc.collect()
    assert kept.rows() == [("a long text with number 999",)]


def test_columns_are_freed_in_any_thread() -> None:
    columns = [column(["a text that is too long for a view"] * 100, text=True) for _ in range(50)]

    def drop() -> None:
        while columns:
            assert columns.pop().n_unique() == 1

    threads = [threading.Thread(target=drop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not columns
