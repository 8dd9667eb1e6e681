"""LIMIT and OFFSET without an order: the first rows to come."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.types import BIGINT
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit(PhysicalNode):
    """Schema: the input's, which is insert-only: its first ``limit`` rows after ``offset``."""

    input: PhysicalNode
    limit: int
    offset: int

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return ((),)

    def meanings(self) -> Meanings:
        return self.input.meanings()

    def scope(self) -> RowScope:
        scope = self.input.scope()
        return scope.through(self._text())

    def state(self) -> tuple[StateTable, ...]:
        """How many rows have come; those beyond the limit are not counted."""
        count = StateColumn(
            name="rows",
            type=BIGINT.not_null,
            meaning=Meaning(f"COUNT(*) {self._text()}"),
            role=Role.ROW,
        )
        return (StateTable(name="count", key=(), values=(count,), scope=self.input.scope()),)

    def details(self) -> tuple[tuple[str, str], ...]:
        return (("offset", str(self.offset)), ("fetch", str(self.limit)))

    def _text(self) -> str:
        return f"LIMIT {self.limit} OFFSET {self.offset}"
