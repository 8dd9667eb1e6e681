"""A window call below an aggregation is taken into it, through what stands between the two."""

from __future__ import annotations

from dataclasses import field, replace

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import unique
from sameriver.plan import logical
from sameriver.plan.determinism import deterministic
from sameriver.plan.expressions import Column, Expression, Named, columns, substitute
from sameriver.plan.logical import Logical
from sameriver.plan.rules.tree import filtered, parts_of
from sameriver.plan.window import Window, WindowKind
from sameriver.plan.window_columns import key_columns


@dataclass(frozen=True, slots=True)
class Pulled:
    """The aggregation's input without the window call, the window over it, and the conditions on
    keys and window columns that go above the aggregation instead."""

    below: Logical
    window: Window
    above: tuple[Expression, ...]


class _Stuck(Exception):
    """The window call has to stay where it is."""


@dataclass(slots=True)
class _Climb:
    """The plan above the window call, rebuilt without it step by step, from the bottom."""

    below: Logical
    window: Window
    own: set[str]
    """Window columns, under their names here."""
    above: list[Expression] = field(default_factory=list)

    def filter(self, step: logical.Filter) -> None:
        kept: list[Expression] = []
        for part in parts_of(step.condition):
            (self.above if columns(part) & self.own else kept).append(part)
        if kept and self.window.kind is WindowKind.SESSION:
            raise _Stuck
        self.below = filtered(self.below, kept)

    def project(self, step: logical.Project) -> None:
        own = {c.name for c in step.columns if self._is_own(c.expression)}
        kept = [c for c in step.columns if c.name not in own]
        if any(columns(c.expression) & self.own for c in kept):
            raise _Stuck
        names = {
            c.expression.name: Column(c.name, c.expression.type)
            for c in step.columns
            if isinstance(c.expression, Column)
        }
        if any(not columns(part) <= set(names) for part in self.above):
            raise _Stuck
        self.above = [substitute(part, dict(names)) for part in self.above]
        taken = [c.name for c in step.columns]
        time = self._carry(self.window.time, kept, taken)
        partition = tuple(self._carry(name, kept, taken) for name in self.window.partition)
        self.window = replace(self.window, time=time, partition=partition)
        self.below = logical.Project(input=self.below, columns=tuple(kept))
        self.own = own

    def _carry(self, name: str, kept: list[Named], taken: list[str]) -> str:
        """Name above of a column that the window needs; it is added if it is not there."""
        column = Column(name, self.below.schema[name])
        for candidate in kept:
            if isinstance(candidate.expression, Column) and candidate.expression.name == name:
                return candidate.name
        carried = unique(name, taken)
        kept.append(Named(carried, column))
        taken.append(carried)
        return carried

    def _is_own(self, expression: Expression) -> bool:
        return isinstance(expression, Column) and expression.name in self.own


def pull_window(node: logical.Aggregate) -> Pulled | None:
    """None if the window call must stay: below is no window call (a cascade in the same window),
    something computes from window columns, or sessions would come out differently."""
    steps: list[logical.Project | logical.Filter] = []
    below = node.input
    while isinstance(below, logical.Project | logical.Filter):
        steps.append(below)
        below = below.input
    if not isinstance(below, logical.WindowTable):
        return None
    climb = _Climb(below.input, below.window, set(below.schema.names[-3:]))
    try:
        for step in reversed(steps):
            if isinstance(step, logical.Filter):
                climb.filter(step)
            else:
                climb.project(step)
    except _Stuck:
        return None
    return Pulled(climb.below, climb.window, tuple(climb.above)) if _fits(node, climb) else None


def _fits(node: logical.Aggregate, climb: _Climb) -> bool:
    own = set(key_columns(node).properties)
    keys = set(node.keys) - own
    allowed = own | (keys if node.sets is None else set())
    read = {c for call in node.calls for e in (*call.args, call.filter) if e for c in columns(e)}
    same_sessions = climb.window.kind is not WindowKind.SESSION or (
        node.sets is None and set(climb.window.partition) == keys
    )
    hoistable = all(columns(p) <= allowed and deterministic(p) for p in climb.above)
    return hoistable and same_sessions and not read & climb.own
