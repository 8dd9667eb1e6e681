"""INTERSECT and EXCEPT."""

from __future__ import annotations

from datetime import timedelta

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.time import ttl_text
from sameriver.common.types import BIGINT, timestamp_ltz
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.aggregate_state import LAST_ACCESS
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOperation(PhysicalNode):
    """Columns by position, under the names of ``schema``; both inputs have its types.

    Attributes:
        kind: INTERSECT or EXCEPT.
        all: as multisets.
        folded: only what a batch changes at its end; else record by record.
    """

    kind: str
    all: bool
    left: PhysicalNode
    right: PhysicalNode
    folded: bool
    ttl: timedelta | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.left, self.right)

    @property
    def changelog(self) -> ChangelogMode:
        """The same in both modes, though folded batches give +I and -D only."""
        kinds = {ChangeKind.INSERT}
        updates = any(below.changelog != INSERT_ONLY for below in self.inputs)
        if self.kind == "EXCEPT" or updates:
            kinds.add(ChangeKind.DELETE)
        if self.all:
            kinds |= {ChangeKind.UPDATE_BEFORE, ChangeKind.UPDATE_AFTER}
        return frozenset(kinds)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.left.schema.names, self.right.schema.names)

    @property
    def operation(self) -> str:
        """``EXCEPT ALL`` and the like."""
        return f"{self.kind} ALL" if self.all else self.kind

    def meanings(self) -> Meanings:
        """Rows of the result are rows of the left input."""
        below = self.left.meanings()
        names = zip(self.schema.names, self.left.schema.names, strict=True)
        return {name: below[of] for name, of in names}

    def scope(self) -> RowScope:
        """Rows of the left, as those of the right let them through."""
        left, right = self.left.scope(), self.right.scope()
        below = self.right.meanings()
        columns = ", ".join(below[name] for name in self.right.schema.names)
        parts = ("; ".join((*right.sources, *right.path)), *right.filters, columns)
        return RowScope(
            sources=tuple(sorted((*left.sources, *right.sources))),
            filters=left.filters,
            path=(*left.path, f"{self.operation}({' | '.join(parts)})"),
        )

    def state(self) -> tuple[StateTable, ...]:
        """How often each row is there on either side."""
        meanings = self.meanings()
        keys = tuple(
            StateColumn(name=f.name, type=f.type.plain, meaning=meanings[f.name], role=Role.KEY)
            for f in self.schema
        )
        taken = [column.name for column in keys]
        values = []
        kept = [("left_count", BIGINT), ("right_count", BIGINT)]
        if self.ttl is not None:
            kept.append((LAST_ACCESS, timestamp_ltz(3)))
        for name, type in kept:
            taken.append(unique(name, taken))
            meaning = Meaning(name.upper())
            values.append(
                StateColumn(name=taken[-1], type=type.not_null, meaning=meaning, role=Role.ROW)
            )
        return (
            StateTable(
                name="rows", key=keys, values=tuple(values), scope=self.scope(), ttl=self.ttl
            ),
        )

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = [("operation", self.operation), ("select", ", ".join(self.schema.names))]
        shown.append(("emits", "what a batch changes" if self.folded else "record by record"))
        if self.ttl:
            shown.append(("ttl", ttl_text(self.ttl)))
        return tuple(shown)
