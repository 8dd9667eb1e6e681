"""How each aggregate function runs; one accumulator a call."""

from __future__ import annotations

import polars as pl

from sameriver.common.types import to_polars
from sameriver.operators.accumulators.accumulator import Accumulator
from sameriver.operators.accumulators.holders import holder
from sameriver.operators.accumulators.lists import Collect, GrowingList, RetractingList
from sameriver.operators.accumulators.python import PythonHolder
from sameriver.operators.accumulators.retracting import End, Extreme
from sameriver.operators.accumulators.totals import Count, Moments, Sum
from sameriver.plan.expressions import AggregateCall, Literal
from sameriver.plan.physical.aggregate_state import (
    ENDS,
    EXTREMES,
    LISTS,
    MOMENTS,
    sum_is_counted,
    value_arguments,
)


def accumulator(call: AggregateCall, at: int, *, retract: bool) -> Accumulator:
    """The accumulator of a call, its words from ``at`` on."""
    function = call.function
    if call.definition is not None:
        return PythonHolder(at, call, call.definition, retract=retract)
    if function == "COUNT":
        return Count(at)
    argument = call.args[0].type
    if function in ("SUM", "AVG"):
        mean = function == "AVG"
        counted = sum_is_counted(call, retract)
        return Sum(at, argument, call.type, mean=mean, counted=counted)
    if function in MOMENTS:
        return Moments(at, function, call.type)
    schema = value_schema(call)
    if function == "COLLECT":
        return Collect(at, schema)
    if function in LISTS:
        separator = _separator(call) if function == "LISTAGG" else None
        if retract:
            return RetractingList(at, schema, separator)
        return GrowingList(
            at, pl.DataFrame(schema={"v": to_polars(call.type)}).dtypes[0], separator
        )
    if not retract:
        return holder(at, function, schema.dtypes()[0])
    if function in EXTREMES:
        return Extreme(at, function, schema)
    if function in ENDS:
        return End(at, function, schema)
    raise AssertionError(function)


def value_schema(call: AggregateCall) -> pl.Schema:
    """Columns ``v0``, ``v1``, ... of a call's values."""
    return pl.Schema({f"v{i}": to_polars(arg.type) for i, arg in enumerate(value_arguments(call))})


def _separator(call: AggregateCall) -> str:
    if len(call.args) < 2:
        return ","
    separator = call.args[1]
    if isinstance(separator, Literal) and isinstance(separator.value, str):
        return separator.value
    raise AssertionError("LISTAGG's separator is a literal")
