"""Literal rows."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.time import Clock
from sameriver.common.types import to_polars
from sameriver.functions.failure import Dtype, evaluating
from sameriver.operators.blame import blaming
from sameriver.operators.compile import compile_expression, with_clock
from sameriver.plan.expressions import Expression
from sameriver.plan.physical.values import Values


def values_rows(node: Values, zone: ZoneInfo, clock: Clock) -> pl.DataFrame:
    """The rows of ``node``, computed once.

    Raises:
        ExternalError: EVALUATION_FAILED.
    """
    details = "; ".join(f"{name}: {text}" for name, text in node.details())
    with evaluating("'Values'", details):
        return _rows(node, zone, clock)


def _rows(node: Values, zone: ZoneInfo, clock: Clock) -> pl.DataFrame:
    base = with_clock(pl.DataFrame(height=1), clock.now())
    columns = []
    for position, field in enumerate(node.schema):
        dtype = to_polars(field.type)
        cells = [_cell(base, row[position], dtype, zone) for row in node.rows]
        column = pl.concat(cells) if cells else pl.Series(dtype=dtype)
        columns.append(column.alias(field.name))
    return pl.DataFrame(columns, height=len(node.rows))


def _cell(base: pl.DataFrame, expression: Expression, dtype: Dtype, zone: ZoneInfo) -> pl.Series:
    with blaming(base, [expression], zone):
        value = base.select(compile_expression(expression, zone).cast(dtype))
    return value.to_series().alias("")
