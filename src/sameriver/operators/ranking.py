"""Ranks of sorted rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.common.frames import picked
from sameriver.plan.expressions import SortKey
from sameriver.plan.physical.ordering import key_names
from sameriver.state.kernels.types import Ints
from sameriver.state.words import encode, fits_word


def ranked(
    rows: pl.DataFrame, groups: Ints, order: Sequence[SortKey], function: str
) -> tuple[Ints, Ints]:
    """Sorts rows within their groups; equal ones stay as they come.

    Returns:
        Numbers of the rows in order, group by group; and the rank of each, from 1.
    """
    names = key_names(order)
    keyed = picked(rows, names)
    numbers = _sorted(keyed, groups, order)
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


def _sorted(keyed: pl.DataFrame, groups: Ints, order: Sequence[SortKey]) -> Ints:
    """Numbers of the rows in order, group by group."""
    if all(fits_word(dtype) and not dtype.is_float() for dtype in keyed.dtypes):
        words = [groups]
        for column, key in zip(keyed.get_columns(), order, strict=True):
            if column.null_count():
                null = column.is_null().to_numpy()
                words.append((null != key.nulls_first).astype(np.int64))
            words.append(~encode(column) if key.descending else encode(column))
        return sorted_by(words)
    by = pl.arg_sort_by(
        [pl.lit(pl.Series(groups)), *keyed.columns],
        descending=[False, *(key.descending for key in order)],
        nulls_last=[False, *(not key.nulls_first for key in order)],
        maintain_order=True,
    )
    return keyed.select(by).to_series().to_numpy().astype(np.int64)


def sorted_by(keys: Sequence[Ints]) -> Ints:
    """Places of rows in the order of several numbers, of which the first counts most; equal rows
    stay as they come.

    Numbers that fit one word together with the place are sorted as that word.
    """
    places = np.arange(len(keys[0]))
    left = 63 - len(places).bit_length()
    word = np.zeros(len(places), np.int64)
    for key in keys if len(places) else ():
        low = int(key.min())
        bits = (int(key.max()) - low).bit_length()
        left -= bits
        if left < 0:
            return np.lexsort(tuple(reversed(keys)))
        word <<= bits
        word |= key - low
    word <<= len(places).bit_length()
    word |= places
    word.sort()
    word &= (1 << len(places).bit_length()) - 1
    return word


def _changes(values: pl.Series) -> np.ndarray:
    """Where a value differs from the one before it; the first does."""
    changed: np.ndarray = values.ne_missing(values.shift(1)).to_numpy(writable=True)
    changed[:1] = True
    return changed


def _carried(starts: np.ndarray, values: Ints) -> Ints:
    """The value at the last start, at each place."""
    at = np.maximum.accumulate(np.where(starts, np.arange(len(starts)), 0))
    return values[at]
