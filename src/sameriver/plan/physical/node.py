"""What all physical nodes share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import wraps
from typing import Any

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position, UserError
from sameriver.common.schema import Schema
from sameriver.common.state import RowScope, StateTable
from sameriver.plan.meaning import Meanings

ChangelogMode = frozenset[ChangeKind]
INSERT_ONLY: ChangelogMode = frozenset({ChangeKind.INSERT})
ALL_KINDS: ChangelogMode = frozenset(ChangeKind)


def _once(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @wraps(method)
    def remembered(self: PhysicalNode) -> Any:
        if method.__name__ not in self.known:
            self.known[method.__name__] = method(self)
        return self.known[method.__name__]

    return remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalNode:
    """A node of the physical plan: data only. ``operators`` holds the operator of each kind.

    Attributes:
        schema: columns of its output.
        position: where the script says it, if known; it plays no part in equality.
        known: meanings, scope and state, once they are worked out.
    """

    schema: Schema
    position: Position | None = field(default=None, compare=False, repr=False)
    known: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __init_subclass__(cls) -> None:
        """Each node asks the nodes below, often for several things: it is worked out once."""
        for name in ("meanings", "scope", "state"):
            method = cls.__dict__.get(name)
            if method is not None and not hasattr(method, "__wrapped__"):
                setattr(cls, name, _once(method))

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

    @property
    def refusal(self) -> UserError | None:
        """Why the node is planned, and judged by the compatibility check, but can't be run."""
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
