"""``JOIN t FOR SYSTEM_TIME AS OF l.ts ON ...``: versions by event time, lookups by the clock."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.types import TimeAttribute
from sameriver.plan import logical
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.scope import From
from sameriver.plan.bind.time_attributes import carries_time
from sameriver.plan.expressions import Call, Column
from sameriver.plan.logical import JoinKind, Logical
from sameriver.plan.unique_key import unique_key
from sameriver.sql.nodes import position

Time = Column | Call


def is_temporal(join: exp.Expr) -> bool:
    """Whether the joined item is one as of a time."""
    return join.this.args.get("version") is not None


def as_of(left: From, join: exp.Expr, context: Context) -> tuple[exp.Expr, Time]:
    """The joined item without its time, and the time: an attribute of the left side, or PROCTIME().

    Raises:
        UserError: BAD_TEMPORAL_JOIN.
    """
    version = join.this.args["version"]
    item = join.this.copy()
    item.set("version", None)
    time = context.environment(left.scope, "FOR SYSTEM_TIME AS OF").bind(version.expression)
    if isinstance(time, Call) and time.function == "PROCTIME":
        return item, time
    if not isinstance(time, Column) or not carries_time(left.node, time.name):
        _refuse(
            "temporal table join supports 'FOR SYSTEM_TIME AS OF' a time attribute of the left"
            " table only",
            "Name a column of the left table that has a WATERMARK, or one declared AS PROCTIME().",
            version,
        )
    return item, time


def temporal(join: logical.Join, time: Time, node: exp.Expr) -> logical.TemporalJoin:
    """The join as one with versions or with a lookup, by what kind of time it is.

    Raises:
        UserError: BAD_TEMPORAL_JOIN.
    """
    if join.kind not in (JoinKind.INNER, JoinKind.LEFT):
        _refuse(
            "temporal table join supports INNER JOIN and LEFT JOIN only, but this is a"
            f" {join.kind.value} JOIN",
            "Write JOIN or LEFT JOIN.",
            node,
        )
    if join.condition is None:
        _refuse(
            "the join key of a temporal table join can't be empty",
            "Add ON with equalities of columns of both tables.",
            node,
        )
    processing = time.type.attribute is TimeAttribute.PROCTIME
    return logical.TemporalJoin(
        left=join.left,
        right=join.right,
        kind=join.kind,
        condition=join.condition,
        time=time.name if isinstance(time, Column) else None,
        processing=processing,
        right_time=None if processing else _right_time(join.right, node),
        key=unique_key(join.right),
        schema=join.schema,
        position=join.position,
    )


def _right_time(right: Logical, node: exp.Expr) -> str:
    times = [
        f.name
        for f in right.schema
        if f.type.attribute is TimeAttribute.ROWTIME and carries_time(right, f.name)
    ]
    if not times:
        _refuse(
            "event-time temporal table join requires both primary key and row time attribute in"
            " the versioned table, but no row time attribute can be found",
            "Declare a WATERMARK on the versioned table, and have a view keep that column.",
            node,
        )
    return times[0]


def retyped(node: logical.TemporalJoin, left: Logical) -> logical.TemporalJoin:
    """The join over a left side whose columns have got other types."""
    fields = [
        replace(f, type=left.schema[f.name]) if f.name in left.schema else f for f in node.schema
    ]
    return replace(node, left=left, schema=replace(node.schema, fields=tuple(fields)))


def _refuse(message: str, hint: str, node: exp.Expr) -> NoReturn:
    raise UserError("BAD_TEMPORAL_JOIN", message, hint=hint, position=position(node))
