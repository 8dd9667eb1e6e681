"""Joins with a table that is looked up by processing time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.expressions import Column
from sameriver.plan.logical import Logical
from sameriver.plan.lower.join_parts import Equality, condition_parts, join_parts, with_keys
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
    scan, columns = _table(node.right)
    table = replace(scan.table, options={**scan.table.options, **dict(scan.options)})
    if not looked_up(table):
        raise UserError(
            "UNSUPPORTED",
            "processing-time temporal join is not supported yet: connector"
            f" '{table.connector}' of table '{table.name}' can't look rows up by key",
            hint="Join by event time (FOR SYSTEM_TIME AS OF a column with a WATERMARK), or look up"
            " an insert-only table of the connectors 'filesystem' or 'frame'.",
        )
    parts = join_parts(condition_parts(node.condition), left.schema, node.right.schema)
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
    return LookupJoin(
        schema=node.schema,
        input=left,
        table=scan.table,
        options=scan.options,
        columns=columns,
        kind=node.kind,
        keys=JoinKeys(left=names, right=tuple(chosen), null_safe=(False,) * len(chosen)),
        condition=conjunction(rest) if rest else None,
    )


def _table(node: Logical) -> tuple[logical.Scan, tuple[tuple[str, str], ...]]:
    """The scan of the right side, and its columns: name in the join, name in the table."""
    if isinstance(node, logical.Project):
        scan, below = _table(node.input)
        names = dict(below)
        if all(isinstance(c.expression, Column) for c in node.columns):
            pairs = ((c.name, c.expression) for c in node.columns)
            return scan, tuple((n, names[e.name]) for n, e in pairs if isinstance(e, Column))
    if isinstance(node, logical.Scan):
        physical = {f.name for f in node.table.physical}
        if all(name in physical for name in node.schema.names):
            return node, tuple((name, name) for name in node.schema.names)
    raise UserError(
        "UNSUPPORTED",
        "processing-time temporal join is not supported yet but for a table that is looked up"
        " as it is",
        hint="Join the table itself, without view or computed columns, and compute above the join.",
    )
