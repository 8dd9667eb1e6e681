"""Deduplication: the first or last row of each key in time (``ROW_NUMBER() ... = 1``)."""

from __future__ import annotations

from datetime import timedelta

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Field, Schema, unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.time import ttl_text
from sameriver.common.types import BOOLEAN, timestamp_ltz
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.aggregate_state import LAST_ACCESS
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Deduplicate(PhysicalNode):
    """Schema: the input's, which is insert-only.

    Attributes:
        keys: the columns of PARTITION BY.
        time: the event time that orders rows; None: they go by arrival.
        last: keep the last row, else the first.
        waits: a first row by event time comes once the watermark has passed it, and is final.
        folded: only what a batch changes at its end; else record by record.
    """

    input: PhysicalNode
    keys: tuple[str, ...]
    time: str | None
    last: bool
    waits: bool
    folded: bool
    ttl: timedelta | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        if self.waits or (self.time is None and not self.last):
            return INSERT_ONLY
        return frozenset({ChangeKind.INSERT, ChangeKind.UPDATE_BEFORE, ChangeKind.UPDATE_AFTER})

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.keys,)

    @property
    def stored(self) -> Schema:
        """The columns of a stored row: all of them, but for the first to arrive the key only."""
        if self.time is not None or self.last:
            return self.input.schema
        seen = unique("seen", self.keys)
        return Schema((*self.input.schema.select(self.keys), Field(seen, BOOLEAN.not_null)))

    def meanings(self) -> Meanings:
        return self.input.meanings()

    def scope(self) -> RowScope:
        scope, below = self.input.scope(), self.input.meanings()
        keys = ", ".join(sorted(below[key] for key in self.keys))
        path = f"{self._order(below)} PER ({keys})"
        return scope.through(path)

    def _order(self, below: Meanings) -> str:
        by = "PROCTIME" if self.time is None else below[self.time]
        return f"{'LAST' if self.last else 'FIRST'} ROW BY {by}"

    def state(self) -> tuple[StateTable, ...]:
        """The kept row of each key; a row that waits for the watermark says so."""
        below, scope = self.input.meanings(), self.input.scope()
        order = self._order(below)
        columns = [
            StateColumn(
                name=f.name,
                type=f.type.plain,
                meaning=below[f.name] if f.name in below else Meaning(f"SEEN({order})"),
                role=Role.KEY if f.name in self.keys else Role.ROW,
            )
            for f in self.stored
        ]
        extra = [("waits", BOOLEAN)] if self.waits else []
        if self.ttl is not None:
            extra.append((LAST_ACCESS, timestamp_ltz(3)))
        for name, type in extra:
            own = unique(name, [column.name for column in columns])
            meaning = Meaning(name.upper())
            columns.append(
                StateColumn(name=own, type=type.not_null, meaning=meaning, role=Role.ROW)
            )
        return (
            StateTable(
                name="rows",
                key=tuple(c for c in columns if c.role is Role.KEY),
                values=tuple(c for c in columns if c.role is not Role.KEY),
                scope=scope.through(order),
                ttl=self.ttl,
            ),
        )

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = [("keep", "LastRow" if self.last else "FirstRow"), ("key", ", ".join(self.keys))]
        shown.append(("order", self.time or "PROCTIME"))
        if self.changelog != INSERT_ONLY:
            shown.append(("emits", "once a key and batch" if self.folded else "record by record"))
        if self.ttl:
            shown.append(("ttl", ttl_text(self.ttl)))
        return tuple(shown)
