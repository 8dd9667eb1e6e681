"""Writes to a table's connector, or hands the changelog of a query to the session."""

from __future__ import annotations

from dataclasses import field

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position
from sameriver.common.state import RowScope
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode
from sameriver.plan.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink(PhysicalNode):
    """``table`` None: the changelog of a SELECT is collected.

    ``places``: where the script says each column, if that is known.
    """

    input: PhysicalNode
    table: Table | None
    places: tuple[Position | None, ...] = field(default=(), compare=False, repr=False)

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        return self.input.changelog

    def meanings(self) -> Meanings:
        below = self.input.meanings()
        pairs = zip(self.schema.names, self.input.schema.names, strict=True)
        return {name: below[source] for name, source in pairs}

    def scope(self) -> RowScope:
        return self.input.scope()

    def details(self) -> tuple[tuple[str, str], ...]:
        table = (("table", self.table.name),) if self.table is not None else ()
        return (*table, ("fields", ", ".join(self.schema.names)))
