"""Completes a changelog by the rows that it leaves out."""

from __future__ import annotations

from datetime import timedelta

from sameriver.common.dataclass import dataclass
from sameriver.common.state import RowScope, StateTable
from sameriver.common.time import ttl_text
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.listed_rows import row_table
from sameriver.plan.physical.node import ALL_KINDS, ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangelogNormalize(PhysicalNode):
    """Schema: the input's, of which each key has one row at a time.

    Attributes:
        keys: the columns of the primary key.
        folded: only what a batch changes at its end; else record by record.
    """

    input: PhysicalNode
    keys: tuple[str, ...]
    folded: bool
    ttl: timedelta | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        return ALL_KINDS

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.keys,)

    def meanings(self) -> Meanings:
        return self.input.meanings()

    def scope(self) -> RowScope:
        scope, below = self.input.scope(), self.input.meanings()
        keys = ", ".join(sorted(below[key] for key in self.keys))
        path = (*scope.path, f"NORMALIZED BY ({keys})")
        return RowScope(sources=scope.sources, filters=scope.filters, path=path)

    def state(self) -> tuple[StateTable, ...]:
        """The row of each key."""
        below, scope = self.input.meanings(), self.input.scope()
        return (row_table(self.schema, self.keys, below, scope, self.ttl),)

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = [("key", ", ".join(self.keys))]
        shown.append(("emits", "once a key and batch" if self.folded else "record by record"))
        if self.ttl:
            shown.append(("ttl", ttl_text(self.ttl)))
        return tuple(shown)
