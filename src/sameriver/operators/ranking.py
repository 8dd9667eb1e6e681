"""Ranks of sorted rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.plan.expressions import SortKey
from sameriver.plan.physical.ordering import key_names
from sameriver.state.kernels.types import Ints


def ranked(
    rows: pl.DataFrame, groups: Ints, order: Sequence[SortKey], function: str
) -> tuple[Ints, Ints]:
    """Sorts rows within their groups; equal ones stay as they come.

    Returns:
        Numbers of the rows in order, group by group; and the rank of each, from 1.
    """
    names = key_names(order)
    keyed = pl.DataFrame([pl.Series("$group", groups), *(rows[name] for name in names)])
    by = pl.arg_sort_by(
        ["$group", *names],
        descending=[False, *(key.descending for key in order)],
        nulls_last=[False, *(not key.nulls_first for key in order)],
        maintain_order=True,
    )
    numbers = keyed.select(by).to_series().to_numpy().astype(np.int64)
    sorted_groups = groups[numbers]
    count = np.arange(1, len(numbers) + 1)
    first = _changes(pl.Series(sorted_groups))
    row_number = count - _carried(first, count - 1)
    if function == "ROW_NUMBER":
        return numbers, row_number
    other = first.copy()
    for name in names:
        other |= _changes(keyed[name][pl.Series(numbers)])
    if function == "RANK":
        return numbers, _carried(other, row_number)
    seen = np.cumsum(other)
    return numbers, seen - _carried(first, seen) + 1


def _changes(values: pl.Series) -> np.ndarray:
    """Where a value differs from the one before it; the first does."""
    changed: np.ndarray = values.ne_missing(values.shift(1)).to_numpy(writable=True)
    changed[:1] = True
    return changed


def _carried(starts: np.ndarray, values: Ints) -> Ints:
    """The value at the last start, at each place."""
    at = np.maximum.accumulate(np.where(starts, np.arange(len(starts)), 0))
    return values[at]
