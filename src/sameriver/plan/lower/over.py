"""OVER calls that are no ranking of the first rows."""

from __future__ import annotations

from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.expressions import aggregate_to_sql
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.node import PhysicalNode


def lower_over(node: logical.Over, below: PhysicalNode, settings: Settings) -> PhysicalNode:
    """The node for aggregates, ROW_NUMBER and the like over a window.

    Raises:
        UserError: UNSUPPORTED.
    """
    raise UserError(
        "UNSUPPORTED",
        f"{aggregate_to_sql(node.calls[0].call)} OVER (...) is not supported yet",
        hint="Keep the first rows by a filter on ROW_NUMBER, such as WHERE rn <= 10,"
        " or aggregate with GROUP BY.",
    )
