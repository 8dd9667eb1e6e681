"""Joins of two streams whose times are bounded on both sides."""

from __future__ import annotations

from sameriver.plan import logical
from sameriver.plan.lower.changes import check_insert_only
from sameriver.plan.lower.join_parts import join_parts, keyed
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.interval_join import IntervalJoin
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.time_bounds import interval_bounds


def interval_join(
    node: logical.Join, left: PhysicalNode, right: PhysicalNode, settings: Settings
) -> PhysicalNode | None:
    """The interval join of a condition that bounds two time attributes; else None.

    Raises:
        UserError: UPDATES_NOT_SUPPORTED, as in Flink.
    """
    bounds = interval_bounds(node)
    if bounds is None:
        return None
    for side in (left, right):
        check_insert_only(
            side,
            "Interval join",
            hint="Leave out one bound of the time, which makes it a regular join, or make both"
            " inputs insert-only.",
        )
    parts = join_parts(bounds.rest, left.schema, right.schema)
    left, right, keys = keyed(left, right, parts.equalities)
    return IntervalJoin(
        schema=node.schema,
        left=left,
        right=right,
        kind=node.kind,
        keys=keys,
        left_time=bounds.left,
        right_time=bounds.right,
        lower=bounds.lower,
        upper=bounds.upper,
        event_time=bounds.event_time,
        condition=parts.condition,
    )
