"""Adds the columns of a window to each row."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from sameriver.common.changes import Changes, Event
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.windows.batch import END, START
from sameriver.operators.windows.held_rows import HeldRows
from sameriver.operators.windows.operator import WindowOperator
from sameriver.operators.windows.output import Output, spread
from sameriver.operators.windows.slicing import Slicing
from sameriver.operators.windows.time import WindowTime
from sameriver.plan.physical.window_table import WindowTable
from sameriver.plan.window import WindowKind


def window_table(node: WindowTable, context: OperatorContext) -> Operator:
    """The operator: SESSION has to wait for a session to close, the others know at once."""
    if node.window.kind is WindowKind.SESSION:
        return _session_table(node, context)
    return WindowTableOperator(node, context)


def _session_table(node: WindowTable, context: OperatorContext) -> Operator:
    time, held = WindowTime(node.window, context), HeldRows(node)
    context.store.register(held)
    output = Output(node.schema, node.properties(), time, context.clock)
    return WindowOperator(context, held, time, output)


class WindowTableOperator(Operator):
    """Repeats a row once for each window that holds it; late rows pass."""

    splits = True

    def __init__(self, node: WindowTable, context: OperatorContext) -> None:
        super().__init__(context)
        self._slicing = Slicing.of(node.window)
        self._time = WindowTime(node.window, context)
        self._output = Output(node.schema, node.properties(), self._time, context.clock)

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        batch = self._time.batch(changes, self.watermark)
        positions, ends = self._slicing.assign(batch.times)
        copies = batch.changes.gather(pl.Series(positions))
        window = (pl.Series(START, self._slicing.starts(ends)), pl.Series(END, ends))
        rows = self._output.rows(copies.rows.with_columns(window))
        if changes.watermarks is None:
            yield Changes(rows, copies.kinds)
            return
        yield from spread(rows, copies.kinds, positions, self.watermark, changes.watermarks)
        self.watermark = changes.watermarks[-1]
