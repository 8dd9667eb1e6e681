"""What stands between a query and the table that it writes."""

from __future__ import annotations

from sameriver.common.changes import ChangeKind
from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.lower.changes import check_accepted
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.drop_update_before import DropUpdateBefore
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode
from sameriver.plan.physical.sink import Sink
from sameriver.plan.physical.sink_materializer import SinkMaterializer
from sameriver.plan.unique_key import unique_key, unique_keys


def lower_insert(
    node: logical.Insert, below: PhysicalNode, accepted: ChangelogMode, settings: Settings
) -> Sink:
    """The sink, and what makes upserts of the changelog of ``below`` where it takes upserts.

    Raises:
        UserError: UPDATES_NOT_SUPPORTED, MISSING_PRIMARY_KEY.
    """
    if _takes_upserts(accepted):
        below = _upserts(node, below, settings)
    check_accepted(
        below,
        accepted,
        f"Table sink '{node.table.name}'",
        hint="Write to a sink that takes changes (a format such as debezium-json, or the"
        " connectors print and blackhole), or make the query insert-only: aggregate per"
        " window, such as TABLE(CUMULATE(...)) grouped by window_start and window_end.",
    )
    return Sink(schema=node.schema, input=below, table=node.table, position=node.position)


def _takes_upserts(accepted: ChangelogMode) -> bool:
    return ChangeKind.UPDATE_AFTER in accepted and ChangeKind.UPDATE_BEFORE not in accepted


def _upserts(node: logical.Insert, below: PhysicalNode, settings: Settings) -> PhysicalNode:
    """The changelog as upserts by the primary key of the table.

    As in Flink, rows are materialised by that key unless it holds an upsert key of the query, so
    that no two rows can share it. Rows that are only added overwrite each other.
    """
    keys = _keys(node)
    if not keys:
        if below.changelog == INSERT_ONLY:
            return below
        raise UserError(
            "MISSING_PRIMARY_KEY",
            f"table '{node.table.name}' takes changes by its primary key, and has none",
            hint="Add PRIMARY KEY (...) NOT ENFORCED to its columns.",
        )
    held = any(set(key) <= set(keys) for key in unique_keys(node.input))
    apart = below.changelog != INSERT_ONLY and not held
    if settings.materialize == "FORCE" or (settings.materialize == "AUTO" and apart):
        return SinkMaterializer(
            schema=below.schema,
            input=below,
            keys=keys,
            upsert_key=unique_key(node.input),
            folded=settings.folded,
            ttl=settings.ttl,
        )
    if ChangeKind.UPDATE_BEFORE in below.changelog:
        return DropUpdateBefore(schema=below.schema, input=below, keys=keys)
    return below


def _keys(node: logical.Insert) -> tuple[str, ...]:
    """The columns of the query that go into the primary key of the table."""
    pairs = zip(node.table.written, node.input.schema.names, strict=True)
    given = {field.name: name for field, name in pairs}
    return tuple(given[key] for key in node.table.primary_key)
