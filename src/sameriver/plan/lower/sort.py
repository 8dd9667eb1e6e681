"""ORDER BY and LIMIT: in time, the first n by an order, or the first n to come.

The order of processing time is that in which rows come: nothing has to be done.
"""

from __future__ import annotations

from sameriver.common.errors import UserError
from sameriver.common.types import TimeAttribute
from sameriver.plan import logical
from sameriver.plan.expressions import place, to_sql
from sameriver.plan.lower.changes import check_insert_only
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.limit import Limit
from sameriver.plan.physical.node import INSERT_ONLY, PhysicalNode
from sameriver.plan.physical.temporal_sort import TemporalSort
from sameriver.plan.physical.top_n import TopN


def sort(node: logical.Sort, below: PhysicalNode, settings: Settings) -> PhysicalNode:
    """The node for an ORDER BY, a LIMIT, or both.

    Raises:
        UserError: SORT_NOT_SUPPORTED, OFFSET_WITHOUT_LIMIT, UPDATES_NOT_SUPPORTED.
    """
    if node.limit is None:
        return _unlimited(node, below)
    if node.limit and (node.keys or below.changelog != INSERT_ONLY):
        return _first_rows(node, node.limit, below, settings)
    return Limit(schema=node.schema, input=below, limit=node.limit, offset=node.offset)


def _first_rows(
    node: logical.Sort, limit: int, below: PhysicalNode, settings: Settings
) -> PhysicalNode:
    """A Top-N of all rows; without keys the order is that in which they come."""
    return TopN(
        schema=node.schema,
        input=below,
        function="ROW_NUMBER",
        partition=(),
        order=node.keys,
        start=node.offset + 1,
        end=node.offset + limit,
        rank=None,
        retract=below.changelog != INSERT_ONLY,
        folded=settings.folded,
        ttl=settings.ttl,
    )


def _unlimited(node: logical.Sort, below: PhysicalNode) -> PhysicalNode:
    if node.offset:
        raise UserError(
            "OFFSET_WITHOUT_LIMIT",
            f"FETCH is missed, which on streaming table is not supported: OFFSET {node.offset}"
            " of a table that never ends has no end",
            hint=f"Say how many rows: LIMIT 10 OFFSET {node.offset}.",
        )
    first = node.keys[0]
    if first.expression.type.attribute is None or first.descending:
        direction = " DESC" if first.descending else ""
        raise UserError(
            "SORT_NOT_SUPPORTED",
            "Sort on a non-time-attribute field is not supported: ORDER BY starts with"
            f" '{to_sql(first.expression)}{direction}'",
            hint="Order by a time attribute first, ascending, or add LIMIT n to keep the first n"
            " rows up to date.",
            position=place(first.expression),
        )
    check_insert_only(
        below,
        "TemporalSort",
        hint="Sort rows before they are aggregated, or add LIMIT n to keep the first n rows up to"
        " date.",
    )
    if first.expression.type.attribute is TimeAttribute.PROCTIME:
        return below
    return TemporalSort(schema=node.schema, input=below, keys=node.keys)
