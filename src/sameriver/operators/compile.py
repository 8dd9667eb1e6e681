"""Expressions -> Polars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from sameriver import functions
from sameriver.common.changes import MIN_WATERMARK
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import InternalError, SameriverError
from sameriver.common.types import INTEGERS, Root, to_polars
from sameriver.functions.failure import evaluating
from sameriver.functions.signature import UNKNOWN, WATERMARK, Evaluation, Operand, ScalarFunction
from sameriver.functions.staged import staged
from sameriver.plan.determinism import deterministic
from sameriver.plan.expressions import Call, Column, Expression, Literal, columns, walk

NOW = "$now"
"""Column (Datetime ms, UTC) with the processing time of the batch; every frame that compiled
expressions read must have it if ``uses_clock``: ``with_clock`` adds it."""

_ARITHMETIC = ("+", "-", "*", "/", "%")

_Mask = pl.Expr | None
"""Where the value is asked for; None: everywhere."""
Part = tuple[Call, pl.Expr]
"""A call within an expression, and what computes it."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A compilation: the zone, and the calls compiled so far, innermost first."""

    zone: ZoneInfo
    parts: list[Part] = field(default_factory=list)


def compile_expression(expression: Expression, zone: ZoneInfo) -> pl.Expr:
    """The Polars expression of a bound expression; its type is exactly that of the expression.

    One without columns is a scalar: select it beside a column to get as many rows.

    Raises:
        EvaluationError: when evaluated: CAST_FAILED, DIVISION_BY_ZERO, ...
    """
    return _compile(expression, _Work(zone), None)


def parts(expression: Expression, zone: ZoneInfo) -> list[Part]:
    """The calls in an expression, in an order in which what fails comes before what reads it.

    A part is asked for the same rows as within the whole.
    """
    work = _Work(zone)
    _compile(expression, work, None)
    return work.parts


def uses_clock(expression: Expression) -> bool:
    """Whether the compiled expression reads the NOW column."""
    return not deterministic(expression)


def may_fail(expression: Expression) -> bool:
    """Whether some value can fail the job."""
    return any(isinstance(node, Call) and _function(node).fallible for node in walk(expression))


def with_clock(
    rows: pl.DataFrame, now: int, watermark: int | pl.Series = MIN_WATERMARK
) -> pl.DataFrame:
    """Rows with the processing time and the watermark in force at each of them, in ms."""
    held = pl.lit(watermark, dtype=pl.Int64)
    time = pl.lit(now, pl.Int64).cast(pl.Datetime("ms", "UTC"))
    known = pl.when(held > MIN_WATERMARK).then(held)
    return rows.with_columns(time.alias(NOW), known.alias(WATERMARK))


def _function(call: Call) -> ScalarFunction:
    function = call.definition or functions.scalar(call.function)
    if function is None:
        raise InternalError("UNBOUND_FUNCTION", f"there is no function '{call.function}'")
    return function


def _compile(expression: Expression, work: _Work, mask: _Mask) -> pl.Expr:
    match expression:
        case Column(name=name):
            return pl.col(name)
        case Literal():
            return literal(expression)
    folded = _fold(expression, work.zone)
    if folded is not None:
        return folded
    compiled = _call(expression, work, mask)
    work.parts.append((expression, compiled))
    return compiled


def literal(value: Literal) -> pl.Expr:
    """A scalar of exactly the literal's type."""
    held = value.value
    if value.type.root is Root.INTERVAL_DAY_TIME and isinstance(held, timedelta):
        held = held // timedelta(milliseconds=1)
        return pl.lit(held, dtype=pl.Int64).cast(pl.Duration("ms"))
    if value.type.root is Root.TIMESTAMP_LTZ and isinstance(held, datetime):
        held = held.replace(tzinfo=None)
        naive = pl.Series([held], dtype=pl.Datetime("us"))
        return pl.lit(naive.dt.replace_time_zone("UTC").cast(to_polars(value.type))).first()
    if value.type.root in (Root.TIMESTAMP, Root.DECIMAL):
        return pl.lit(pl.Series([held], dtype=to_polars(value.type))).first()
    return pl.lit(held, dtype=to_polars(value.type))


def _fold(call: Call, zone: ZoneInfo) -> pl.Expr | None:
    """The value of a call without columns; None if it has none yet, or fails."""
    if columns(call) or not deterministic(call):
        return None
    try:
        with evaluating(call.function):
            value = pl.select(_call(call, _Work(zone), None)).to_series()
    except SameriverError:
        return None
    return pl.lit(value).first()


def _call(call: Call, work: _Work, mask: _Mask) -> pl.Expr:
    function = _function(call)
    args = _arguments(call, work, mask)
    if call.definition is not None:
        args = [*args, pl.lit(True) if mask is None else mask]
    elif function.fallible and mask is not None:
        args = [pl.when(mask).then(arg) for arg in args]
    operands = tuple(Operand(arg.type, _value(arg)) for arg in call.args)
    evaluation = Evaluation(operands=operands, result=call.type, zone=work.zone, now=NOW)
    if _costly(call, evaluation, function):
        names = [f"${position}" for position in range(len(args))]
        kernel = function.kernel(evaluation, [pl.col(name) for name in names])
        return staged(to_polars(call.type), kernel, names, args)
    return function.kernel(evaluation, args)


def _value(argument: Expression) -> object:
    """That of a literal, also of a whole number that was widened; else ``UNKNOWN``."""
    match argument:
        case Literal(value=value):
            return value
        case Call(function="CAST", args=(Literal(value=int(value)) as held,)):
            roots = (held.type.root, argument.type.root)
            if all(root in INTEGERS for root in roots) and _widens(*roots):
                return value
    return UNKNOWN


def _widens(narrow: Root, wide: Root) -> bool:
    return INTEGERS.index(narrow) <= INTEGERS.index(wide)


def _cheap(argument: Expression, depth: int = 2) -> bool:
    """Whether to compute it again, if Polars has to, costs less than a stage of its own.

    True of columns, constants, and short integer arithmetic.
    """
    if not isinstance(argument, Call) or not columns(argument):
        return True
    if depth == 0 or argument.function not in _ARITHMETIC or argument.type.root not in INTEGERS:
        return False
    if argument.function in ("/", "%") and _value(argument.args[1]) is UNKNOWN:
        return False
    return all(_cheap(arg, depth - 1) for arg in argument.args)


def _costly(call: Call, evaluation: Evaluation, function: ScalarFunction) -> bool:
    """Whether the kernel would compute an argument more than once."""
    computed = [f"${n}" for n, arg in enumerate(call.args) if not _cheap(arg)]
    if not computed or not function.deterministic or call.definition is not None:
        return False
    places = [pl.col(f"${n}") for n in range(len(call.args))]
    used = function.kernel(evaluation, places).meta.root_names()
    return any(used.count(name) > 1 for name in computed)


def _arguments(call: Call, work: _Work, mask: _Mask) -> Sequence[pl.Expr]:
    """Arguments, each asked for only where the ones before it leave a question."""
    if call.function not in _LAZY or not may_fail(call):
        return [_compile(arg, work, mask) for arg in call.args]
    return _LAZY[call.function](call.args, work, mask)


def _both(mask: _Mask, more: pl.Expr) -> pl.Expr:
    return more if mask is None else mask & more


def _branches(args: Sequence[Expression], work: _Work, mask: _Mask) -> list[pl.Expr]:
    """CASE and IF: a branch counts where its condition is the first that is true."""
    compiled: list[pl.Expr] = []
    for position in range(0, len(args) - 1, 2):
        condition = _compile(args[position], work, mask)
        true = condition.fill_null(False)
        compiled += [condition, _compile(args[position + 1], work, _both(mask, true))]
        mask = _both(mask, ~true)
    return [*compiled, _compile(args[-1], work, mask)]


def _until_null_ends(args: Sequence[Expression], work: _Work, mask: _Mask) -> list[pl.Expr]:
    """COALESCE: an argument counts where all before it are NULL."""
    compiled: list[pl.Expr] = []
    for arg in args:
        compiled.append(_compile(arg, work, mask))
        mask = _both(mask, compiled[-1].is_null())
    return compiled


def _while_not(
    decided: bool, args: Sequence[Expression], work: _Work, mask: _Mask
) -> list[pl.Expr]:
    """AND and OR: an argument counts where none before it has decided."""
    compiled: list[pl.Expr] = []
    for arg in args:
        compiled.append(_compile(arg, work, mask))
        settled = compiled[-1] if decided else ~compiled[-1]
        mask = _both(mask, ~settled.fill_null(False))
    return compiled


def _while_true(args: Sequence[Expression], work: _Work, mask: _Mask) -> list[pl.Expr]:
    return _while_not(False, args, work, mask)


def _while_false(args: Sequence[Expression], work: _Work, mask: _Mask) -> list[pl.Expr]:
    return _while_not(True, args, work, mask)


_LAZY = {
    "CASE": _branches,
    "IF": _branches,
    "COALESCE": _until_null_ends,
    "IFNULL": _until_null_ends,
    "AND": _while_true,
    "OR": _while_false,
}
