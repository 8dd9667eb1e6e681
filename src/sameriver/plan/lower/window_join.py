"""Joins of two streams that are cut by the same window."""

from __future__ import annotations

from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.lower.changes import check_insert_only
from sameriver.plan.lower.join_parts import join_parts, keyed
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.window_join import WindowJoin
from sameriver.plan.physical.window_state import is_event_time
from sameriver.plan.window_shape import joined_windows


def window_join(
    node: logical.Join, left: PhysicalNode, right: PhysicalNode, settings: Settings
) -> PhysicalNode | None:
    """The window join of sides whose window starts and ends are equal; else None.

    Raises:
        UserError: UNSUPPORTED for windows of processing time, UPDATES_NOT_SUPPORTED; as in Flink.
    """
    shape = joined_windows(node)
    if shape is None:
        return None
    if not is_event_time(shape.window):
        raise UserError(
            "UNSUPPORTED",
            "processing time window join is not supported yet",
            hint="Cut the windows of both sides by event time.",
        )
    for side in (left, right):
        check_insert_only(side, "Window join", hint="Make both inputs insert-only.")
    parts = join_parts(shape.rest, left.schema, right.schema)
    left, right, keys = keyed(left, right, parts.equalities)
    return WindowJoin(
        schema=node.schema,
        left=left,
        right=right,
        kind=node.kind,
        keys=keys,
        window=shape.window,
        left_window=shape.left,
        right_window=shape.right,
        condition=parts.condition,
    )
