"""The table that a changelog adds up to."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.errors import InternalError
from sameriver.common.schema import Schema

_SIGN = "$sign"
_FOLD = 1_000_000
"""Changes held before they are added up."""


def materialize(batches: Iterable[Changes], schema: Schema) -> pl.DataFrame:
    """The rows left after all changes: a multiset, in order of arrival.

    Raises:
        InternalError: WRONG_RETRACTION: a row is taken back that is not there.
    """
    table = schema.empty().with_columns(pl.lit(1, pl.Int64).alias(_SIGN))
    held: list[pl.DataFrame] = []
    count = 0
    for changes in batches:
        signs = changes.signs()
        held.append(
            changes.rows.with_columns(
                (pl.lit(1) if signs is None else signs).cast(pl.Int64).alias(_SIGN)
            )
        )
        count += len(changes)
        if count > max(_FOLD, table.height):
            table, held, count = _add_up([table, *held]), [], 0
    return _add_up([table, *held]).drop(_SIGN)


def _add_up(parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Rows with sign +1 that no later row takes back; of equal rows the last ones stay."""
    rows = pl.concat(parts)
    if not (rows.get_column(_SIGN) < 0).any():
        return rows
    row = [name for name in rows.columns if name != _SIGN]
    sign = pl.col(_SIGN)
    added = (sign > 0).cast(pl.Int64)
    rows = rows.with_columns(
        sign.sum().over(row).alias("$left"),
        sign.cum_sum().over(row).alias("$so far"),
        added.cum_sum(reverse=True).over(row).alias("$from the end"),
    )
    if (rows.get_column("$so far") < 0).any():
        wrong = rows.filter(pl.col("$so far") < 0).select(row).row(0)
        raise InternalError("WRONG_RETRACTION", f"the row {wrong} is taken back but is not there")
    left = (sign > 0) & (pl.col("$from the end") <= pl.col("$left"))
    return rows.filter(left).select(*row, _SIGN)
