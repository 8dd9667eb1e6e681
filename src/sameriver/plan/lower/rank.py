"""Ranges of ranks: deduplication, Top-N, and both per window."""

from __future__ import annotations

from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.node import PhysicalNode


def lower_rank(node: logical.Rank, below: PhysicalNode, settings: Settings) -> PhysicalNode:
    """The node for a filter on ROW_NUMBER, RANK or DENSE_RANK.

    Raises:
        UserError: UNSUPPORTED.
    """
    raise UserError(
        "UNSUPPORTED",
        f"a filter on {node.function} is not supported yet",
        hint="Leave it out, or run this statement on Apache Flink.",
    )
