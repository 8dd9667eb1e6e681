"""What nodes that store whole rows under a key share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sameriver.common.schema import Schema, unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.types import timestamp_ltz
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.aggregate_state import LAST_ACCESS


def row_table(
    schema: Schema,
    keys: Sequence[str],
    below: Meanings,
    scope: RowScope,
    ttl: timedelta | None,
) -> StateTable:
    """Rows of the schema; with a TTL, the last column tells when their list was last written."""
    columns = {
        f.name: StateColumn(
            name=f.name,
            type=f.type.plain,
            meaning=below[f.name],
            role=Role.KEY if f.name in keys else Role.ROW,
        )
        for f in schema
    }
    values = [column for column in columns.values() if column.role is Role.ROW]
    if ttl is not None:
        values.append(
            StateColumn(
                name=unique(LAST_ACCESS, schema.names),
                type=timestamp_ltz(3).not_null,
                meaning=Meaning(LAST_ACCESS.upper()),
                role=Role.ROW,
            )
        )
    return StateTable(
        name="rows",
        key=tuple(columns[key] for key in keys),
        values=tuple(values),
        scope=scope,
        ttl=ttl,
    )
