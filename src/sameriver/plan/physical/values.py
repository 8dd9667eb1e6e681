"""Literal rows."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning, RowScope
from sameriver.plan.expressions import Expression, to_sql
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Values(PhysicalNode):
    rows: tuple[tuple[Expression, ...], ...]

    def meanings(self) -> Meanings:
        return {name: Meaning(f"VALUES.{place}") for place, name in enumerate(self.schema.names)}

    def scope(self) -> RowScope:
        return RowScope(sources=(f"VALUES {self._text()}",))

    def details(self) -> tuple[tuple[str, str], ...]:
        return (("tuples", self._text()),)

    def _text(self) -> str:
        return ", ".join(f"({', '.join(to_sql(value) for value in row)})" for row in self.rows)
