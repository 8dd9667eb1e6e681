"""Makes upserts of a changelog that tells its rows apart by the key of a sink."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from sameriver.common.changes import ChangeKind, Changes, Event, keep
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.drop_update_before import DropUpdateBefore

_ADDS = (ChangeKind.INSERT, ChangeKind.UPDATE_AFTER)


class DropUpdateBeforeOperator(Operator):
    """Drops -U where the next row of its key is added; any other -U becomes -D.

    A filter below may have kept the -U of an update alone: that row is gone.
    """

    splits = True

    def __init__(self, node: DropUpdateBefore, context: OperatorContext) -> None:
        super().__init__(context)
        self._keys = list(node.keys)
        same = [pl.col(key).eq_missing(pl.col(key).shift(-1)) for key in node.keys]
        self._same = pl.all_horizontal(same).alias("same")

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        kinds = changes.kinds
        before = None if kinds is None else kinds == ChangeKind.UPDATE_BEFORE
        if kinds is None or before is None or not before.any():
            yield changes
            return
        replaced = before & self._replaced(changes.rows, kinds, before)
        shown = kinds.set(before, ChangeKind.DELETE)
        yield from keep(Changes(changes.rows, shown, changes.watermarks), ~replaced)

    def _replaced(self, rows: pl.DataFrame, kinds: pl.Series, before: pl.Series) -> pl.Series:
        """Whether the next row of the key is added, for those of ``before``."""
        adds = kinds.is_in(_ADDS)
        follows = adds.shift(-1, fill_value=False) & rows.select(self._same).to_series()
        if (follows | ~before).all():
            return follows
        keyed = rows.select(self._keys).with_columns(adds.alias("$adds"))
        following = pl.col("$adds").shift(-1, fill_value=False).over(self._keys)
        return keyed.select(following).to_series()
