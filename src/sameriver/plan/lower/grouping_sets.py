"""GROUPING SETS: below the aggregation each row is repeated once a set; the set is a key too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema, unique
from sameriver.common.types import BIGINT, BOOLEAN
from sameriver.plan.expressions import AggregateCall, Call, Column, Expression, Literal, Named
from sameriver.plan.lower.calc import calc
from sameriver.plan.physical.expand import Expand
from sameriver.plan.physical.node import PhysicalNode

Sets = tuple[tuple[str, ...], ...]

GROUPING = ("GROUPING", "GROUPING_ID", "GROUP_ID")
"""Calls that tell the grouping set; no accumulator stands behind them."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """An aggregation's input with each row repeated once a set; ``keys`` end with the set's id."""

    below: PhysicalNode
    keys: tuple[str, ...]
    calls: tuple[AggregateCall, ...]


def expand(
    below: PhysicalNode, keys: tuple[str, ...], sets: Sets, calls: tuple[AggregateCall, ...]
) -> Expanded:
    """Keys that calls read too are copied first, since a set nulls the keys it leaves out.

    Raises:
        UserError: UNSUPPORTED for a set that is there twice.
    """
    _check_distinct(sets)
    fields = list(below.schema)
    columns = [Named(f.name, Column(f.name, f.type)) for f in fields]
    copies: dict[str, Column] = {}
    for key in keys:
        if any(key in _reads(call) for call in calls):
            copies[key] = Column(unique(key, [c.name for c in columns]), below.schema[key])
            columns.append(Named(copies[key].name, Column(key, below.schema[key])))
    copied = calc(below, columns)
    id = unique("$e", copied.schema.names)
    nulled = [
        Field(f.name, f.type.with_nullable(f.name in keys or f.type.nullable))
        for f in copied.schema
    ]
    schema = Schema((*nulled, Field(id, BIGINT.not_null)))
    node = Expand(schema=schema, input=copied, keys=keys, sets=sets, id=id)
    return Expanded(node, (*keys, id), tuple(_moved(call, copies) for call in calls))


def grouping_value(call: AggregateCall, keys: tuple[str, ...], sets: Sets, id: str) -> Expression:
    """GROUPING and its like, told by the set's id: a bit an argument, 1 if the set lacks it."""
    asked = [arg.name for arg in call.args if isinstance(arg, Column)]
    values = [Literal(bits(asked, kept), call.type) for kept in sets]
    cases: list[Expression] = []
    for kept, value in zip(sets[:-1], values[:-1], strict=True):
        number = Literal(bits(keys, kept), BIGINT.not_null)
        condition = Call("=", (Column(id, BIGINT.not_null), number), BOOLEAN.not_null)
        cases += [condition, value]
    return Call("CASE", (*cases, values[-1]), call.type) if cases else values[-1]


def bits(keys: Iterable[str], kept: tuple[str, ...]) -> int:
    """GROUPING_ID of a set: a bit a key, the first key's the highest, 1 if the set lacks it."""
    number = 0
    for key in keys:
        number = number * 2 + (key not in kept)
    return number


def _moved(call: AggregateCall, copies: dict[str, Column]) -> AggregateCall:
    def moved(expression: Expression) -> Expression:
        return (
            copies.get(expression.name, expression)
            if isinstance(expression, Column)
            else expression
        )

    condition = None if call.filter is None else moved(call.filter)
    return replace(call, args=tuple(moved(arg) for arg in call.args), filter=condition)


def _reads(call: AggregateCall) -> set[str]:
    return {e.name for e in (*call.args, call.filter) if isinstance(e, Column)}


def _check_distinct(sets: Sets) -> None:
    seen: set[frozenset[str]] = set()
    for kept in sets:
        if frozenset(kept) in seen:
            raise UserError(
                "UNSUPPORTED",
                f"the grouping set ({', '.join(kept)}) is there twice",
                hint="List each grouping set once.",
            )
        seen.add(frozenset(kept))
