"""Keys and slots against a dictionary."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.state.index import KeyIndex, Lookup

Numbers = list[int | None]


def integers(numbers: Numbers) -> pl.DataFrame:
    return pl.DataFrame({"k": pl.Series(numbers, dtype=pl.Int64)})


def texts(numbers: Numbers) -> pl.DataFrame:
    return integers(numbers).select(pl.col("k").cast(pl.String))


def dates(numbers: Numbers) -> pl.DataFrame:
    return integers(numbers).select(pl.col("k").cast(pl.Int32).cast(pl.Date))


def decimals(numbers: Numbers) -> pl.DataFrame:
    return integers(numbers).select(pl.col("k").cast(pl.Decimal(12, 2)))


def words(numbers: Numbers) -> pl.DataFrame:
    """Two columns of words, each with a value that is NULL."""
    k = pl.col("k").fill_null(10**6)
    return integers(numbers).select(
        w=pl.when(k // 7 != 3).then(k // 7),
        d=pl.when(k % 7 != 3).then((k % 7).cast(pl.Int32).cast(pl.Date)),
    )


def pairs(numbers: Numbers) -> pl.DataFrame:
    return integers(numbers).with_columns(t=pl.col("k").cast(pl.String))


@pytest.mark.parametrize("frame", [integers, texts, dates, decimals, words, pairs])
def test_keys_keep_their_slot_until_removed(frame: Callable[[Numbers], pl.DataFrame]) -> None:
    @settings(max_examples=20, deadline=None)
    @given(
        st.lists(
            st.tuples(
                st.lists(st.none() | st.integers(-2000, 2000), max_size=40),
                st.lists(st.integers(0, 1000), max_size=10),
            ),
            max_size=6,
        )
    )
    def run(rounds: list[tuple[Numbers, list[int]]]) -> None:
        index = KeyIndex(frame([]).schema)
        slots: dict[int | None, int] = {}
        for added, removed in rounds:
            given = index.find_or_insert(frame(added))
            for number, slot in zip(added, given.tolist(), strict=True):
                assert slots.setdefault(number, slot) == slot
            assert len(set(slots.values())) == len(slots) == len(index)
            assert index.find(frame(list(slots))).tolist() == list(slots.values())
            assert index.keys(given).equals(frame(added))
            names = sorted(slots, key=str)
            gone = {names[place % len(names)] for place in removed} if names else set()
            index.remove(np.array([slots.pop(name) for name in gone], np.int64))
            assert index.find(frame(list(gone))).tolist() == [-1] * len(gone)
        assert index.slots().tolist() == sorted(slots.values())

    run()


@given(st.lists(st.tuples(st.none() | st.integers(-2, 2), st.none() | st.booleans())))
def test_null_in_a_pair_of_words_is_a_value_of_its_own(
    rows: list[tuple[int | None, bool | None]],
) -> None:
    schema = pl.Schema({"n": pl.Int8, "b": pl.Boolean})
    index = KeyIndex(schema)
    frame = pl.DataFrame(rows, schema, orient="row")
    slots = index.find_or_insert(frame)
    assert len(index) == len(set(rows)) == len(set(slots.tolist()))
    assert index.find_or_insert(frame).tolist() == slots.tolist()
    assert index.keys(slots).rows() == rows
    index.remove(np.unique(slots))
    again = index.find_or_insert(
        frame.select(pl.col("n").fill_null(0), pl.col("b").fill_null(True))
    )
    assert index.keys(again).null_count().sum_horizontal().sum() == 0


def test_no_columns_are_one_key() -> None:
    index = KeyIndex(pl.Schema())
    assert index.find_or_insert(pl.DataFrame(height=3)).tolist() == [0, 0, 0]
    assert index.keys(np.zeros(2, np.int64)).height == 2


@pytest.mark.parametrize("width", [1, 2])
def test_grows_and_shrinks_in_bulk(width: int) -> None:
    lookup = Lookup(width)
    words = (np.arange(50_000, dtype=np.int64) * 1024,) * width
    slots = lookup.find_or_insert(words)
    lookup.remove(slots[::2])
    assert len(lookup) == 25_000
    found = lookup.find(words)
    assert (found[::2] == -1).all()
    assert (found[1::2] == slots[1::2]).all()
    again = lookup.find_or_insert(words)
    assert len(np.unique(again)) == 50_000
    assert again.max() < 50_000
