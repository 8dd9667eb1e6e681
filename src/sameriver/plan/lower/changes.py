"""Who takes which change kinds."""

from __future__ import annotations

from sameriver.common.changes import ChangeKind
from sameriver.common.errors import UserError
from sameriver.plan.describe import describe
from sameriver.plan.physical.calc import Calc
from sameriver.plan.physical.expand import Expand
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode
from sameriver.plan.physical.union import Union
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner

_UPDATES = {ChangeKind.UPDATE_BEFORE, ChangeKind.UPDATE_AFTER}


def check_insert_only(node: PhysicalNode, consumer: str, *, hint: str) -> None:
    """Refuses an input that updates or deletes rows.

    Raises:
        UserError: UPDATES_NOT_SUPPORTED.
    """
    check_accepted(node, INSERT_ONLY, consumer, hint=hint)


def check_accepted(
    node: PhysicalNode, accepted: ChangelogMode, consumer: str, *, hint: str
) -> None:
    """Refuses an input of change kinds that the consumer does not take.

    Raises:
        UserError: UPDATES_NOT_SUPPORTED.
    """
    excess = node.changelog - accepted
    if not excess:
        return
    updates = "update" if excess & _UPDATES else ""
    deletes = "delete" if ChangeKind.DELETE in excess else ""
    kinds = " and ".join(word for word in (updates, deletes) if word)
    raise UserError(
        "UPDATES_NOT_SUPPORTED",
        f"{consumer} doesn't support consuming {kinds} changes which is produced by node"
        f" {describe(_producer(node))}",
        hint=hint,
    )


def _producer(node: PhysicalNode) -> PhysicalNode:
    """The node that first gives other changes than inserts, below those that hand them on."""
    while isinstance(node, Calc | Union | Expand | WatermarkAssigner):
        node = next(below for below in node.inputs if below.changelog != INSERT_ONLY)
    return node
