"""Batches in which a key comes several times, taken a row a key at a time."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.state.kernels.types import Ints


def rounds(slots: Ints) -> list[Ints]:
    """Numbers of the rows: the first ones of all slots, then the second ones, and so on."""
    ranks = pl.Series(slots).to_frame("slot").select(pl.int_range(pl.len()).over("slot"))
    order = ranks.to_series().arg_sort().to_numpy().astype(np.int64)
    sizes = np.bincount(ranks.to_series().to_numpy())
    return np.split(order, np.cumsum(sizes)[:-1])
