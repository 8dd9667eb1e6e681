"""Reads a table's connector."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning, RowScope
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode
from sameriver.plan.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan(PhysicalNode):
    """Physical (and metadata) columns that the query needs; ``schema`` names them."""

    table: Table
    options: tuple[tuple[str, str], ...] = ()
    kinds: ChangelogMode = INSERT_ONLY

    @property
    def changelog(self) -> ChangelogMode:
        return self.kinds

    def meanings(self) -> Meanings:
        """A metadata column is what its key says, whatever it is called."""
        keys = {column.name: f"METADATA.{column.key}" for column in self.table.metadata}
        return {n: Meaning(f"{self.table.name}.{keys.get(n, n)}") for n in self.schema.names}

    def scope(self) -> RowScope:
        return RowScope(sources=(f"{self.table.name}:{self.table.connector}",))

    def details(self) -> tuple[tuple[str, str], ...]:
        return (("table", self.table.name), ("columns", ", ".join(self.schema.names)))
