"""Table functions: rows for a row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event, keep
from sameriver.operators.blame import blaming
from sameriver.operators.compile import compile_expression, uses_clock, with_clock
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.correlate import Correlate


class CorrelateOperator(Operator):
    """Calls the function once a batch; every row it gives has the change kind of its row."""

    splits = True

    def __init__(self, node: Correlate, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        self._types = node.added.to_polars()
        self._args = [
            compile_expression(arg, context.zone).alias(f"${place}")
            for place, arg in enumerate(node.args)
        ]
        self._uses_clock = any(uses_clock(arg) for arg in node.args)

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        if not len(changes):
            return
        args = self._arguments(changes.rows)
        types = [arg.type for arg in self._node.args]
        expanded = self._node.function.expand(args, types, len(changes))
        added = expanded.rows
        added = pl.DataFrame(
            [
                column.alias(name).cast(dtype)
                for column, (name, dtype) in zip(added, self._types.items(), strict=True)
            ]
        )
        counts = expanded.counts
        if self._node.outer:
            counts = np.maximum(counts, 1)
            added = _padded(added, expanded.counts)
        for event in keep(changes, pl.Series(counts > 0)):
            if isinstance(event, Changes):
                places = np.repeat(np.arange(len(event)), counts[counts > 0])
                repeated = event.gather(pl.Series(places))
                yield repeated.with_rows(repeated.rows.hstack(added))
            else:
                yield event

    def _arguments(self, rows: pl.DataFrame) -> list[pl.Series]:
        if self._uses_clock:
            rows = with_clock(rows, self.context.clock.now(), self.watermark)
        with blaming(rows, self._node.args, self.context.zone):
            computed = rows.with_columns(self._args)
        return [computed.get_column(f"${place}") for place in range(len(self._args))]


def _padded(rows: pl.DataFrame, counts: np.ndarray) -> pl.DataFrame:
    """The rows with one of NULLs for each count of 0."""
    if counts.all():
        return rows
    often = np.maximum(counts, 1)
    empty = np.repeat(counts == 0, often)
    places = pl.Series(np.cumsum(~empty) - 1)
    frame = pl.DataFrame([places.alias("place"), pl.Series("empty", empty)])
    places = frame.select(pl.when(~pl.col("empty")).then("place")).to_series()
    return rows.select(pl.all().gather(places)) if rows.height else rows.clear(len(places))
