"""Top-N and deduplication per window."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.ranking import ranked
from sameriver.operators.windows.time import WindowTime
from sameriver.plan.physical.window_top_n import WindowTopN
from sameriver.state.index import KeyIndex
from sameriver.state.time_buffer import TimeBuffer, milliseconds


class WindowTopNOperator(Operator):
    """Holds the rows of each window until the watermark passes its end, and gives those in the
    range. A row of a window that has ended is late."""

    def __init__(self, node: WindowTopN, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        schema = node.input.schema.to_polars()
        self._held = TimeBuffer(node.state()[0], schema, node.ends)
        self._time = WindowTime(node.window, context)
        self._keys = pl.Schema({key: schema[key] for key in node.partition})
        context.store.register(self._held)

    def process(self, port: int, changes: Changes) -> Iterable[Changes]:
        rows = changes.rows
        ends = milliseconds(rows[self._node.ends])
        due = ends > self._time.progress(self.watermark)
        if not due.all():
            self.context.counters["late_rows"] += int(len(due) - due.sum())
            rows, ends = rows.filter(pl.Series(due)), ends[due]
        self._held.add(rows, ends)
        return ()

    def on_watermark(self) -> Iterable[Changes]:
        rows, ends = self._held.take(self._time.progress(self.watermark))
        if not rows.height:
            return
        if self._node.latest:
            rows, ends = rows.reverse(), ends[::-1]
        groups = KeyIndex(self._keys).find_or_insert(rows.select(self._keys.names()))
        numbers, ranks = ranked(rows, groups, self._node.order, self._node.function)
        chosen = (ranks >= self._node.start) & (ranks <= self._node.end)
        numbers, ranks = numbers[chosen], ranks[chosen]
        order = np.argsort(ends[numbers], kind="stable")
        shown = rows[pl.Series(numbers[order])]
        if self._node.rank is not None:
            shown = shown.with_columns(pl.Series(self._node.rank, ranks[order]))
        if shown.height:
            yield Changes(shown)
