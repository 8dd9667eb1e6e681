"""What ordinary and window aggregations share: grouping sets, and the order of columns above."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sameriver.common.schema import Field, Schema
from sameriver.plan import logical
from sameriver.plan.expressions import AggregateCall, Column, Expression, Literal, Named
from sameriver.plan.lower.calc import calc
from sameriver.plan.lower.grouping_sets import GROUPING, Sets, expand, grouping_value
from sameriver.plan.lower.settings import Settings, time_to_live
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.plan.physical.node import INSERT_ONLY, PhysicalNode

Build = Callable[[PhysicalNode, tuple[str, ...], tuple[AggregateCall, ...]], PhysicalNode]
"""Makes the aggregation of an input by keys; its columns: keys, calls, whatever it adds."""


def group_aggregate(
    node: logical.Aggregate, below: PhysicalNode, settings: Settings
) -> PhysicalNode:
    """GROUP BY without a window, and SELECT DISTINCT."""
    ttl = settings.ttl if node.ttl_hint is None else time_to_live(node.ttl_hint)

    def build(
        below: PhysicalNode, keys: tuple[str, ...], calls: tuple[AggregateCall, ...]
    ) -> PhysicalNode:
        return GroupAggregate(
            schema=aggregate_schema(below, keys, calls),
            input=below,
            keys=keys,
            calls=calls,
            retract=below.changelog != INSERT_ONLY,
            folded=settings.folded,
            ttl=ttl,
        )

    return aggregation(node, below, node.keys, build)


def aggregation(
    node: logical.Aggregate,
    below: PhysicalNode,
    keys: tuple[str, ...],
    build: Build,
    condition: Expression | None = None,
) -> PhysicalNode:
    """The aggregation of ``below`` by ``keys``, with the columns of ``node`` on top.

    ``keys`` are those of the node that are no window columns; ``condition`` filters the result.
    """
    calls = tuple(call for call in node.calls if call.function not in GROUPING)
    sets = _sets(node, keys)
    if sets is None:
        done = build(below, keys, calls)
        values = _grouping(node, lambda call: Literal(0, call.type))
    else:
        repeated = expand(below, keys, sets, calls)
        done = build(repeated.below, repeated.keys, repeated.calls)
        id = repeated.keys[-1]
        values = _grouping(node, lambda call: grouping_value(call, keys, sets, id))
    columns = [Named(f.name, values.get(f.name) or Column(f.name, f.type)) for f in node.schema]
    return calc(done, columns, condition)


def aggregate_schema(
    below: PhysicalNode, keys: tuple[str, ...], calls: tuple[AggregateCall, ...]
) -> Schema:
    return Schema((*below.schema.select(keys), *(Field(call.name, call.type) for call in calls)))


def _sets(node: logical.Aggregate, keys: tuple[str, ...]) -> Sets | None:
    """Grouping sets over ``keys``; None if there is but one, of all keys."""
    if node.sets is None:
        return None
    sets = tuple(tuple(key for key in kept if key in keys) for kept in node.sets)
    return None if len(sets) == 1 and set(sets[0]) == set(keys) else sets


def _grouping(
    node: logical.Aggregate, value: Callable[[AggregateCall], Expression]
) -> Mapping[str, Expression]:
    return {call.name: value(call) for call in node.calls if call.function in GROUPING}
