"""Makes upserts of a changelog that tells its rows apart by the key of a sink."""

from __future__ import annotations

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.state import RowScope
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class DropUpdateBefore(PhysicalNode):
    """Schema: the input's. -U goes where a row of the same key follows, and is -D elsewhere.

    Attributes:
        keys: the columns that the sink takes its primary key from.
    """

    input: PhysicalNode
    keys: tuple[str, ...]

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        return (self.input.changelog - {ChangeKind.UPDATE_BEFORE}) | {ChangeKind.DELETE}

    def meanings(self) -> Meanings:
        return self.input.meanings()

    def scope(self) -> RowScope:
        return self.input.scope()

    def details(self) -> tuple[tuple[str, str], ...]:
        return (("key", ", ".join(self.keys)),)
