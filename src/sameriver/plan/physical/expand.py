"""Repeats each row once a grouping set, keys outside the set nulled; stateless."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning, RowScope
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Expand(PhysicalNode):
    """Schema: the input's columns (grouping keys nullable), then ``id`` (BIGINT).

    ``sets`` holds, per grouping set, the names of the keys it keeps; ``keys`` all of them;
    ``id`` names the column with the set's GROUPING_ID over ``keys``.
    """

    input: PhysicalNode
    keys: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...]
    id: str

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        return self.input.changelog

    def meanings(self) -> Meanings:
        """A key means itself or NULL, by the set; the id is told by all keys."""
        below = self.input.meanings()
        own = {key: Meaning(f"GROUPING({below[key]})") for key in self.keys}
        keys = ", ".join(below[key] for key in self.keys)
        return {**below, **own, self.id: Meaning(f"GROUPING_ID({keys})")}

    def scope(self) -> RowScope:
        scope = self.input.scope()
        below = self.input.meanings()
        sets = sorted(f"({', '.join(sorted(below[key] for key in kept))})" for kept in self.sets)
        return scope.through(f"GROUPING SETS ({', '.join(sets)})")

    def details(self) -> tuple[tuple[str, str], ...]:
        sets = ", ".join(f"({', '.join(kept)})" for kept in self.sets)
        return (("sets", sets), ("id", self.id))
