"""What nodes that rank rows within a partition share: the ranking's meaning, the stored rows."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.common.schema import Schema, unique
from sameriver.common.state import Meaning, Role, StateColumn
from sameriver.common.types import BIGINT
from sameriver.plan.expressions import SortKey
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.ordering import order_meaning


def ranking(partition: Sequence[str], order: Sequence[SortKey], below: Meanings) -> str:
    """``PARTITION BY ... ORDER BY ...`` over source columns; order of the partition is nothing."""
    keys = ", ".join(sorted(below[key] for key in partition))
    return f"PARTITION BY {keys or '()'} ORDER BY {order_meaning(order, below)}"


def row_columns(
    schema: Schema, partition: Sequence[str], below: Meanings
) -> dict[str, StateColumn]:
    """The columns of stored rows by name; those of the partition are keys."""
    return {
        f.name: StateColumn(
            name=f.name,
            type=f.type.plain,
            meaning=below[f.name],
            role=Role.KEY if f.name in partition else Role.ROW,
        )
        for f in schema
    }


def position_column(schema: Schema) -> StateColumn:
    """Tells the rows of one partition apart."""
    return StateColumn(
        name=unique("position", schema.names),
        type=BIGINT.not_null,
        meaning=Meaning("POSITION"),
        role=Role.KEY,
    )
