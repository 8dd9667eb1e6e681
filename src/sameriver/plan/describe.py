"""One line about a node of a plan, as Flink prints nodes."""

from __future__ import annotations

from sameriver.common.changes import ChangeKind
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode

_SHORT = {
    ChangeKind.INSERT: "I",
    ChangeKind.UPDATE_BEFORE: "UB",
    ChangeKind.UPDATE_AFTER: "UA",
    ChangeKind.DELETE: "D",
}


def describe(node: PhysicalNode) -> str:
    """``GroupAggregate(groupBy=[k], select=[k, COUNT(*) AS c])``."""
    return line(type(node).__name__, node.details())


def line(name: str, details: tuple[tuple[str, str], ...]) -> str:
    return f"{name}({', '.join(f'{key}=[{text}]' for key, text in details)})"


def kinds(mode: ChangelogMode) -> list[str]:
    """Change kinds in Flink's short form and order: I, UB, UA, D."""
    return [_SHORT[kind] for kind in sorted(mode)]
