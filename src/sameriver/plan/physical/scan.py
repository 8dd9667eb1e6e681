"""Reads a table's connector."""

from __future__ import annotations

from collections.abc import Iterator

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning, RowScope
from sameriver.common.types import DataType
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode
from sameriver.plan.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan(PhysicalNode):
    """Physical (and metadata) columns that the query needs; ``schema`` names them.

    Where the type of a column is a ROW of fewer fields than are declared, only these are read.
    """

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
        declared = {field.name: field.type for field in self.table.physical}
        read = (path for f in self.schema for path in _read(f.name, f.type, declared[f.name]))
        return (("table", self.table.name), ("columns", ", ".join(read)))


def _read(name: str, type: DataType, declared: DataType) -> Iterator[str]:
    """The column, or those of its fields that are read."""
    if type == declared:
        yield name
        return
    known = dict(zip(declared.names, declared.children, strict=True))
    for field, child in zip(type.names, type.children, strict=True):
        yield from _read(f"{name}.{field}", child, known[field])
