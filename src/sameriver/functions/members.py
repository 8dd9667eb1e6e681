"""What lists need that is done on their members laid out one below the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from sameriver.functions.distinct import aligned
from sameriver.functions.failure import Dtype, failure
from sameriver.functions.lists import lists

Change = Callable[[pl.DataFrame], pl.DataFrame]


def per_member(change: Change, dtype: Dtype, *args: pl.Expr, nulls: bool = False) -> pl.Expr:
    """The first argument, a list, with its members changed; of ``dtype``.

    ``change`` gets a row a member, in order: ``row``, ``item`` and the other arguments as ``1``,
    ``2``, ...; it gives ``row`` and ``item``. A list is NULL where any argument is, or with
    ``nulls`` only where the first is.
    """

    def run(series: Sequence[pl.Series]) -> pl.Series:
        frame = aligned(series)
        rows = frame.with_row_index("row")
        asked = pl.col("0") if nulls else pl.exclude("row")
        whole = rows.filter(~pl.any_horizontal(asked.is_null()))
        return _folded(change(_unfolded(whole, ["0"])), whole, len(rows), dtype)

    return pl.map_batches(list(args), run, return_dtype=dtype)


def _unfolded(rows: pl.DataFrame, lists: list[str]) -> pl.DataFrame:
    filled = rows.filter(pl.col(lists[0]).list.len() > 0).explode(lists)
    return filled.rename({lists[0]: "item"})


def _folded(members: pl.DataFrame, rows: pl.DataFrame, height: int, dtype: Dtype) -> pl.Series:
    """Members as lists again; empty where a row has none, NULL where there is no row."""
    sizes = np.bincount(members["row"].to_numpy(), minlength=height)
    known = np.zeros(height, np.bool_)
    known[rows["row"].to_numpy()] = True
    inner = dtype.inner if isinstance(dtype, pl.List) else pl.Null()
    return lists(members["item"].cast(inner), np.cumsum(sizes, dtype=np.int64), pl.Series(known))


def without(members: pl.DataFrame) -> pl.DataFrame:
    """Members that ``1``, a list, does not hold."""
    return members.filter(~pl.col("1").list.contains(pl.col("item"), nulls_equal=True))


def within(members: pl.DataFrame) -> pl.DataFrame:
    """Members that ``1``, a list, holds too."""
    return members.filter(pl.col("1").list.contains(pl.col("item"), nulls_equal=True))


def other_than(members: pl.DataFrame) -> pl.DataFrame:
    """Members that are not ``1``."""
    return members.filter(pl.col("item").ne_missing(pl.col("1")))


def last_of_each_key(members: pl.DataFrame) -> pl.DataFrame:
    """Entries of a map; of those with one key the last stays, at the place of the first."""
    key = pl.col("item").struct.field("key")
    return (
        members.with_columns(key=key)
        .with_columns(item=pl.col("item").last().over("row", "key"))
        .unique(["row", "key"], keep="first", maintain_order=True)
    )


def zipped(dtype: Dtype, keys: pl.Expr, values: pl.Expr) -> pl.Expr:
    """A map of keys and values, which are lists of one length.

    Raises:
        EvaluationError: DIFFERENT_LENGTHS, when evaluated.
    """

    def run(series: Sequence[pl.Series]) -> pl.Series:
        frame = aligned(series).with_row_index("row")
        whole = frame.drop_nulls(["0", "1"])
        if whole.select((pl.col("0").list.len() != pl.col("1").list.len()).any()).item():
            raise failure("DIFFERENT_LENGTHS", "a map takes as many keys as values")
        members = _unfolded(whole, ["0", "1"])
        entries = members.select("row", item=pl.struct(key="item", value="1"))
        return _folded(entries, whole, len(frame), dtype)

    return pl.map_batches([keys, values], run, return_dtype=dtype)
