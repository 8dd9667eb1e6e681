"""Lists as all their items and where each of them ends, which kernels read and write."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

Ends = npt.NDArray[np.int64]


def items(lists: pl.Series) -> tuple[npt.NDArray[Any], Ends]:
    """All items of numeric lists, and where each list ends; NULL is empty."""
    sizes = lists.list.len().fill_null(0).to_numpy()
    values = lists.explode(empty_as_null=False, keep_nulls=False).to_numpy()
    return values, np.cumsum(sizes, dtype=np.int64)


def lists(values: pl.Series, ends: Ends, known: pl.Series) -> pl.Series:
    """Lists of stretches of ``values``; NULL where not ``known``.

    Polars has no call for it; but lists of places it makes fast, and what is at a place, too.
    """
    starts = np.append(0, ends[:-1]) if len(ends) else ends
    place = pl.element().map_batches(values.gather, return_dtype=values.dtype, is_elementwise=True)
    ranges = pl.int_ranges("start", "end").list.eval(place)
    frame = pl.DataFrame({"start": starts, "end": ends, "known": known})
    return frame.select(pl.when("known").then(ranges)).to_series()
