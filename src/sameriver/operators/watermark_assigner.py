"""Computes watermarks from rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event, Watermark
from sameriver.common.errors import ExternalError, InternalError
from sameriver.operators.blame import blaming, rows_text
from sameriver.operators.compile import compile_expression, uses_clock, with_clock
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.expressions import Column, place
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner

_TICKS = {"ms": 1, "us": 1_000, "ns": 1_000_000}


def watermark_assigner(node: WatermarkAssigner, context: OperatorContext) -> Operator:
    """The operator: with an expression it makes watermarks, else it passes the source's on."""
    if node.expression is None:
        return SourceWatermarkOperator(node, context)
    return WatermarkAssignerOperator(node, context)


class SourceWatermarkOperator(Operator):
    """SOURCE_WATERMARK(): the source's own watermarks go through."""

    splits = True

    def __init__(self, node: WatermarkAssigner, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        check_event_time(self._node, changes.rows)
        yield changes


class WatermarkAssignerOperator(Operator):
    """The watermark is the highest value so far, floored to a millisecond; NULL is no watermark.

    With ``on_event`` each row moves it that lifts it by more than
    ``pipeline.auto-watermark-interval``, which is how Flink holds back small steps.
    """

    assigns = True

    def __init__(self, node: WatermarkAssigner, context: OperatorContext) -> None:
        super().__init__(context)
        if node.expression is None:
            raise InternalError("NO_WATERMARK", "a watermark assigner needs an expression")
        self._node = node
        self._written = [node.expression]
        self._expression = compile_expression(node.expression, context.zone)
        self._uses_clock = uses_clock(node.expression)
        interval = context.config.duration("pipeline.auto-watermark-interval")
        self._interval = int(interval.total_seconds() * 1000)

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        check_event_time(self._node, changes.rows)
        ticks, unit = self._ticks(changes.rows)
        if not self._node.on_event:
            yield changes
            highest = ticks.max()
            if isinstance(highest, int) and highest // unit > self.watermark:
                self.watermark = highest // unit
                yield Watermark(self.watermark)
            return
        after = self._steps(ticks // unit)
        self.watermark = int(after[-1])
        yield Changes(changes.rows, changes.kinds, pl.Series(after))

    def _ticks(self, rows: pl.DataFrame) -> tuple[pl.Series, int]:
        """The expression, a whole number each row, and how many of these are a millisecond."""
        if self._uses_clock:
            rows = with_clock(rows, self.context.clock.now())
        with blaming(rows, self._written, self.context.zone):
            values = self._evaluated(rows)
        unit = getattr(values.dtype, "time_unit", "ms")
        return values.cast(pl.Int64), _TICKS[unit]

    def _evaluated(self, rows: pl.DataFrame) -> pl.Series:
        expression = self._node.expression
        if isinstance(expression, Column):
            return rows.get_column(expression.name)
        return rows.with_columns_seq(self._expression.alias("$time")).get_column("$time")

    def _steps(self, times: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The watermark after each row."""
        highest = np.maximum.accumulate(times.fill_null(self.watermark).to_numpy())
        highest = np.maximum(highest, self.watermark)
        if self._interval == 0:
            return highest
        starts, steps = [0], [self.watermark]
        # One search a step taken: rows that lift the watermark too little are skipped over.
        while True:
            start = int(np.searchsorted(highest, steps[-1] + self._interval, side="right"))
            if start == len(highest):
                break
            starts.append(start)
            steps.append(int(highest[start]))
        lengths = np.diff([*starts, len(highest)])
        return np.repeat(np.array(steps, np.int64), lengths)


def check_event_time(node: WatermarkAssigner, rows: pl.DataFrame) -> None:
    """Refuses rows without an event time.

    Raises:
        ExternalError: NULL_EVENT_TIME.
    """
    times = rows.get_column(node.column)
    if times.null_count():
        shown = rows_text(rows.filter(times.is_null()), rows.columns)
        raise ExternalError(
            "NULL_EVENT_TIME",
            f"a row of table '{_table(node)}' has NULL in its event time column '{node.column}'",
            position=None if node.expression is None else place(node.expression),
            hint=f"{shown}Mend the input, declare '{node.column}' as a computed column that is"
            " never NULL such as COALESCE(...), or move WATERMARK to another column.",
        )


def _table(node: PhysicalNode) -> str:
    while node.inputs:
        node = node.inputs[0]
    return node.table.name if isinstance(node, Scan) else "?"
