"""Makes upserts of a changelog that tells its rows apart by the key of a sink."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from sameriver.common.changes import ChangeKind, Changes, Event, keep
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.drop_update_before import DropUpdateBefore


class DropUpdateBeforeOperator(Operator):
    """Drops -U where the next row is +U of the same key; any other -U becomes -D.

    A filter below may have kept the -U of an update alone: that row is gone.
    """

    splits = True

    def __init__(self, node: DropUpdateBefore, context: OperatorContext) -> None:
        super().__init__(context)
        same = [pl.col(key).eq_missing(pl.col(key).shift(-1)) for key in node.keys]
        self._same = pl.all_horizontal(same)

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        kinds = changes.kinds
        before = None if kinds is None else kinds == ChangeKind.UPDATE_BEFORE
        if kinds is None or before is None or not before.any():
            yield changes
            return
        follows = (kinds.shift(-1) == ChangeKind.UPDATE_AFTER).fill_null(False)
        same = changes.rows.select(self._same.alias("same")).to_series()
        shown = kinds.set(before, ChangeKind.DELETE)
        yield from keep(
            Changes(changes.rows, shown, changes.watermarks), ~(before & follows & same)
        )
