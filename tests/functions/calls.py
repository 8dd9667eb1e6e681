"""Calls built by hand, typed as the binder types them, and evaluated."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from zoneinfo import ZoneInfo

import polars as pl

from sameriver import functions
from sameriver.common import types as t
from sameriver.common.types import DataType, to_polars
from sameriver.functions.signature import UNKNOWN, Operand
from sameriver.operators.compile import NOW, compile_expression
from sameriver.plan.expressions import Call, Column, Expression, Literal

CLOCK = dt.datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=dt.UTC)
UTC = ZoneInfo("UTC")


def lit(value: object, type: DataType | None = None) -> Literal:
    return Literal(value, _type(value) if type is None else type)


def _type(value: object) -> DataType:
    match value:
        case None:
            return t.NULL
        case bool():
            return t.BOOLEAN.not_null
        case int():
            return t.INT.not_null
        case float():
            return t.DOUBLE.not_null
        case Decimal():
            _, digits, exponent = value.as_tuple()
            scale = -int(exponent)
            return t.decimal(max(len(digits), scale), scale).not_null
        case str():
            return t.char(max(1, len(value))).not_null
        case bytes():
            return t.binary(max(1, len(value))).not_null
        case dt.datetime():
            type = t.timestamp(3) if value.tzinfo is None else t.timestamp_ltz(3)
            return type.not_null
        case dt.date():
            return t.DATE.not_null
        case dt.time():
            return t.time(0).not_null
        case dt.timedelta():
            return t.INTERVAL_DAY_TIME.not_null
    raise AssertionError(value)


def call(name: str, *args: object) -> Call:
    """The call with its implicit casts, as the binder makes it."""
    function = functions.scalar(name)
    assert function is not None, name
    expressions = [a if isinstance(a, Column | Literal | Call) else lit(a) for a in args]
    resolved = function.infer([operand(e) for e in expressions])
    cast = tuple(
        coerced(e, parameter) for e, parameter in zip(expressions, resolved.parameters, strict=True)
    )
    return Call(function.name, cast, resolved.result)


def operand(expression: Expression) -> Operand:
    return Operand(
        expression.type, expression.value if isinstance(expression, Literal) else UNKNOWN
    )


def coerced(expression: Expression, to: DataType) -> Expression:
    if expression.type.plain.with_nullable(True) == to.with_nullable(True):
        return expression
    return Call("CAST", (expression,), to)


def cast(value: object, to: DataType, *, attempt: bool = False) -> Call:
    inner = value if isinstance(value, Column | Literal | Call) else lit(value)
    nullable = inner.type.nullable or attempt
    return Call("TRY_CAST" if attempt else "CAST", (inner,), to.with_nullable(nullable))


def evaluate(expression: Expression, zone: ZoneInfo = UTC) -> object:
    """The value of an expression without columns; checks its type."""
    frame = pl.DataFrame({NOW: [CLOCK]}, schema={NOW: pl.Datetime("ms", "UTC")})
    result = frame.select(compile_expression(expression, zone).alias("x"), pl.col(NOW))["x"]
    assert result.dtype == to_polars(expression.type), (result.dtype, expression.type)
    value: object = result.to_list()[0]
    return value


def over_rows(expression: Expression, zone: ZoneInfo = UTC) -> object:
    """The same value, computed over columns of which every second row is NULL."""
    columns: dict[str, pl.Series] = {}
    with_columns = lifted(expression, columns)
    if not columns:
        return evaluate(expression, zone)
    clock = pl.Series([CLOCK] * 4, dtype=pl.Datetime("ms", "UTC"))
    frame = pl.DataFrame({**columns, NOW: clock})
    result = frame.select(compile_expression(with_columns, zone).alias("x"), pl.col(NOW))["x"]
    assert result.dtype == to_polars(expression.type), (result.dtype, expression.type)
    values: list[object] = result.to_list()
    assert str(values[0]) == str(values[2]), values
    return values[0]


_LEADING_WORD = ("EXTRACT", "TIMESTAMPADD", "TIMESTAMPDIFF", "TRIM", "JSON_OBJECT", "JSON_ARRAY")


def lifted(expression: Expression, columns: dict[str, pl.Series]) -> Expression:
    """The first argument that is data becomes a column; units and patterns stay."""
    if isinstance(expression, Call) and expression.args:
        place = 1 if expression.function in _LEADING_WORD else 0
        place += expression.function == "JSON_OBJECT"
        args = list(expression.args)
        if place >= len(args):
            return expression
        args[place] = lifted(args[place], columns)
        return replace(expression, args=tuple(args))
    if isinstance(expression, Literal) and expression.type.root is not t.Root.NULL:
        name = f"c{len(columns)}"
        held = pl.select(compile_expression(expression, UTC)).to_series()
        columns[name] = pl.concat([held, held.clear(1)] * 2)
        return Column(name, expression.type.with_nullable(True))
    return expression
