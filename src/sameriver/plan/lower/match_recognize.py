"""MATCH_RECOGNIZE."""

from __future__ import annotations

from sameriver.plan import logical
from sameriver.plan.lower.changes import check_insert_only
from sameriver.plan.physical.match_recognize import MatchRecognize
from sameriver.plan.physical.node import PhysicalNode


def match_recognize(node: logical.MatchRecognize, below: PhysicalNode) -> PhysicalNode:
    """The node of a pattern.

    Raises:
        UserError: UPDATES_NOT_SUPPORTED.
    """
    check_insert_only(
        below, "Match Recognize", hint="Look for patterns in rows that are only added."
    )
    return MatchRecognize(
        schema=node.schema,
        input=below,
        partition=node.partition,
        order=node.order,
        measures=node.measures,
        pattern=node.pattern,
        skip=node.skip,
        within=node.within,
        define=node.define,
    )
