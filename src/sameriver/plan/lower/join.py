"""Joins of two streams: the special shapes first, else the regular join."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from sameriver.common.schema import Field, Schema
from sameriver.common.types import BOOLEAN
from sameriver.plan import logical
from sameriver.plan.expressions import Call, Column, Expression
from sameriver.plan.lower.calc import select
from sameriver.plan.lower.interval_join import interval_join
from sameriver.plan.lower.join_parts import (
    Equality,
    JoinParts,
    condition_parts,
    join_parts,
    keyed,
)
from sameriver.plan.lower.settings import Settings, time_to_live
from sameriver.plan.lower.window_join import window_join
from sameriver.plan.physical.join import Join
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.unique_key import unique_key

Recogniser = Callable[[logical.Join, PhysicalNode, PhysicalNode, Settings], PhysicalNode | None]
"""Gives the node of a join of its shape, None for others."""

RECOGNISERS: Sequence[Recogniser] = (window_join, interval_join)


def lower_join(
    node: logical.Join, left: PhysicalNode, right: PhysicalNode, settings: Settings
) -> PhysicalNode:
    """A window join, an interval join, ..., else the regular join."""
    for recognise in RECOGNISERS:
        found = recognise(node, left, right, settings)
        if found is not None:
            return found
    return _regular(node, left, right, settings)


def _regular(
    node: logical.Join, left: PhysicalNode, right: PhysicalNode, settings: Settings
) -> PhysicalNode:
    parts, null_aware = _parts(node, left.schema, right.schema)
    left, right, keys = keyed(left, right, parts.equalities)
    joined = Join(
        schema=_schema(node, left.schema, right.schema),
        left=left,
        right=right,
        kind=node.kind,
        left_keys=keys.left,
        right_keys=keys.right,
        null_safe=keys.null_safe,
        condition=parts.condition,
        null_aware=null_aware,
        upsert_keys=(unique_key(node.left), unique_key(node.right)),
        ttl=(_ttl(node.ttl_hints[0], settings), _ttl(node.ttl_hints[1], settings)),
    )
    return select(joined, node.schema.names)


def _parts(node: logical.Join, left: Schema, right: Schema) -> tuple[JoinParts, bool]:
    """The condition, and whether it is that of NOT IN: then the keys are those of its equality."""
    parts = join_parts(condition_parts(node.condition), left, right, cast=True)
    if node.kind is logical.JoinKind.ANTI and not parts.equalities and len(parts.rest) == 1:
        equal = _not_in(parts.rest[0])
        inner = None if equal is None else join_parts([equal], left, right, cast=True)
        if inner is not None and inner.equalities:
            return inner, True
    return _once(parts), False


def _once(parts: JoinParts) -> JoinParts:
    """A column is a key once; further equalities with it are tests."""
    chosen: list[Equality] = []
    rest = list(parts.rest)
    used: set[Expression] = set()
    for equality in parts.equalities:
        ends = {e for e in (equality.left, equality.right) if isinstance(e, Column)}
        if ends & used:
            rest.append(equality.test)
        else:
            chosen.append(equality)
            used |= ends
    return JoinParts(tuple(chosen), tuple(rest))


def _not_in(condition: Expression) -> Expression | None:
    """The equality of NOT IN: ``a IS NULL OR b IS NULL OR a = b``, as far as they can be NULL."""
    match condition:
        case Call(function="OR", args=(*unknown, Call(function="=", args=ends) as equal)):
            tests = [Call("IS NULL", (e,), BOOLEAN.not_null) for e in ends if e.type.nullable]
            return equal if set(unknown) == set(tests) else None
    return None


def _schema(node: logical.Join, left: Schema, right: Schema) -> Schema:
    """That of the logical node, with the columns of computed keys in their places."""
    filters = node.kind in (logical.JoinKind.SEMI, logical.JoinKind.ANTI)
    fields = left if filters else (*left, *right)
    known = {f.name: f for f in node.schema}
    return Schema(
        tuple(known.get(f.name) or Field(f.name, f.type.with_nullable(True)) for f in fields)
    )


def _ttl(hint: str | None, settings: Settings) -> timedelta | None:
    return settings.ttl if hint is None else time_to_live(hint)
