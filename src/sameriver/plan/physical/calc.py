"""Filters and projects; stateless."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning, RowScope
from sameriver.plan.expressions import Expression, Named, to_sql
from sameriver.plan.meaning import Meanings, conjuncts, meaning
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Calc(PhysicalNode):
    """``condition`` reads input columns and is applied first."""

    input: PhysicalNode
    columns: tuple[Named, ...]
    condition: Expression | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        return self.input.changelog

    def meanings(self) -> Meanings:
        below = self.input.meanings()
        return {column.name: meaning(column.expression, below) for column in self.columns}

    def scope(self) -> RowScope:
        """A condition above a window, aggregation or join is another than the same one below."""
        scope = self.input.scope()
        if self.condition is None:
            return scope
        more = conjuncts(self.condition, self.input.meanings())
        if scope.path:
            more = tuple(Meaning(f"{part} AFTER {scope.path[-1]}") for part in more)
        return replace(scope, filters=tuple(sorted({*scope.filters, *more})))

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = tuple(_shown(column) for column in self.columns)
        select = (("select", ", ".join(shown)),)
        return select if self.condition is None else (*select, ("where", to_sql(self.condition)))


def _shown(column: Named) -> str:
    text = to_sql(column.expression)
    return text if text == column.name else f"{text} AS {column.name}"
