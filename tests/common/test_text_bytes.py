"""Bytes of columns of text against Python's own."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameriver.common.text_bytes import text_bytes

TEXTS = st.lists(st.none() | st.text("a\u00e9\U0001f30d ", max_size=20), max_size=30)


@pytest.mark.parametrize("dtype", [pl.String, pl.Binary])
@given(texts=TEXTS, more=TEXTS, start=st.integers(0, 10))
def test_texts_follow_each_other(
    dtype: type[pl.DataType], texts: list[str | None], more: list[str | None], start: int
) -> None:
    column = pl.concat([pl.Series("x", part, pl.String) for part in (texts, more)], rechunk=False)
    data, ends = text_bytes(column.cast(dtype).slice(start))
    expected = [(text or "").encode() for text in [*texts, *more][start:]]
    assert data.tobytes() == b"".join(expected)
    assert [len(text) for text in expected] == [
        end - begin for begin, end in zip([0, *ends.tolist()], ends.tolist(), strict=False)
    ]


def test_parts_of_many_columns_are_read_where_they_are() -> None:
    parts = [pl.Series([f"a long text of part {part}", "short", None]) for part in range(50)]
    column = pl.concat(parts, rechunk=True).gather([0, 148, 3, 149])
    data, ends = text_bytes(column)
    assert data.tobytes() == b"a long text of part 0" + b"short" + b"a long text of part 1"
    assert ends.tolist() == [21, 26, 47, 47]
