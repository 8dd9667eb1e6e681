"""Table functions: rows for a row; stateless."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Schema
from sameriver.common.state import Meaning, RowScope
from sameriver.functions.signature import TableFunction
from sameriver.plan.expressions import Expression, to_sql
from sameriver.plan.meaning import Meanings, meaning
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlate(PhysicalNode):
    """Schema: the input's columns, then those of the function.

    Attributes:
        outer: a row for which the function gives none comes out once, padded with NULL.
    """

    input: PhysicalNode
    function: TableFunction
    args: tuple[Expression, ...]
    outer: bool

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        """Each change of a row is one of all the rows it stands for."""
        return self.input.changelog

    @property
    def added(self) -> Schema:
        """The function's columns."""
        return Schema(self.schema.fields[len(self.input.schema) :])

    def meanings(self) -> Meanings:
        call = self._call()
        added = {
            name: Meaning(f"{call}[{place}]") for place, name in enumerate(self.added.names, 1)
        }
        return {**self.input.meanings(), **added}

    def scope(self) -> RowScope:
        scope = self.input.scope()
        join = "LEFT JOIN" if self.outer else "JOIN"
        return scope.through(f"{join} {self._call()}")

    def _call(self) -> str:
        below = self.input.meanings()
        args = ", ".join(meaning(arg, below) for arg in self.args)
        return f"{self.function.name}({args})"

    def details(self) -> tuple[tuple[str, str], ...]:
        call = f"{self.function.name}({', '.join(map(to_sql, self.args))})"
        kind = "LEFT" if self.outer else "INNER"
        return (("call", call), ("join", kind), ("adds", ", ".join(self.added.names)))
