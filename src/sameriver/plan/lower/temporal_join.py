"""Joins with the versions of a table."""

from __future__ import annotations

from functools import partial

from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.bind.time_attributes import carries_time
from sameriver.plan.expressions import Column, Expression
from sameriver.plan.logical import Logical
from sameriver.plan.lower.join_parts import Equality, JoinParts, condition_parts, join_parts, keyed
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.temporal_join import TemporalJoin
from sameriver.plan.rules.tree import conjunction


def temporal_join(
    node: logical.TemporalJoin, left: PhysicalNode, right: PhysicalNode, settings: Settings
) -> PhysicalNode:
    """The join by event time with versions told apart by the right side's key.

    Raises:
        UserError: BAD_TEMPORAL_JOIN if there is no key, ON does not have all of it, or the left
            side is not ordered by the time any more.
    """
    assert node.time is not None
    assert node.right_time is not None
    if not carries_time(node.left, node.time):
        raise _refused(
            f"'{node.time}' is no time attribute any more where the versioned table is joined",
            "Join the versioned table first: regular joins lose the time attribute.",
        )
    parts = join_parts(condition_parts(node.condition), left.schema, right.schema)
    equalities, rest = _by_key(node, parts)
    left, right, keys = keyed(left, right, equalities)
    return TemporalJoin(
        schema=node.schema,
        left=left,
        right=right,
        kind=node.kind,
        keys=keys,
        left_time=node.time,
        right_time=node.right_time,
        condition=rest,
        ttl=settings.ttl,
    )


def _by_key(
    node: logical.TemporalJoin, parts: JoinParts
) -> tuple[list[Equality], Expression | None]:
    """The equalities that name the key, and all other conditions."""
    if not node.key:
        raise _refused(
            "temporal table join requires primary key in the versioned table, but no primary key"
            " can be found",
            "Declare PRIMARY KEY (...) NOT ENFORCED on the versioned table, or join a view that"
            " keeps one row of each key: ROW_NUMBER() OVER (PARTITION BY ... ORDER BY time DESC)"
            " = 1.",
        )
    shown = partial(_declared, node.right)
    by_name = {e.right.name: e for e in parts.equalities if isinstance(e.right, Column)}
    missing = [name for name in node.key if name not in by_name]
    if missing:
        raise _refused(
            f"temporal table's primary key [{', '.join(map(shown, node.key))}] must be included in"
            " the equivalence condition of temporal join",
            f"Add to ON an equality of '{shown(missing[0])}' and a column of the left table.",
        )
    chosen = [by_name[name] for name in node.key]
    others = [e.test for e in parts.equalities if e not in chosen]
    rest = [*others, *parts.rest]
    return chosen, conjunction(rest) if rest else None


def _declared(node: Logical, name: str) -> str:
    """The column's name before the join renamed it."""
    if isinstance(node, logical.Project):
        found = next((c.expression for c in node.columns if c.name == name), None)
        if isinstance(found, Column):
            return found.name
    return name


def _refused(message: str, hint: str) -> UserError:
    return UserError("BAD_TEMPORAL_JOIN", message, hint=hint)
