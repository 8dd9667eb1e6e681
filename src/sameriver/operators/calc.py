"""Filters and projects a batch: at most one filter and one projection."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from sameriver.common.changes import Changes, Event, keep
from sameriver.operators.blame import blaming
from sameriver.operators.compile import compile_expression, uses_clock, with_clock
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.shared import may_recur, with_columns
from sameriver.plan.expressions import Column
from sameriver.plan.physical.calc import Calc

_MASK = "$keep"


class CalcOperator(Operator):
    """Filters keep change kinds: over updates they work change by change, as in Flink."""

    splits = True

    def __init__(self, node: Calc, context: OperatorContext) -> None:
        super().__init__(context)
        types = node.schema.to_polars()
        self._names = list(node.schema.names)
        self._identity = all(
            isinstance(column.expression, Column) and column.expression.name == column.name
            for column in node.columns
        )
        self._columns = [
            compile_expression(column.expression, context.zone)
            .cast(types[column.name])
            .alias(column.name)
            for column in node.columns
        ]
        self._read = {name for column in self._columns for name in column.meta.root_names()}
        condition = node.condition
        self._condition = (
            None if condition is None else compile_expression(condition, context.zone).alias(_MASK)
        )
        self._projected = [column.expression for column in node.columns]
        self._tested = [] if condition is None else [condition]
        self._projects_once = may_recur(self._projected)
        self._tests_once = may_recur(self._tested)
        self._uses_clock = any(map(uses_clock, [*self._projected, *self._tested]))

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        if self._uses_clock:
            now = self.context.clock.now()
            changes = changes.with_rows(with_clock(changes.rows, now, self._before(changes)))
        if self._condition is None:
            yield changes.with_rows(self._project(changes.rows))
            return
        with blaming(changes.rows, self._tested, self.context.zone):
            tested = with_columns(changes.rows, [self._condition], once=self._tests_once)
            mask = tested.get_column(_MASK)
        for event in keep(changes.with_rows(self._needed(changes.rows)), mask):
            if isinstance(event, Changes):
                yield event.with_rows(self._project(event.rows))
            else:
                yield event

    def _needed(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The columns that the projection reads: filtering others would be for nothing."""
        needed = [name for name in rows.columns if name in self._read]
        return rows.select(needed) if needed else rows

    def _project(self, rows: pl.DataFrame) -> pl.DataFrame:
        if not self._names:
            return pl.DataFrame(height=rows.height)
        if self._identity:
            return rows.select(self._names)
        # with_columns repeats literals for each row, also where no other column is selected.
        with blaming(rows, self._projected, self.context.zone):
            made = with_columns(rows, self._columns, once=self._projects_once)
            return made.select(self._names)

    def _before(self, changes: Changes) -> int | pl.Series:
        """The watermark in force at each row; that of the column is in force after it."""
        if changes.watermarks is None:
            return self.watermark
        return changes.watermarks.shift(1, fill_value=self.watermark)
