"""OVER calls that are no ranking of the first rows."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.common.types import TimeAttribute
from sameriver.plan import logical
from sameriver.plan.expressions import (
    AggregateCall,
    Literal,
    SortKey,
    aggregate_to_sql,
    to_sql,
)
from sameriver.plan.logical import Frame, OverCall
from sameriver.plan.lower.calc import select
from sameriver.plan.lower.changes import check_insert_only
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.over_aggregate import LAG, OverAggregate
from sameriver.plan.physical.over_sorted import PLACES, SHIFTS, OverSorted

Window = tuple[tuple[str, ...], tuple[SortKey, ...], Frame]

_BATCH = ("PERCENT_RANK", "CUME_DIST", "NTILE", "LEAD")
"""What Flink has in batch only."""
_COUNTED = {"ROW_NUMBER": True, "RANK": False, "DENSE_RANK": False}
"""What over a time is how many rows there are, and whether up to the row or up to its peers.

Flink does not look at the time for a rank: both kinds are that of the last among equals.
"""


def lower_over(node: logical.Over, below: PhysicalNode, settings: Settings) -> PhysicalNode:
    """One node for the calls of each window, one over the other.

    Raises:
        UserError: UNSUPPORTED, OVER_FOLLOWING, OVER_ORDER, UPDATES_NOT_SUPPORTED, BAD_LAG.
    """
    windows: dict[Window, list[AggregateCall]] = {}
    for over in node.calls:
        window, call = _physical(over)
        windows.setdefault(window, []).append(call)
    for window, calls in windows.items():
        build = _by_time if _is_time(window[1]) else _by_columns
        below = build(below, window, tuple(calls), settings)
    return select(below, node.schema.names)


def _by_time(
    below: PhysicalNode, window: Window, calls: tuple[AggregateCall, ...], settings: Settings
) -> PhysicalNode:
    partition, order, frame = window
    check_insert_only(
        below,
        "OverAggregate",
        hint="Read an insert-only input, such as the result of a window aggregation.",
    )
    freed = frame.preceding is not None and not frame.rows and _is_event_time(order[0])
    return OverAggregate(
        schema=_schema(below, calls),
        input=below,
        partition=partition,
        time=to_sql(order[0].expression),
        frame=frame,
        calls=calls,
        ttl=None if freed else settings.ttl,
    )


def _by_columns(
    below: PhysicalNode, window: Window, calls: tuple[AggregateCall, ...], settings: Settings
) -> PhysicalNode:
    partition, order, frame = window
    return OverSorted(
        schema=_schema(below, calls),
        input=below,
        partition=partition,
        order=order,
        rows=frame.rows,
        calls=calls,
        folded=settings.folded,
        ttl=settings.ttl,
    )


def _schema(below: PhysicalNode, calls: tuple[AggregateCall, ...]) -> Schema:
    return Schema((*below.schema.fields, *Schema.of((c.name, c.type) for c in calls).fields))


def _is_time(order: tuple[SortKey, ...]) -> bool:
    return bool(order) and order[0].expression.type.attribute is not None


def _physical(over: OverCall) -> tuple[Window, AggregateCall]:
    """A call as its node computes it, and the window it needs for that."""
    call, frame = over.call, over.frame
    if call.function in _BATCH:
        raise UserError(
            "UNSUPPORTED",
            f"{call.function} Function is not supported in stream mode",
            hint="It tells of rows that are still to come. Look back with LAG, or filter on"
            " ROW_NUMBER to rank the first rows, as in rn <= 10.",
            position=call.position,
        )
    if not over.order and frame.following is None:
        frame = replace(frame, following=0)
    if frame.following is None or frame.following > 0:
        raise UserError(
            "OVER_FOLLOWING",
            f"OVER {'ROWS' if frame.rows else 'RANGE'} FOLLOWING windows are not supported:"
            f" the frame of {aggregate_to_sql(call)} ends after the current row",
            hint="End the frame with CURRENT ROW, and order it by a time attribute.",
            position=call.position,
        )
    if frame.following < 0:
        raise _unsupported(call, "End the frame with CURRENT ROW.")
    _check_order(over)
    if not _is_time(over.order):
        rows = frame.rows and call.function not in PLACES
        return (over.partition, over.order, Frame(rows=rows, preceding=None)), call
    if call.function == LAG:
        frame = Frame(rows=True, preceding=_offset(call))
    if call.function in _COUNTED:
        frame = replace(frame, rows=_COUNTED[call.function])
        call = replace(call, function="COUNT", args=())
    if frame.preceding is None and not _is_event_time(over.order[0]):
        frame = Frame(rows=True, preceding=None)
    return (over.partition, over.order, frame), call


def _is_event_time(key: SortKey) -> bool:
    return key.expression.type.attribute is TimeAttribute.ROWTIME


def _check_order(over: OverCall) -> None:
    """Rows come in the order of time; by other columns rows come between earlier ones.

    Without an order all rows of a partition are peers.
    """
    first = over.order[0] if over.order else None
    if first is None or first.expression.type.attribute is None:
        if over.frame.preceding is not None:
            raise _unsupported(
                over.call, "Start the frame with UNBOUNDED PRECEDING, or order by a time attribute."
            )
        if over.call.function in SHIFTS:
            _offset(over.call)
        return
    if len(over.order) > 1 or first.descending:
        raise UserError(
            "OVER_ORDER",
            "The window can only be ordered by a single time column, in ASCENDING mode:"
            f" {aggregate_to_sql(over.call)}",
            hint=f"Write ORDER BY {to_sql(first.expression)} and nothing else.",
        )


def _offset(call: AggregateCall) -> int:
    """How many rows LAG goes back, or LEAD on."""
    if len(call.args) == 1:
        return 1
    offset = call.args[1]
    if isinstance(offset, Literal) and isinstance(offset.value, int) and offset.value >= 0:
        return offset.value
    raise UserError(
        "BAD_LAG",
        f"the second argument of {aggregate_to_sql(call)} is how many rows to go back",
        hint="Write a whole number that is not negative, such as LAG(v, 2).",
    )


def _unsupported(call: AggregateCall, hint: str) -> UserError:
    return UserError(
        "UNSUPPORTED",
        f"{aggregate_to_sql(call)} OVER (...) with this window is not supported yet",
        hint=hint,
    )
