"""The state tables of any keyed aggregation, with or without windows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from enum import Enum

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.types import (
    APPROXIMATE,
    BIGINT,
    DOUBLE,
    STRING,
    DataType,
    Root,
    decimal,
    timestamp_ltz,
)
from sameriver.plan.expressions import AggregateCall, Column, Expression
from sameriver.plan.meaning import Meanings, aggregate_meaning, meaning

LAST_ACCESS = "last_access"
"""Column of the accumulators that tells when a key was last written, where there is a TTL."""

LIVE = "live"
"""Column of the accumulators that counts the rows of a key, where rows are taken back."""

MOMENTS = ("STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP")
EXTREMES = ("MIN", "MAX")
ENDS = ("FIRST_VALUE", "LAST_VALUE")
LISTS = ("LISTAGG", "ARRAY_AGG")


class Side(Enum):
    """What is kept beside the accumulators."""

    DISTINCT = "distinct"
    """Values seen, with how often each if rows are taken back."""
    VALUES = "values"
    """Values with how often each."""
    LIST = "list"
    """Values in order of arrival."""


@dataclass(frozen=True, slots=True)
class SideTable:
    """A table beside the accumulators and the calls (by number) that it serves."""

    side: Side
    calls: tuple[int, ...]


def value_arguments(call: AggregateCall) -> tuple[Expression, ...]:
    """The arguments whose values count: LISTAGG's separator doesn't."""
    return call.args[:1] if call.function == "LISTAGG" else call.args


def takes_nulls(call: AggregateCall) -> bool:
    """Whether rows with a NULL among the arguments count."""
    return call.function == "ARRAY_AGG" or call.definition is not None


def looks_up(call: AggregateCall) -> bool:
    """Whether the call looks rows up in a set of distinct values; MIN and MAX needn't."""
    return call.distinct and call.function not in EXTREMES


def side_tables(calls: Sequence[AggregateCall], retract: bool) -> tuple[SideTable, ...]:
    """The tables beside the accumulators, in order of declaration.

    DISTINCT calls over the same values and filter share one.
    """
    shared: dict[tuple[tuple[Expression, ...], Expression | None], list[int]] = {}
    own: list[SideTable] = []
    for number, call in enumerate(calls):
        if looks_up(call):
            shared.setdefault((value_arguments(call), call.filter), []).append(number)
        if call.function == "COLLECT" or (retract and call.function in EXTREMES):
            own.append(SideTable(Side.VALUES, (number,)))
        elif retract and call.function in ENDS + LISTS:
            own.append(SideTable(Side.LIST, (number,)))
    distinct = (SideTable(Side.DISTINCT, tuple(numbers)) for numbers in shared.values())
    return (*distinct, *own)


def accumulator_columns(call: AggregateCall, retract: bool) -> tuple[tuple[str, DataType], ...]:
    """Suffix and type of the accumulator columns of a call; none if a side table holds it all."""
    nullable = call.type.plain.with_nullable(True)
    if call.definition is not None:
        return (("", STRING),)
    match call.function:
        case "COUNT":
            return (("", BIGINT.not_null),)
        case "SUM":
            total = DOUBLE if call.type.root in APPROXIMATE else nullable
            counted = (("sum", total), ("count", BIGINT.not_null))
            return counted if sum_is_counted(call, retract) else (("", total),)
        case "AVG":
            return (("sum", _sum_type(call.args[0].type)), ("count", BIGINT.not_null))
        case function if function in MOMENTS:
            return (
                ("sum", DOUBLE.not_null),
                ("squares", DOUBLE.not_null),
                ("count", BIGINT.not_null),
            )
        case "COLLECT":
            return ()
        case function if retract and function in EXTREMES + ENDS + LISTS:
            return ()
    return (("", nullable),)


def sum_is_counted(call: AggregateCall, retract: bool) -> bool:
    """Whether SUM or AVG keeps how many values it holds beside their sum.

    A sum of decimals does, since NULL is its overflow, not its absence.
    """
    return retract or call.function == "AVG" or call.args[0].type.root is Root.DECIMAL


def _sum_type(argument: DataType) -> DataType:
    """Type in which AVG sums."""
    if argument.root is Root.DECIMAL:
        return decimal(38, argument.scale or 0)
    return DOUBLE if argument.root in APPROXIMATE else BIGINT


def aggregate_state(
    *,
    keys: tuple[StateColumn, ...],
    calls: tuple[AggregateCall, ...],
    retract: bool,
    below: Meanings,
    scope: RowScope,
    ttl: timedelta | None,
    prefix: str = "",
) -> tuple[StateTable, ...]:
    """Declares the tables of an aggregation: the accumulators, then those beside them.

    Args:
        keys: key columns of every table: the grouping, and what cuts it further (a slice).
        calls: the aggregates; arguments and filters are columns or literals.
        retract: whether rows are taken back.
        below: meanings of the input's columns.
        scope: rows that reach the aggregation.
        ttl: how long an untouched key lives; None: ever.
        prefix: goes before each table's name, for operators with several aggregations.
    """
    taken = [key.name for key in keys]
    values: list[StateColumn] = []
    for call in calls:
        parts = accumulator_columns(call, retract)
        for suffix, type in parts:
            name = unique(f"{call.name}_{suffix}" if suffix else call.name, taken)
            taken.append(name)
            text = aggregate_meaning(call, below)
            text = Meaning(f"{text}.{suffix}") if suffix else text
            values.append(_accumulator(name, type, text))
    if retract:
        values.append(_accumulator(unique(LIVE, taken), BIGINT.not_null, Meaning("COUNT(*)")))
    if ttl:
        name = unique(LAST_ACCESS, taken)
        values.append(_accumulator(name, timestamp_ltz(3).not_null, Meaning(LAST_ACCESS)))
    name = f"{prefix}accumulators"
    tables = [StateTable(name=name, key=keys, values=tuple(values), scope=scope, ttl=ttl)]
    names = [name]
    for beside in side_tables(calls, retract):
        first = calls[beside.calls[0]]
        name = unique(_side_name(prefix, beside.side, first), names)
        names.append(name)
        key, columns = _side_columns(beside.side, first, retract, below, keys)
        tables.append(StateTable(name=name, key=key, values=columns, scope=scope, ttl=ttl))
    return tuple(tables)


def _accumulator(name: str, type: DataType, text: Meaning) -> StateColumn:
    return StateColumn(name=name, type=type, meaning=text, role=Role.INDEPENDENT)


def _side_name(prefix: str, side: Side, call: AggregateCall) -> str:
    if side is not Side.DISTINCT:
        return f"{prefix}{side.value}_{call.name}"
    columns = [a.name for a in value_arguments(call) if isinstance(a, Column)]
    return "_".join([f"{prefix}distinct", *columns])


def _side_columns(
    side: Side,
    call: AggregateCall,
    retract: bool,
    below: Meanings,
    keys: tuple[StateColumn, ...],
) -> tuple[tuple[StateColumn, ...], tuple[StateColumn, ...]]:
    """Key and value columns of a table beside the accumulators."""
    taken = [key.name for key in keys]
    role = Role.ROW if side is Side.LIST else Role.KEY
    values = []
    for number, argument in enumerate(value_arguments(call)):
        name = argument.name if isinstance(argument, Column) else f"value{number}"
        name = unique(name, taken)
        taken.append(name)
        type = argument.type.plain
        text = meaning(argument, below)
        values.append(StateColumn(name=name, type=type, meaning=text, role=role))
    filtered = "" if call.filter is None else f" FILTER ({meaning(call.filter, below)})"
    what = f"{side.value.upper()}({', '.join(v.meaning for v in values)}){filtered}"
    if side is Side.LIST:
        name, text = unique("position", taken), Meaning(f"{what}.position")
        type = BIGINT.not_null
        position = StateColumn(name=name, type=type, meaning=text, role=Role.KEY)
        return (*keys, position), tuple(values)
    counted = side is Side.VALUES or retract
    name, text = unique("count", taken), Meaning(f"{what}.count")
    count = (_accumulator(name, BIGINT.not_null, text),) if counted else ()
    return (*keys, *values), count
