"""Bound expressions: typed, frozen, equal by value. Columns go by their name.

``position`` is where the script says it; it plays no part in equality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from datetime import date, datetime, time, timedelta
from operator import is_not

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position
from sameriver.common.types import DataType, Root
from sameriver.functions.python import PythonFunction
from sameriver.functions.signature import ScalarFunction


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the input."""

    name: str
    type: DataType
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant.

    ``value`` is None or a Python bool, int, float, str, bytes, Decimal, date, time, datetime
    (naive for TIMESTAMP, UTC for TIMESTAMP_LTZ), timedelta (INTERVAL DAY TO SECOND) or int of
    months (INTERVAL YEAR TO MONTH).
    """

    value: object
    type: DataType
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A scalar function call; arguments already have the types the function takes.

    Operators are functions too (``+``, ``AND``, ``IS NULL``, ``||``). ``CASE`` takes condition,
    value, condition, value, ..., else. ``CAST`` and ``TRY_CAST`` take one argument and go to
    ``type``. ``definition`` is set on calls of functions of the user's.
    """

    function: str
    args: tuple[Expression, ...]
    type: DataType
    definition: ScalarFunction | None = None
    position: Position | None = field(default=None, compare=False, repr=False)


Expression = Column | Literal | Call


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateCall:
    """One aggregate of an aggregation.

    Attributes:
        name: output column.
        function: ``COUNT``, ``SUM``, ...; ``COUNT(*)`` is COUNT without arguments.
        args: columns or expressions over the input; the planner projects expressions to columns
            below the aggregation, so that physical nodes see columns and literals only.
        distinct: over distinct values.
        filter: boolean over the input; likewise a column in physical nodes.
        type: result type.
        definition: of a function in Python.
    """

    name: str
    function: str
    args: tuple[Expression, ...]
    distinct: bool = False
    filter: Expression | None = None
    type: DataType
    definition: PythonFunction | None = None
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of an ordering; Flink sorts NULL low: first when ascending, last when descending."""

    expression: Expression
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class Named:
    """An output column: name and expression."""

    name: str
    expression: Expression


def children(expression: Expression) -> tuple[Expression, ...]:
    return expression.args if isinstance(expression, Call) else ()


def place(expression: Expression) -> Position | None:
    """Where the script says it, or the first part of it that has a place."""
    found = (node.position for node in walk(expression) if node.position is not None)
    return next(found, None)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything below it, top first."""
    pending = [expression]
    while pending:
        found = pending.pop()
        yield found
        pending += reversed(children(found))


def transform(
    expression: Expression, change: Callable[[Expression], Expression | None]
) -> Expression:
    """Replaces, top down: where ``change`` gives an expression it stands, else children follow."""
    changed = change(expression)
    if changed is not None:
        return changed
    if isinstance(expression, Call):
        args = tuple(transform(arg, change) for arg in expression.args)
        if any(map(is_not, args, expression.args)):
            return replace(expression, args=args)
    return expression


def columns(expression: Expression) -> frozenset[str]:
    """Names of the input columns it reads."""
    return frozenset(node.name for node in walk(expression) if isinstance(node, Column))


def substitute(expression: Expression, by: dict[str, Expression]) -> Expression:
    """Replaces columns by expressions, by name."""
    return transform(expression, lambda e: by.get(e.name) if isinstance(e, Column) else None)


def to_sql(expression: Expression) -> str:
    """Text for plans and messages; not meant to be parsed again."""
    match expression:
        case Column(name=name):
            return name
        case Literal(value=value, type=type):
            return _literal(value, type)
        case Call(function="CAST" | "TRY_CAST" as cast, args=args, type=type):
            return f"{cast}({to_sql(args[0])} AS {type.name})"
        case Call(function="CASE", args=args):
            pairs = "".join(
                f" WHEN {to_sql(args[i])} THEN {to_sql(args[i + 1])}"
                for i in range(0, len(args) - 1, 2)
            )
            return f"CASE{pairs} ELSE {to_sql(args[-1])} END"
        case Call(function=name, args=(left, right)) if not name[0].isalpha() or name in _INFIX:
            return f"({to_sql(left)} {name} {to_sql(right)})"
        case Call(function=name, args=(only,)) if name.startswith("IS "):
            return f"({to_sql(only)} {name})"
        case Call(function=name, args=args):
            return f"{name}({', '.join(to_sql(arg) for arg in args)})"


def _literal(value: object, type: DataType) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return f"X'{value.hex().upper()}'"
        case timedelta():
            return _interval(value)
        case datetime() | date() | time():
            return f"{type.root.value} '{value}'"
    return f"INTERVAL '{value}' MONTH" if type.root is Root.INTERVAL_YEAR_MONTH else str(value)


def _interval(value: timedelta) -> str:
    """In the largest unit that leaves a whole number."""
    for unit in ("days", "hours", "minutes", "seconds"):
        if value % timedelta(**{unit: 1}) == timedelta():
            return f"INTERVAL '{value // timedelta(**{unit: 1})}' {unit[:-1].upper()}"
    return f"INTERVAL '{value / timedelta(seconds=1)}' SECOND"


_INFIX = ("AND", "OR", "LIKE", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")


def aggregate_to_sql(call: AggregateCall) -> str:
    """``COUNT(DISTINCT a) FILTER (WHERE b)``."""
    inner = ", ".join(to_sql(arg) for arg in call.args) or "*"
    text = f"{call.function}({'DISTINCT ' if call.distinct else ''}{inner})"
    return text if call.filter is None else f"{text} FILTER (WHERE {to_sql(call.filter)})"
