"""Parts of frames of few and of many rows against Polars' own."""

from __future__ import annotations

import polars as pl
import pytest

from sameriver.common.frames import FEW, filtered, gathered, in_one_piece, picked, stacked


def frame(height: int) -> pl.DataFrame:
    n = pl.int_range(height, eager=True)
    return pl.DataFrame({"n": n, "t": n.cast(pl.String), "l": n.reshape((height, 1))})


@pytest.mark.parametrize("height", [0, 3, FEW, FEW + 1])
def test_few_rows_are_taken_as_many_are(height: int) -> None:
    rows = frame(height)
    mask = pl.Series([True, False, None] * height, dtype=pl.Boolean).head(height)
    places = pl.Series([height - 1 - n for n in range(height)], dtype=pl.Int64)
    assert filtered(rows, mask).equals(rows.filter(mask))
    assert gathered(rows, places).equals(rows.reverse())
    assert picked(rows, ["l", "n"]).equals(rows.select("l", "n"))


@pytest.mark.parametrize("height", [2, FEW])
def test_rows_are_put_in_one_piece(height: int) -> None:
    pieces = pl.concat([frame(height), frame(height)], rechunk=False)
    assert stacked([frame(height), frame(height)]).equals(pieces)
    whole = in_one_piece(pieces)
    assert whole.n_chunks("all") == [1, 1, 1]
    assert whole.equals(pieces)


def test_rows_without_columns_keep_their_number() -> None:
    rows = pl.DataFrame(height=3)
    assert filtered(rows, pl.Series([True, False, True])).height == 2
    assert in_one_piece(rows).height == 3
    assert stacked([rows, rows]).height == 6
