"""Ranges of ranks: deduplication, Top-N, and both per window."""

from __future__ import annotations

from sameriver.common.errors import UserError
from sameriver.common.types import TimeAttribute
from sameriver.plan import logical
from sameriver.plan.bind.time_attributes import carries_time
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.deduplicate import Deduplicate
from sameriver.plan.physical.node import INSERT_ONLY, PhysicalNode
from sameriver.plan.physical.ordering import key_names


def lower_rank(node: logical.Rank, below: PhysicalNode, settings: Settings) -> PhysicalNode:
    """The node for a filter on ROW_NUMBER, RANK or DENSE_RANK.

    Raises:
        UserError: UNSUPPORTED.
    """
    if _deduplicates(node, below):
        return _deduplicate(node, below, settings)
    raise UserError(
        "UNSUPPORTED",
        f"a filter on {node.function} is not supported yet",
        hint="Leave it out, or run this statement on Apache Flink.",
    )


def _deduplicates(node: logical.Rank, below: PhysicalNode) -> bool:
    """As in Flink: the first row by a time attribute alone, of rows that are only added."""
    if node.function != "ROW_NUMBER" or (node.start, node.end) != (1, 1) or len(node.order) != 1:
        return False
    (name,) = key_names(node.order)
    attribute = node.order[0].expression.type.attribute
    timed = attribute is TimeAttribute.PROCTIME or carries_time(node.input, name)
    return attribute is not None and timed and below.changelog == INSERT_ONLY


def _deduplicate(node: logical.Rank, below: PhysicalNode, settings: Settings) -> PhysicalNode:
    (key,) = node.order
    event_time = key.expression.type.attribute is TimeAttribute.ROWTIME
    return Deduplicate(
        schema=node.schema,
        input=below,
        keys=node.partition,
        time=key_names(node.order)[0] if event_time else None,
        last=key.descending,
        waits=event_time and not key.descending and not settings.bundled,
        folded=settings.folded,
        ttl=settings.ttl,
    )
