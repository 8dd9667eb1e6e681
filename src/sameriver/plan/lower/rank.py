"""Ranges of ranks: deduplication, Top-N, and both per window."""

from __future__ import annotations

from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema
from sameriver.common.types import TimeAttribute
from sameriver.plan import logical
from sameriver.plan.bind.time_attributes import carries_time
from sameriver.plan.lower.calc import select
from sameriver.plan.lower.changes import check_insert_only
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.deduplicate import Deduplicate
from sameriver.plan.physical.node import INSERT_ONLY, PhysicalNode
from sameriver.plan.physical.ordering import key_names
from sameriver.plan.physical.top_n import TopN
from sameriver.plan.physical.window_top_n import WindowTopN
from sameriver.plan.window import WindowProperty
from sameriver.plan.window_columns import window_columns


def lower_rank(node: logical.Rank, below: PhysicalNode, settings: Settings) -> PhysicalNode:
    """The node for a filter on ROW_NUMBER, RANK or DENSE_RANK.

    Raises:
        UserError: UNSUPPORTED.
    """
    if not node.order:
        raise UserError(
            "ORDER_REQUIRED",
            f"'{node.function}' needs an ORDER BY in its window",
            hint=f"Write {node.function}() OVER (PARTITION BY ... ORDER BY ...).",
        )
    windowed = _window_top_n(node, below)
    if windowed is not None:
        return windowed
    if _deduplicates(node, below):
        return _deduplicate(node, below, settings)
    top = TopN(
        schema=_schema(node, below),
        input=below,
        function=node.function,
        partition=node.partition,
        order=node.order,
        start=node.start,
        end=node.end,
        rank=node.column,
        retract=below.changelog != INSERT_ONLY,
        folded=settings.folded,
        ttl=settings.ttl,
    )
    return select(top, node.schema.names)


def _schema(node: logical.Rank, below: PhysicalNode) -> Schema:
    """All columns below, and the rank."""
    rank = () if node.column is None else (Field(node.column, node.schema[node.column]),)
    return Schema((*below.schema.fields, *rank))


def _window_top_n(node: logical.Rank, below: PhysicalNode) -> PhysicalNode | None:
    """As in Flink: ranks per window if start and end of one window are in PARTITION BY."""
    columns = window_columns(node.input)
    bounds = {columns.properties.get(name) for name in node.partition}
    if columns.window is None or not bounds >= {WindowProperty.START, WindowProperty.END}:
        return None
    check_insert_only(
        below, "WindowTopN", hint="Rank rows that are only added, such as those of a window."
    )
    ends = next(n for n in node.partition if columns.properties.get(n) is WindowProperty.END)
    first = node.order[0]
    timed = first.expression.type.attribute is not None and len(node.order) == 1
    top = WindowTopN(
        schema=_schema(node, below),
        input=below,
        window=columns.window,
        ends=ends,
        function=node.function,
        partition=node.partition,
        order=node.order,
        start=node.start,
        end=node.end,
        rank=node.column,
        latest=timed and first.descending and (node.start, node.end) == (1, 1),
    )
    return select(top, node.schema.names)


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
        input=select(below, node.schema.names),
        keys=node.partition,
        time=key_names(node.order)[0] if event_time else None,
        last=key.descending,
        waits=event_time and not key.descending and not settings.bundled,
        folded=settings.folded,
        ttl=settings.ttl,
    )
