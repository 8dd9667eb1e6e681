"""Functions that users write in Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.types import DataType, to_polars
from sameriver.functions.coercion import implicit_cast_allowed
from sameriver.functions.distinct import in_full
from sameriver.functions.failure import EvaluationError, failure
from sameriver.functions.python_digest import source_digest
from sameriver.functions.python_values import BAD_VALUE, to_column, to_values
from sameriver.functions.signature import (
    Evaluation,
    Expanded,
    Operand,
    Resolved,
    ScalarFunction,
    TableFunction,
    TableResolved,
)

_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PythonFunction:
    """A Python function with its SQL types; it can be called like the one it wraps.

    Attributes:
        name: what it is called where it is registered without a name.
        call: the function.
        inputs: types of the parameters; None: whatever it is called with.
        result: type of the result of a scalar function or aggregate; None for table functions.
        columns: names and types of the columns of a table function; None for scalar functions.
        vectorised: takes and gives Polars Series instead of values.
        deterministic: whether the same arguments always give the same result.
        aggregate: what accumulates, for aggregates; ``call`` then is its ``accumulate``, which
            takes the accumulator first.
    """

    name: str
    call: Callable[..., Any]
    inputs: tuple[DataType, ...] | None
    result: DataType | None = None
    columns: tuple[tuple[str, DataType], ...] | None = None
    vectorised: bool = False
    deterministic: bool = True
    aggregate: Any = None

    @property
    def digest(self) -> str:
        """Of its source and types; functions that it calls are not part of it."""
        return source_digest(
            type(self.aggregate) if self.aggregate is not None else self.call,
            (self.inputs, self.result, self.columns, self.vectorised),
        )

    def __call__(self, *args: Any) -> Any:
        return self.call(*args)


@lru_cache
def scalar_function(name: str, function: PythonFunction) -> ScalarFunction:
    """A scalar function under the name that SQL calls it by; equal for equal arguments."""
    result = function.result
    assert result is not None

    def infer(operands: Sequence[Operand]) -> Resolved:
        return Resolved(taken_by(name, function, operands), result)

    return ScalarFunction(
        name=name,
        infer=infer,
        kernel=lambda evaluation, args: _kernel(name, function, evaluation, args),
        deterministic=function.deterministic,
        fallible=True,
        digest=function.digest,
    )


@lru_cache
def table_function(name: str, function: PythonFunction) -> TableFunction:
    """A table function under the name that SQL calls it by."""
    columns = function.columns
    assert columns is not None

    def infer(operands: Sequence[Operand]) -> TableResolved:
        return TableResolved(taken_by(name, function, operands), columns)

    return TableFunction(
        name=name,
        infer=infer,
        expand=lambda args, types, height: _expand(name, function, args, types, height),
        deterministic=function.deterministic,
        digest=function.digest,
    )


def taken_by(
    name: str, function: PythonFunction, operands: Sequence[Operand]
) -> tuple[DataType, ...]:
    """What the arguments of a call are cast to.

    Raises:
        UserError: WRONG_ARGUMENTS.
    """
    given = [operand.type for operand in operands]
    if function.inputs is None:
        if _takes(function.call, len(given) + (function.aggregate is not None)):
            return tuple(type.plain for type in given)
        takes = str(inspect.signature(function.call))
    else:
        pairs = list(zip(given, function.inputs, strict=False))
        fits = len(given) == len(function.inputs)
        if fits and all(_goes(source, target) for source, target in pairs):
            return tuple(target.with_nullable(source.nullable) for source, target in pairs)
        takes = f"({', '.join(type.name for type in function.inputs)})"
    raise UserError(
        "WRONG_ARGUMENTS",
        f"'{name}' does not take ({', '.join(type.name for type in given)})",
        hint=f"It takes {takes}; use CAST where a type differs.",
    )


def _takes(call: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(call).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _goes(source: DataType, target: DataType) -> bool:
    same = source.plain.with_nullable(True).name == target.with_nullable(True).name
    return same or implicit_cast_allowed(source, target)


def _kernel(
    name: str, function: PythonFunction, evaluation: Evaluation, args: Sequence[pl.Expr]
) -> pl.Expr:
    """The last of ``args`` tells where the value is asked for."""
    result = evaluation.result
    types = [operand.type for operand in evaluation.operands]
    extra = [] if function.deterministic else [pl.col(evaluation.now)]
    run = _vectorised if function.vectorised else _general

    def evaluate(series: Sequence[pl.Series]) -> pl.Series:
        full = in_full(series)
        asked = full[len(types)].fill_null(False)
        height = len(asked)
        columns = full[: len(types)]
        if asked.all():
            return run(name, function, columns, types, result, height)
        columns = [column.filter(asked) for column in columns]
        some = run(name, function, columns, types, result, int(asked.sum()))
        places = pl.DataFrame([asked.alias("asked"), asked.cum_sum().alias("place")])
        wanted = places.select(pl.when("asked").then(pl.col("place") - 1)).to_series()
        return some.gather(wanted) if len(some) else some.extend_constant(None, height)

    return pl.map_batches([*args, *extra], evaluate, return_dtype=to_polars(result))


def _general(
    name: str,
    function: PythonFunction,
    columns: Sequence[pl.Series],
    types: Sequence[DataType],
    result: DataType,
    height: int,
) -> pl.Series:
    """One call a row."""
    lists = [to_values(column, type) for column, type in zip(columns, types, strict=True)]
    rows = list(zip(*lists, strict=True)) if lists else [()] * height
    values = [_called(name, function, row) for row in rows]
    try:
        return to_column(values, result)
    except BAD_VALUE:
        raise _misfit(name, rows, values, result) from None


def _called(name: str, function: PythonFunction, row: Sequence[Any]) -> Any:
    try:
        return function.call(*row)
    except EvaluationError:
        raise
    except Exception as error:
        raise _failed(name, row, error) from error


def _failed(name: str, row: Sequence[Any], error: Exception) -> EvaluationError:
    return failure(
        "FUNCTION_FAILED",
        f"'{call_text(name, row)}' failed with {type(error).__name__}: {error}",
    )


def _misfit(
    name: str, rows: Sequence[Sequence[Any]], values: Sequence[Any], result: DataType
) -> EvaluationError:
    """Names the first value that is not of the declared type."""
    for row, value in zip(rows, values, strict=True):
        try:
            to_column([value], result)
        except BAD_VALUE:
            return failure(
                "BAD_RESULT",
                f"'{call_text(name, row)}' gave {_cut(repr(value))}, which is no {result.name}",
            )
    return failure("BAD_RESULT", f"'{name}' gave values that are no {result.name}")


def call_text(name: str, row: Sequence[Any]) -> str:
    return f"{name}({_cut(', '.join(repr(value) for value in row))})"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _vectorised(
    name: str,
    function: PythonFunction,
    columns: Sequence[pl.Series],
    types: Sequence[DataType],
    result: DataType,
    height: int,
) -> pl.Series:
    """One call a batch."""
    try:
        given = function.call(*columns)
    except Exception as error:
        first = [column.head(1).to_list() for column in columns]
        row = [repr(values[0]) if values else "" for values in first]
        raise failure(
            "FUNCTION_FAILED",
            f"'{name}' failed on {height} rows, the first of which is"
            f" ({_cut(', '.join(row))}), with {type(error).__name__}: {error}",
        ) from error
    if not isinstance(given, pl.Series) or len(given) != height:
        what = f"{len(given)} rows" if isinstance(given, pl.Series) else repr(type(given).__name__)
        raise failure("BAD_RESULT", f"'{name}' gave {what} for {height} rows, not a Series of them")
    try:
        return given.cast(to_polars(result), strict=True)
    except pl.exceptions.PolarsError:
        raise failure(
            "BAD_RESULT", f"'{name}' gave a Series of {given.dtype}, which is no {result.name}"
        ) from None


def _expand(
    name: str,
    function: PythonFunction,
    args: Sequence[pl.Series],
    types: Sequence[DataType],
    height: int,
) -> Expanded:
    """The rows that a table function yields, call by call."""
    columns = function.columns or ()
    lists = [to_values(column, type) for column, type in zip(args, types, strict=True)]
    rows = list(zip(*lists, strict=True)) if lists else [()] * height
    counts = np.zeros(len(rows), np.int64)
    found: list[Sequence[Any]] = []
    for place, row in enumerate(rows):
        before = len(found)
        found += _yielded(name, function, row)
        counts[place] = len(found) - before
    series = []
    for place, (column, type) in enumerate(columns):
        values = [one[place] for one in found]
        try:
            series.append(to_column(values, type).alias(column))
        except BAD_VALUE:
            owners = [rows[owner] for owner in np.repeat(np.arange(len(rows)), counts)]
            raise _misfit(name, owners, values, type) from None
    return Expanded(counts, pl.DataFrame(series))


def _yielded(name: str, function: PythonFunction, row: Sequence[Any]) -> list[Sequence[Any]]:
    """The rows of one call."""
    columns = function.columns or ()
    try:
        given = function.call(*row)
        if given is None:
            return []
        several = isinstance(given, Iterable) and not isinstance(given, str | bytes)
        rows = [_row(one, columns) for one in (given if several else [given])]
    except EvaluationError:
        raise
    except Exception as error:
        raise _failed(name, row, error) from error
    for one in rows:
        if len(one) != len(columns):
            raise failure(
                "BAD_RESULT",
                f"'{call_text(name, row)}' gave the row {_cut(repr(one))}; its result has"
                f" {len(columns)} columns",
            )
    return rows


def _row(value: Any, columns: Sequence[tuple[str, DataType]]) -> Sequence[Any]:
    """A row is a tuple, list or dict, or the value of a single column."""
    if len(columns) == 1 and columns[0][1].children:
        return [value]
    if isinstance(value, dict):
        return [value[column] for column, _ in columns]
    return value if isinstance(value, tuple | list) else [value]
