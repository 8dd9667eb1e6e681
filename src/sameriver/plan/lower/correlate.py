"""Table functions."""

from __future__ import annotations

from sameriver.plan import logical
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.correlate import Correlate
from sameriver.plan.physical.node import PhysicalNode


def correlate(node: logical.Correlate, below: PhysicalNode) -> PhysicalNode:
    """The call on a lowered input."""
    return Correlate(
        schema=node.schema,
        input=below,
        function=node.function,
        args=node.args,
        outer=node.kind is JoinKind.LEFT,
    )
