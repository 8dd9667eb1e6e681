"""Conditions around a join go to the side they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sameriver.plan.determinism import deterministic
from sameriver.plan.expressions import Expression, columns
from sameriver.plan.logical import Filter, Join, JoinKind, Logical
from sameriver.plan.rules.tree import conjunction, filtered, parts_of

_LEFT_FROM_ABOVE = (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
_RIGHT_FROM_ABOVE = (JoinKind.INNER, JoinKind.RIGHT)
_LEFT_FROM_ON = (JoinKind.INNER, JoinKind.RIGHT, JoinKind.SEMI)
_RIGHT_FROM_ON = (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)


def push_join(node: Logical) -> Logical | None:
    """A filter above an inner join becomes part of its condition. What reads one side only goes
    below it where that changes nothing: a row of a side that is padded must not go for failing
    the condition of ON, nor a padded row for failing the filter above."""
    match node:
        case Filter(input=Join() as join):
            return _from_above(node, join)
        case Join(condition=condition) if condition is not None:
            return _from_on(node, parts_of(condition))
    return None


def _from_above(node: Filter, join: Join) -> Logical | None:
    parts = parts_of(node.condition)
    left = _taken(parts, join.left, join.kind in _LEFT_FROM_ABOVE)
    right = _taken(parts, join.right, join.kind in _RIGHT_FROM_ABOVE)
    both = [p for p in parts if p not in left and p not in right and _joins(p, join)]
    if not (left or right or both):
        return None
    own = () if join.condition is None else parts_of(join.condition)
    pushed = replace(
        join,
        left=filtered(join.left, left),
        right=filtered(join.right, right),
        condition=conjunction([*own, *both]) if own or both else None,
    )
    return filtered(pushed, [p for p in parts if p not in (*left, *right, *both)])


def _from_on(join: Join, parts: Sequence[Expression]) -> Logical | None:
    left = _taken(parts, join.left, join.kind in _LEFT_FROM_ON)
    right = _taken(parts, join.right, join.kind in _RIGHT_FROM_ON)
    if not (left or right):
        return None
    rest = [part for part in parts if part not in (*left, *right)]
    return replace(
        join,
        left=filtered(join.left, left),
        right=filtered(join.right, right),
        condition=conjunction(rest) if rest else None,
    )


def _taken(parts: Sequence[Expression], side: Logical, may: bool) -> list[Expression]:
    names = set(side.schema.names)
    own = [p for p in parts if columns(p) and columns(p) <= names and deterministic(p)]
    return own if may else []


def _joins(part: Expression, join: Join) -> bool:
    return join.kind is JoinKind.INNER and bool(columns(part)) and deterministic(part)
