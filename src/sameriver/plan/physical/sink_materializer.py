"""Brings the rows of a query under the primary key of a sink."""

from __future__ import annotations

from datetime import timedelta

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.state import RowScope, StateTable
from sameriver.common.time import ttl_text
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.listed_rows import row_table
from sameriver.plan.physical.node import ALL_KINDS, ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkMaterializer(PhysicalNode):
    """Schema: the input's. Of the rows of a key the last one comes out, as an upsert.

    Attributes:
        keys: the columns that the sink takes its primary key from.
        upsert_key: columns that tell the rows of the input apart; empty: none are known.
        folded: only what a batch changes at its end; else record by record.
    """

    input: PhysicalNode
    keys: tuple[str, ...]
    upsert_key: tuple[str, ...]
    folded: bool
    ttl: timedelta | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        return ALL_KINDS - {ChangeKind.UPDATE_BEFORE}

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.keys,)

    def meanings(self) -> Meanings:
        return self.input.meanings()

    def scope(self) -> RowScope:
        return self.input.scope()

    def state(self) -> tuple[StateTable, ...]:
        """The rows of each key in order of arrival, told apart by the upsert key if known."""
        keys = tuple(dict.fromkeys((*self.keys, *self.upsert_key)))
        below, scope = self.input.meanings(), self.input.scope()
        return (row_table(self.schema, keys, below, scope, self.ttl),)

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = [("key", ", ".join(self.keys))]
        if self.upsert_key:
            shown.append(("upsert key", ", ".join(self.upsert_key)))
        shown.append(("emits", "once a key and batch" if self.folded else "record by record"))
        if self.ttl:
            shown.append(("ttl", ttl_text(self.ttl)))
        return tuple(shown)
