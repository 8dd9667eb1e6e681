"""What the joins bounded by time share: their keys, the rows they hold, and their meanings."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.types import DataType
from sameriver.plan.expressions import Expression
from sameriver.plan.logical import JoinKind
from sameriver.plan.meaning import Meanings, meaning
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.sides import side_meanings


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinKeys:
    """Columns of both sides that must be equal, pair by pair, each at most once a side.

    ``null_safe``: whether NULL equals NULL in a pair; else NULL matches nothing.
    """

    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    null_safe: tuple[bool, ...] = ()

    @property
    def strict(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The columns of either side whose NULL matches nothing."""
        left = tuple(n for n, safe in zip(self.left, self.null_safe, strict=True) if not safe)
        right = tuple(n for n, safe in zip(self.right, self.null_safe, strict=True) if not safe)
        return left, right

    def text(self, left: Meanings, right: Meanings) -> str:
        """Canonical text of the equalities."""
        pairs = zip(self.left, self.right, self.null_safe, strict=True)
        texts = [
            f"{'IS NOT DISTINCT FROM' if safe else '='}({left[a]}, {right[b]})"
            for a, b, safe in pairs
        ]
        return ", ".join(sorted(texts))

    def shown(self) -> str:
        """The equalities as ``explain`` shows them."""
        pairs = zip(self.left, self.right, self.null_safe, strict=True)
        return ", ".join(
            f"{a} {'IS NOT DISTINCT FROM' if safe else '='} {b}" for a, b, safe in pairs
        )


@dataclass(frozen=True, slots=True)
class Extra:
    """A column of state beside those of the rows; its name gives way to theirs."""

    name: str
    type: DataType
    meaning: Meaning


def extra_name(node: PhysicalNode, extra: Extra) -> str:
    """The column's name in the state of rows of ``node``."""
    return unique(extra.name, node.schema.names)


def held_rows(
    name: str,
    node: PhysicalNode,
    keys: Sequence[str],
    join: str,
    extras: Sequence[Extra] = (),
) -> StateTable:
    """The rows of one side of a join; ``join`` tells canonically how they are joined."""
    below = node.meanings()

    def column(field_name: str, role: Role) -> StateColumn:
        type = node.schema[field_name].plain
        return StateColumn(name=field_name, type=type, meaning=below[field_name], role=role)

    scope = node.scope()
    own = tuple(
        StateColumn(name=extra_name(node, e), type=e.type, meaning=e.meaning, role=Role.ROW)
        for e in extras
    )
    return StateTable(
        name=name,
        key=tuple(column(key, Role.KEY) for key in keys),
        values=(*(column(n, Role.ROW) for n in node.schema.names if n not in keys), *own),
        scope=scope.through(join),
    )


def joined_meanings(node: PhysicalNode) -> Meanings:
    """Meanings of the columns that a join takes over from its inputs."""
    both = side_meanings(*node.inputs)
    return {name: both[name] for name in node.schema.names}


def joined_scope(node: PhysicalNode, join: str) -> RowScope:
    """The rows that come out of a join."""
    left, right = (below.scope() for below in node.inputs)
    return RowScope(
        sources=tuple(sorted((*left.sources, *right.sources))),
        filters=tuple(sorted((*left.filters, *right.filters))),
        path=(*left.path, *right.path, join),
    )


def join_text(
    node: PhysicalNode,
    what: str,
    kind: JoinKind,
    keys: JoinKeys,
    condition: Expression | None,
) -> str:
    """Canonical text of a join: what it is, its kind, and all that a pair must meet."""
    left, right = (below.meanings() for below in node.inputs)
    parts = [f"{kind.value} {what} JOIN ON {keys.text(left, right) or 'TRUE'}"]
    if condition is not None:
        parts.append(meaning(condition, side_meanings(*node.inputs)))
    return " AND ".join(parts)
