"""Which rows a shard gets."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sameriver.engine.events import keys_of

_NUMBERS = pl.int_range(30_000, eager=True)
_KEYS = {
    "one word": pl.DataFrame({"a": _NUMBERS}),
    "multiples": pl.DataFrame({"a": _NUMBERS * 4096}),
    "two words": pl.DataFrame({"a": _NUMBERS // 100, "b": _NUMBERS % 100}),
    "three": pl.DataFrame({"a": _NUMBERS, "b": _NUMBERS, "c": _NUMBERS}),
    "text": pl.DataFrame({"a": _NUMBERS.cast(pl.String)}),
    "dates": pl.DataFrame({"a": _NUMBERS.cast(pl.Int32).cast(pl.Date)}),
}


@pytest.mark.parametrize("name", _KEYS)
@pytest.mark.parametrize("shards", [2, 3, 7])
def test_each_row_goes_to_one_shard_and_shards_get_alike_many(name: str, shards: int) -> None:
    rows = _KEYS[name]
    keys = keys_of(rows, rows.columns)
    parts = [keys.rows(shard, shards).to_numpy() for shard in range(shards)]
    assert (np.sort(np.concatenate(parts)) == np.arange(rows.height)).all()
    for part in parts:
        assert (np.diff(part) > 0).all()
        assert len(part) == pytest.approx(rows.height / shards, rel=0.1)


def test_equal_keys_of_other_widths_go_to_the_same_shard() -> None:
    values = [5, 17, None, -3]
    narrow, wide = (pl.Series("k", values, dtype=type) for type in (pl.Int32, pl.Int64))
    found = [keys_of(column.to_frame(), ["k"]).rows(1, 2) for column in (narrow, wide)]
    assert found[0].to_list() == found[1].to_list()


def test_without_columns_all_rows_go_to_the_first_shard() -> None:
    keys = keys_of(pl.DataFrame({"a": [1, 2, 3]}), [])
    assert keys.rows(0, 2).to_list() == [0, 1, 2]
    assert keys.rows(1, 2).to_list() == []
