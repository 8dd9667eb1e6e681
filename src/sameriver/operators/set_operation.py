"""INTERSECT and EXCEPT."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import KINDS, ChangeKind, Changes
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.set_operation import SetOperation
from sameriver.state.kernels import set_operation as kernels
from sameriver.state.kernels.types import Ints
from sameriver.state.side_counts import SideCounts

_KINDS = {
    ("INTERSECT", False): kernels.INTERSECT,
    ("EXCEPT", False): kernels.EXCEPT,
    ("INTERSECT", True): kernels.INTERSECT_ALL,
    ("EXCEPT", True): kernels.EXCEPT_ALL,
}


class SetOperationOperator(Operator):
    """Counts each row on both sides; rows are equal as in GROUP BY, NULLs included.

    Without ALL a row comes and goes with +I and -D. With ALL, record by record, each change takes
    back all copies of a row and gives them anew, as Flink does; folded, a batch gives only the
    copies that are more or less than before.
    """

    def __init__(self, node: SetOperation, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        self._kind = _KINDS[node.kind, node.all]
        (table,) = node.state()
        self._counts = SideCounts(table)
        context.store.register(self._counts)

    def process(self, port: int, changes: Changes) -> Iterator[Changes]:
        if not len(changes):
            return
        now = self.context.clock.now()
        names = self._node.schema.names
        rows = changes.rows.rename(dict(zip(changes.rows.columns, names, strict=True)))
        slots = self._counts.slots(rows, now)
        signs = changes.signs()
        steps = np.ones(len(slots), np.int8) if signs is None else signs.to_numpy().astype(np.int8)
        folded = self._folded if self._node.folded else self._row_by_row
        places, kinds = folded(port, slots, steps, now)
        self._counts.free(slots, now)
        if len(places):
            shown = pl.Series(kinds, dtype=KINDS) if kinds.any() else None
            yield Changes(rows[pl.Series(places)], shown)

    def _folded(
        self, port: int, slots: Ints, signs: np.ndarray, now: int
    ) -> tuple[Ints, np.ndarray]:
        """Each row of the batch once, as often as it is more or less."""
        first = pl.Series(slots).arg_unique().to_numpy().astype(np.int64)
        touched = slots[first]
        before = self._counts.copies(touched, self._kind)
        self._counts.count(slots, signs, port, self._kind, now)
        more = self._counts.copies(touched, self._kind) - before
        kinds = np.where(more < 0, ChangeKind.DELETE, ChangeKind.INSERT).astype(np.uint8)
        often = np.abs(more)
        return np.repeat(first, often), np.repeat(kinds, often)

    def _row_by_row(
        self, port: int, slots: Ints, signs: np.ndarray, now: int
    ) -> tuple[Ints, np.ndarray]:
        """For each row what was there, then what is."""
        old, new, flags = self._counts.count(slots, signs, port, self._kind, now)
        if self._node.all:
            gone, fresh = flags == kernels.GONE, flags == kernels.FRESH
            back = np.where(gone, ChangeKind.DELETE, ChangeKind.UPDATE_BEFORE)
            there = np.where(fresh, ChangeKind.INSERT, ChangeKind.UPDATE_AFTER)
        else:
            same = old == new
            old, new = np.where(same, 0, old), np.where(same, 0, new)
            back = np.full(len(slots), ChangeKind.DELETE)
            there = np.full(len(slots), ChangeKind.INSERT)
        kinds = np.column_stack([back, there]).astype(np.uint8).ravel()
        often = np.column_stack([old, new]).ravel()
        places = np.repeat(np.arange(2 * len(slots)) // 2, often)
        return places, np.repeat(kinds, often)
