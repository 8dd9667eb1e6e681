"""LIMIT and OFFSET without an order."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from sameriver.common.changes import Changes, Event, keep
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.limit import Limit
from sameriver.state.scalar import Scalar


class LimitOperator(Operator):
    """Counts rows and lets those in the range pass."""

    splits = True

    def __init__(self, node: Limit, context: OperatorContext) -> None:
        super().__init__(context)
        self._first, self._end = node.offset, node.offset + node.limit
        self._count = Scalar(node.state()[0])
        context.store.register(self._count)

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        seen = self._count.value or 0
        place = pl.int_range(seen, seen + len(changes), eager=True)
        self._count.value = min(seen + len(changes), self._end)
        yield from keep(changes, (place >= self._first) & (place < self._end))
