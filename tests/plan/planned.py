"""Hand-made tables, expressions and plans for the tests of the planner."""

from __future__ import annotations

from typing import TypeVar

from sameriver.common.config import Config
from sameriver.common.schema import Field, Schema
from sameriver.common.types import (
    BIGINT,
    BOOLEAN,
    INT,
    PROCTIME,
    ROWTIME,
    STRING,
    DataType,
    timestamp,
)
from sameriver.plan import logical
from sameriver.plan.expressions import AggregateCall, Call, Column, Expression, Literal, Named
from sameriver.plan.logical import Logical
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.planner import plan_job
from sameriver.plan.table import Table, WatermarkSpec
from sameriver.plan.window import Window, WindowKind

PHYSICAL = (
    Field("id", BIGINT),
    Field("k", STRING),
    Field("qty", INT),
    Field("ts", timestamp(3)),
)
WATERMARK = WatermarkSpec("ts", Column("ts", timestamp(3)))
ORDERS = Table(
    name="orders",
    schema=Schema.of(
        [("id", BIGINT), ("k", STRING), ("qty", INT), ("ts", ROWTIME), ("proc", PROCTIME)]
    ),
    physical=PHYSICAL,
    computed=(Named("proc", Call("PROCTIME", (), PROCTIME)),),
    watermark=WATERMARK,
    options={"connector": "filesystem"},
)
BOUNDS = [("window_start", timestamp(3)), ("window_end", timestamp(3)), ("window_time", ROWTIME)]
MINUTE = 60_000
T = TypeVar("T", bound=PhysicalNode)


def scan(table: Table = ORDERS) -> logical.Scan:
    return logical.Scan(table=table, schema=table.schema)


def column(node: Logical | PhysicalNode, name: str) -> Column:
    return Column(name, node.schema[name])


def number(value: int, type: DataType = INT) -> Literal:
    return Literal(value, type.not_null)


def call(function: str, *args: Expression, type: DataType = BOOLEAN) -> Call:
    return Call(function, args, type)


def where(node: Logical, condition: Expression) -> logical.Filter:
    return logical.Filter(input=node, condition=condition)


def select(node: Logical, **columns: str | Expression) -> logical.Project:
    """Columns by output name: an input column's name, or an expression."""
    named = (
        Named(name, column(node, what) if isinstance(what, str) else what)
        for name, what in columns.items()
    )
    return logical.Project(input=node, columns=tuple(named))


def aggregate(
    name: str, function: str, *args: Expression, distinct: bool = False, type: DataType = BIGINT
) -> AggregateCall:
    return AggregateCall(name=name, function=function, args=args, distinct=distinct, type=type)


def group(
    node: Logical,
    keys: tuple[str, ...],
    *calls: AggregateCall,
    sets: tuple[tuple[str, ...], ...] | None = None,
    ttl: str | None = None,
) -> logical.Aggregate:
    loose = {key for key in keys if any(key not in kept for kept in sets or ())}
    fields = [
        Field(k, node.schema[k].with_nullable(node.schema[k].nullable or k in loose)) for k in keys
    ]
    fields += [Field(c.name, c.type) for c in calls]
    return logical.Aggregate(
        input=node, keys=keys, calls=calls, sets=sets, ttl_hint=ttl, schema=Schema(tuple(fields))
    )


def window(
    node: Logical,
    kind: WindowKind = WindowKind.TUMBLE,
    time: str = "ts",
    partition: tuple[str, ...] = (),
    size: int = MINUTE,
) -> logical.WindowTable:
    bounds = [Field(name, type) for name, type in BOUNDS]
    taken = set(node.schema.names)
    renamed = [Field(f.name + ("0" if f.name in taken else ""), f.type) for f in bounds]
    return logical.WindowTable(
        input=node,
        window=Window(kind=kind, time=time, type=node.schema[time], size=size, partition=partition),
        schema=Schema((*node.schema, *renamed)),
    )


def plan(*queries: Logical, **options: str) -> PhysicalNode:
    """What feeds the first query's sink; keys of options with ``_`` for ``.`` and ``-``."""
    keys = {"minibatch": "table.exec.mini-batch.enabled", "ttl": "table.exec.state.ttl"}
    config = Config({keys[key]: value for key, value in options.items()})
    return plan_job(queries, config)[0].input


def kinds_of(node: PhysicalNode) -> list[str]:
    """Class names of a chain of nodes, top first."""
    names = [type(node).__name__]
    return names + [name for below in node.inputs for name in kinds_of(below)]


def all_of(node: PhysicalNode, kind: type[T]) -> list[T]:
    """All nodes of a kind, top first."""
    own = [node] if isinstance(node, kind) else []
    return own + [found for below in node.inputs for found in all_of(below, kind)]


def find(node: PhysicalNode, kind: type[T]) -> T:
    """The only node of a kind."""
    (found,) = all_of(node, kind)
    return found
