"""Joins of two streams: the special shapes first, else the regular join."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.node import PhysicalNode

Recogniser = Callable[[logical.Join, PhysicalNode, PhysicalNode, Settings], PhysicalNode | None]
"""Gives the node of a join of its shape, None for others."""

RECOGNISERS: Sequence[Recogniser] = ()


def lower_join(
    node: logical.Join, left: PhysicalNode, right: PhysicalNode, settings: Settings
) -> PhysicalNode:
    """A window join, an interval join, ..., else the regular join."""
    for recognise in RECOGNISERS:
        found = recognise(node, left, right, settings)
        if found is not None:
            return found
    raise UserError("UNSUPPORTED", "Join is not supported yet", hint="Leave it out.")
