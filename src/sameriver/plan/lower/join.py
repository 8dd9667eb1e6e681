"""Joins of two streams: the special shapes first, else the regular join."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from sameriver.common.schema import Field, Schema, unique
from sameriver.common.types import BOOLEAN, to_polars
from sameriver.functions.coercion import common_type
from sameriver.plan import logical
from sameriver.plan.determinism import deterministic
from sameriver.plan.expressions import Call, Column, Expression, Named, columns
from sameriver.plan.lower.calc import calc, select
from sameriver.plan.lower.interval_join import interval_join
from sameriver.plan.lower.settings import Settings, time_to_live
from sameriver.plan.lower.window_join import window_join
from sameriver.plan.physical.join import Join
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.rules.tree import conjunction, parts_of, pass_through
from sameriver.plan.unique_key import unique_key

Recogniser = Callable[[logical.Join, PhysicalNode, PhysicalNode, Settings], PhysicalNode | None]
"""Gives the node of a join of its shape, None for others."""

RECOGNISERS: Sequence[Recogniser] = (window_join, interval_join)

_EQUAL = ("=", "IS NOT DISTINCT FROM")


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
    pairs, rest = equal_pairs(node.condition, left.schema, right.schema)
    null_aware = False
    if node.kind is logical.JoinKind.ANTI and not pairs and len(rest) == 1:
        equal = _not_in(rest[0])
        if equal is not None:
            pairs, rest = equal_pairs(equal, left.schema, right.schema)
            null_aware = bool(pairs)
            rest = rest if null_aware else [node.condition] if node.condition else []
    sides = _Keyed(left), _Keyed(right)
    safe: list[bool] = []
    for pair in pairs:
        ends = _alike(pair.left, pair.right)
        if any(side.has(end) for side, end in zip(sides, ends, strict=True)):
            rest.append(pair.test)
            continue
        sides[0].add(ends[0], sides[1].names())
        sides[1].add(ends[1], sides[0].names())
        safe.append(pair.null_safe)
    keyed = [side.node() for side in sides]
    joined = Join(
        schema=_schema(node, keyed[0].schema, keyed[1].schema),
        left=keyed[0],
        right=keyed[1],
        kind=node.kind,
        left_keys=tuple(sides[0].keys),
        right_keys=tuple(sides[1].keys),
        null_safe=tuple(safe),
        condition=conjunction(rest) if rest else None,
        null_aware=null_aware,
        upsert_keys=(unique_key(node.left), unique_key(node.right)),
        ttl=(_ttl(node.ttl_hints[0], settings), _ttl(node.ttl_hints[1], settings)),
    )
    return select(joined, node.schema.names)


def _not_in(condition: Expression) -> Expression | None:
    """The equality of NOT IN: ``a IS NULL OR b IS NULL OR a = b``, as far as they can be NULL."""
    match condition:
        case Call(function="OR", args=(*unknown, Call(function="=", args=ends) as equal)):
            tests = [Call("IS NULL", (e,), BOOLEAN.not_null) for e in ends if e.type.nullable]
            return equal if set(unknown) == set(tests) else None
    return None


@dataclass(frozen=True, slots=True)
class Pair:
    """An equality between the sides, and the condition that it stands for."""

    left: Expression
    right: Expression
    null_safe: bool
    test: Expression


def equal_pairs(
    condition: Expression | None, left: Schema, right: Schema
) -> tuple[list[Pair], list[Expression]]:
    """The equalities between the sides among the parts of a condition, and the other parts."""
    pairs: list[Pair] = []
    rest: list[Expression] = []
    for part in parts_of(condition) if condition is not None else ():
        pair = _pair(part, set(left.names), set(right.names))
        if pair is None:
            rest.append(part)
        else:
            pairs.append(pair)
    return pairs, rest


def _pair(part: Expression, left: set[str], right: set[str]) -> Pair | None:
    match part:
        case Call(function=function, args=(one, other)) if function in _EQUAL:
            for a, b in ((one, other), (other, one)):
                apart = columns(a) and columns(b) and columns(a) <= left and columns(b) <= right
                if apart and deterministic(part):
                    return Pair(a, b, function != "=", part)
    return None


def _alike(left: Expression, right: Expression) -> tuple[Expression, Expression]:
    """Both as one Polars type, so that equal values are equal keys."""
    if to_polars(left.type) == to_polars(right.type):
        return left, right
    common = common_type([left.type, right.type])
    assert common is not None
    casts = [Call("CAST", (e,), common.with_nullable(e.type.nullable)) for e in (left, right)]
    return casts[0], casts[1]


@dataclass(slots=True)
class _Keyed:
    """An input that is getting keys; those that are computed become columns of it."""

    below: PhysicalNode
    keys: list[str] = field(default_factory=list)
    added: list[Named] = field(default_factory=list)

    def names(self) -> tuple[str, ...]:
        return (*self.below.schema.names, *(column.name for column in self.added))

    def has(self, key: Expression) -> bool:
        return isinstance(key, Column) and key.name in self.keys

    def add(self, key: Expression, taken: Sequence[str]) -> None:
        if not isinstance(key, Column):
            self.added.append(Named(unique("$k", (*self.names(), *taken)), key))
            key = Column(self.added[-1].name, key.type)
        self.keys.append(key.name)

    def node(self) -> PhysicalNode:
        return calc(self.below, [*pass_through(self.below.schema), *self.added])


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
