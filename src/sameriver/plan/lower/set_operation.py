"""INTERSECT and EXCEPT."""

from __future__ import annotations

from sameriver.plan import logical
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.set_operation import SetOperation


def set_operation(
    node: logical.SetOperation, left: PhysicalNode, right: PhysicalNode, settings: Settings
) -> PhysicalNode:
    """The operation on lowered inputs."""
    return SetOperation(
        schema=node.schema,
        kind=node.kind,
        all=node.all,
        left=left,
        right=right,
        folded=settings.folded,
        ttl=settings.ttl,
    )
