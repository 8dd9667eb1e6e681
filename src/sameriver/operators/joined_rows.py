"""Rows of two sides put together, padded, and tested by the condition of a join."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.common.schema import Schema
from sameriver.operators.blame import blaming
from sameriver.operators.compile import compile_expression, uses_clock, with_clock
from sameriver.operators.operator import OperatorContext
from sameriver.plan.expressions import Expression
from sameriver.state.timed_rows import Mask


class JoinedRows:
    """Builds rows of ``schema`` from those of two sides that have no column name in common."""

    def __init__(
        self,
        sides: tuple[Schema, Schema],
        schema: Schema,
        condition: Expression | None,
        context: OperatorContext,
    ) -> None:
        self._sides = sides
        self._types = schema.to_polars()
        self._names = schema.names
        self._clock, self._zone = context.clock, context.zone
        self._condition = [] if condition is None else [condition]
        self._test = None if condition is None else compile_expression(condition, context.zone)
        self._uses_clock = condition is not None and uses_clock(condition)

    def holds(self, left: pl.DataFrame, right: pl.DataFrame) -> Mask:
        """Which pairs (row by row of two frames) meet the condition."""
        if self._test is None or not left.height:
            return np.ones(left.height, np.bool_)
        both = self._both(left, right)
        if self._uses_clock:
            both = with_clock(both, self._clock.now())
        with blaming(both, self._condition, self._zone):
            mask = both.with_columns(self._test.alias("$holds"))["$holds"]
        return mask.fill_null(False).to_numpy().astype(np.bool_)

    def pair(self, left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
        """Rows of the schema from rows of both sides."""
        return self._typed(self._both(left, right))

    def pad(self, rows: pl.DataFrame, port: int) -> pl.DataFrame:
        """Rows of one side without a partner."""
        missing = self._sides[1 - port]
        nulls = [pl.lit(None, dtype).alias(name) for name, dtype in missing.to_polars().items()]
        return self._typed(rows.select(self._sides[port].names).with_columns(nulls))

    def _both(self, left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
        own, other = self._sides
        return pl.concat([left.select(own.names), right.select(other.names)], how="horizontal")

    def _typed(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.select(pl.col(name).cast(self._types[name]) for name in self._names)


def not_null(rows: pl.DataFrame, strict: Sequence[str]) -> Mask | None:
    """Which rows have no NULL in these columns; None: all."""
    if not any(rows[name].null_count() for name in strict):
        return None
    mask = rows.select(pl.all_horizontal(pl.col(name).is_not_null() for name in strict))
    return mask.to_series().to_numpy().astype(np.bool_)


def in_order(frames: Sequence[pl.DataFrame], places: Sequence[np.ndarray]) -> pl.DataFrame:
    """Rows of several frames by place; of equal places those of the first frame come first."""
    if len(frames) == 1:
        return frames[0]
    order = np.argsort(np.concatenate(list(places)), kind="stable")
    return pl.concat(list(frames), rechunk=True)[pl.Series(order)]


def held_schema(schema: Schema, extras: dict[str, pl.DataType]) -> pl.Schema:
    """Columns of the rows that a side holds."""
    return pl.Schema({**schema.to_polars(), **extras})
