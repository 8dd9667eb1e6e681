"""What all physical nodes share."""

from __future__ import annotations

from dataclasses import dataclass, field

from sameriver.common.changes import ChangeKind
from sameriver.common.errors import Position
from sameriver.common.schema import Schema
from sameriver.common.state import RowScope, StateTable
from sameriver.plan.meaning import Meanings

ChangelogMode = frozenset[ChangeKind]
INSERT_ONLY: ChangelogMode = frozenset({ChangeKind.INSERT})
ALL_KINDS: ChangelogMode = frozenset(ChangeKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalNode:
    """A node of the physical plan: data only. ``operators`` holds the operator of each kind.

    Attributes:
        schema: columns of its output.
        position: where the script says it, if known; it plays no part in equality.
    """

    schema: Schema
    position: Position | None = field(default=None, compare=False, repr=False)

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        """The nodes below, by port."""
        return ()

    @property
    def changelog(self) -> ChangelogMode:
        """The change kinds it may emit."""
        return INSERT_ONLY

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        """Per port, the columns whose equal values must meet in one shard.

        None: the node is stateless, any shard will do. Empty columns: one shard takes all.
        """
        return None

    def meanings(self) -> Meanings:
        """Meaning of each output column."""
        raise NotImplementedError

    def scope(self) -> RowScope:
        """Which rows it emits, for the state tables of the nodes above."""
        raise NotImplementedError

    def state(self) -> tuple[StateTable, ...]:
        """The tables it keeps; stateless nodes keep none."""
        return ()

    def details(self) -> tuple[tuple[str, str], ...]:
        """Name and text of what ``explain`` prints about it."""
        return ()
