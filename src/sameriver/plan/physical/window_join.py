"""A join of rows of the same window."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.state import RowScope, StateTable
from sameriver.plan.expressions import Expression, to_sql
from sameriver.plan.logical import JoinKind
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.timed_join import (
    JoinKeys,
    held_rows,
    join_text,
    joined_meanings,
    joined_scope,
)
from sameriver.plan.physical.window_state import window_text
from sameriver.plan.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowJoin(PhysicalNode):
    """Schema: left columns, then right ones; of SEMI and ANTI left ones only.

    ``left_window`` and ``right_window`` name the start and end columns of both sides, ``window``
    tells by which time they were cut. Windows are joined when they end.
    """

    left: PhysicalNode
    right: PhysicalNode
    kind: JoinKind
    keys: JoinKeys
    window: Window
    left_window: tuple[str, str]
    right_window: tuple[str, str]
    condition: Expression | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.left, self.right)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.keys.left, self.keys.right)

    def meanings(self) -> Meanings:
        return joined_meanings(self)

    def scope(self) -> RowScope:
        return joined_scope(self, self._text())

    def state(self) -> tuple[StateTable, ...]:
        text = self._text()
        return (
            held_rows("left", self.left, self.keys.left, text),
            held_rows("right", self.right, self.keys.right, text),
        )

    def _text(self) -> str:
        left, right = self.left.meanings(), self.right.meanings()
        text = join_text(self, "WINDOW", self.kind, self.keys, self.condition)
        ends = f"{left[self.left_window[1]]}, {right[self.right_window[1]]}"
        return f"{text} BY {ends}"

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = [("kind", self.kind.value), ("keys", self.keys.shown())]
        shown.append(("left", window_text(self.window, self.left_window)))
        shown.append(("right", window_text(self.window, self.right_window)))
        if self.condition is not None:
            shown.append(("condition", to_sql(self.condition)))
        return tuple((name, text) for name, text in shown if text)
