"""Joins with a table that is looked up by processing time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BOOLEAN
from sameriver.plan import logical
from sameriver.plan.expressions import Call, Column, Literal, Named, columns, substitute
from sameriver.plan.logical import JoinKind
from sameriver.plan.lower.calc import calc
from sameriver.plan.lower.join_parts import Equality, condition_parts, join_parts, with_keys
from sameriver.plan.lower.lookup_table import lookup_table
from sameriver.plan.physical.lookup_join import LookupJoin
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.timed_join import JoinKeys
from sameriver.plan.rules.tree import conjunction
from sameriver.plan.table import Table


def lookup_join(
    node: logical.TemporalJoin, left: PhysicalNode, looked_up: Callable[[Table], bool]
) -> PhysicalNode:
    """The lookup by the equalities of ON with columns of the table.

    Args:
        node: the join; its right side is the table.
        left: the lowered left side.
        looked_up: whether a table's connector can find rows by key.

    Raises:
        UserError: BAD_TEMPORAL_JOIN, UNSUPPORTED.
    """
    looked = lookup_table(node.right, left.schema.names)
    scan = looked.scan
    table = replace(scan.table, options={**scan.table.options, **dict(scan.options)})
    if not looked_up(table):
        raise UserError(
            "UNSUPPORTED",
            "processing-time temporal join is not supported yet: connector"
            f" '{table.connector}' of table '{table.name}' can't look rows up by key",
            hint="Join by event time (FOR SYSTEM_TIME AS OF a column with a WATERMARK), or look up"
            " an insert-only table of the connectors 'filesystem' or 'frame'.",
        )
    by = {column.name: column.expression for column in looked.columns}
    tests = [substitute(part, by) for part in condition_parts(node.condition)]
    parts = join_parts([*tests, *looked.filters], left.schema, looked.schema)
    chosen: dict[str, Equality] = {}
    for equality in parts.equalities:
        name = equality.right.name if isinstance(equality.right, Column) else None
        if name is not None and not equality.null_safe:
            chosen.setdefault(name, equality)
    if not chosen:
        raise UserError(
            "BAD_TEMPORAL_JOIN",
            f"temporal table join requires an equality condition on fields of table '{table.name}'",
            hint="Add to ON an equality of a column of the table and one of the left side.",
        )
    rest = [*(e.test for e in parts.equalities if e not in chosen.values()), *parts.rest]
    left, names = with_keys(left, [e.left for e in chosen.values()], "$key")
    shown = [c for c in looked.columns if c.name in node.schema]
    read = {name for e in (*rest, *(c.expression for c in shown)) for name in columns(e)}
    found = [f for f in looked.schema if f.name in read or f.name in chosen]
    joined = LookupJoin(
        schema=_schema(node, left.schema, found),
        input=left,
        table=scan.table,
        options=scan.options,
        columns=tuple((f.name, looked.names[f.name]) for f in found),
        kind=node.kind,
        keys=JoinKeys(left=names, right=tuple(chosen), null_safe=(False,) * len(chosen)),
        condition=conjunction(rest) if rest else None,
    )
    return calc(joined, _columns(node, joined, shown))


def _schema(node: logical.TemporalJoin, left: Schema, found: Sequence[Field]) -> Schema:
    """Left columns of the join, then the columns found."""
    nullable = node.kind is JoinKind.LEFT
    kept = [f for f in node.schema if f.name in left]
    added = [Field(f.name, f.type.with_nullable(nullable or f.type.nullable)) for f in found]
    return Schema((*kept, *added))


def _columns(node: logical.TemporalJoin, joined: LookupJoin, shown: Sequence[Named]) -> list[Named]:
    """The columns of the join: left ones, then those of the right side, NULL without a match."""
    computed = {column.name: column.expression for column in shown}
    key = joined.keys.right[0]
    missing = Call("IS NULL", (Column(key, joined.schema[key]),), BOOLEAN.not_null)
    named = []
    for field in node.schema:
        expression = computed.get(field.name, Column(field.name, field.type))
        if isinstance(expression, Column):
            expression = Column(expression.name, joined.schema[expression.name])
        elif node.kind is JoinKind.LEFT:
            none = Literal(None, field.type.with_nullable(True))
            expression = Call("CASE", (missing, none, expression), none.type)
        named.append(Named(field.name, expression))
    return named
