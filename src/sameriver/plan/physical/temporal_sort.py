"""ORDER BY event time, ascending, and further keys."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.types import BIGINT, timestamp
from sameriver.plan.expressions import SortKey
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.ordering import key_names, order_meaning, order_text


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalSort(PhysicalNode):
    """Schema: the input's. Keys are columns; the first is an event time, ascending.

    Rows wait until the watermark passes them.
    """

    input: PhysicalNode
    keys: tuple[SortKey, ...]

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def time(self) -> str:
        """The column of the first key."""
        return key_names(self.keys)[0]

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return ((),)

    def meanings(self) -> Meanings:
        return self.input.meanings()

    def scope(self) -> RowScope:
        return self.input.scope()

    def state(self) -> tuple[StateTable, ...]:
        """The rows that wait, and the time of the last that was given."""
        below, scope = self.input.meanings(), self.scope()
        order = f"ORDER BY {order_meaning(self.keys, below)}"
        names = self.schema.names
        rows = tuple(
            StateColumn(name=f.name, type=f.type.plain, meaning=below[f.name], role=Role.ROW)
            for f in self.schema
        )
        position = StateColumn(
            name=unique("position", names),
            type=BIGINT.not_null,
            meaning=Meaning(f"POSITION({order})"),
            role=Role.KEY,
        )
        last = StateColumn(
            name="last_time",
            type=timestamp(3).not_null,
            meaning=Meaning(f"LAST_TIME({order})"),
            role=Role.ROW,
        )
        return (
            StateTable(name="rows", key=(position,), values=rows, scope=scope),
            StateTable(name="progress", key=(), values=(last,), scope=scope),
        )

    def details(self) -> tuple[tuple[str, str], ...]:
        return (("orderBy", order_text(self.keys)),)
