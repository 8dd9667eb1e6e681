"""UNION ALL; stateless."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning, RowScope
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Union(PhysicalNode):
    """Columns by position, under the names of ``schema``."""

    branches: tuple[PhysicalNode, ...]

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return self.branches

    @property
    def changelog(self) -> ChangelogMode:
        return frozenset(kind for branch in self.branches for kind in branch.changelog)

    def meanings(self) -> Meanings:
        """The order of the branches makes no difference."""
        texts = [texts for _, texts in self._ordered()]
        columns = zip(*texts, strict=True)
        return {
            name: Meaning(f"UNION({', '.join(column)})")
            for name, column in zip(self.schema.names, columns, strict=True)
        }

    def scope(self) -> RowScope:
        """Sources and paths of all branches; their filters as one, since each holds for its own
        branch only."""
        scopes = [scope for scope, _ in self._ordered()]
        labels = ["; ".join((*scope.sources, *scope.path)) for scope in scopes]
        filters: tuple[Meaning, ...] = ()
        if any(scope.filters for scope in scopes):
            parts = [
                f"{label}: {', '.join(scope.filters) or 'TRUE'}"
                for label, scope in zip(labels, scopes, strict=True)
            ]
            filters = (Meaning(f"UNION({' | '.join(parts)})"),)
        return RowScope(
            sources=tuple(sorted(source for scope in scopes for source in scope.sources)),
            filters=filters,
            path=(f"UNION ALL({' | '.join(labels)})",),
        )

    def details(self) -> tuple[tuple[str, str], ...]:
        return (("all", "true"), ("union", ", ".join(self.schema.names)))

    def _ordered(self) -> list[tuple[RowScope, tuple[Meaning, ...]]]:
        """Scope and column meanings of each branch, in an order of their own."""
        branches = []
        for branch in self.branches:
            below = branch.meanings()
            branches.append((branch.scope(), tuple(below[name] for name in branch.schema.names)))
        return sorted(branches, key=repr)
