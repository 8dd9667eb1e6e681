"""A join of rows whose times are no further apart than an interval."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning, RowScope, StateTable
from sameriver.common.time import duration_text
from sameriver.common.types import BOOLEAN, timestamp_ltz
from sameriver.plan.expressions import Expression, to_sql
from sameriver.plan.logical import JoinKind
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.timed_join import (
    Extra,
    JoinKeys,
    extra_name,
    held_rows,
    join_text,
    joined_meanings,
    joined_scope,
)

_MATCHED = Extra("matched", BOOLEAN.not_null, Meaning("MATCHED"))
_ARRIVAL = Extra("arrival", timestamp_ltz(3).not_null, Meaning("PROCTIME()"))


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalJoin(PhysicalNode):
    """Schema: left columns, then right ones.

    A pair matches if its keys are equal, ``lower <= left_time - right_time <= upper`` (ms) and
    ``condition`` holds. Not ``event_time``: a row's time is that of its arrival.
    """

    left: PhysicalNode
    right: PhysicalNode
    kind: JoinKind
    keys: JoinKeys
    left_time: str
    right_time: str
    lower: int
    upper: int
    event_time: bool
    condition: Expression | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.left, self.right)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.keys.left, self.keys.right)

    @property
    def outer(self) -> tuple[bool, bool]:
        """Whether unmatched rows of the left and of the right side come out padded."""
        both = self.kind is JoinKind.FULL
        return both or self.kind is JoinKind.LEFT, both or self.kind is JoinKind.RIGHT

    @property
    def delay(self) -> int:
        """How far the output's watermark is behind that of the input, in ms.

        A row waits as long as that for its match. One that then comes out padded does so one ms
        after its last chance, so outer joins are one more behind.
        """
        if not self.event_time:
            return 0
        return max(0, -self.lower, self.upper) + any(self.outer)

    def meanings(self) -> Meanings:
        return joined_meanings(self)

    def scope(self) -> RowScope:
        return joined_scope(self, self._text())

    def state(self) -> tuple[StateTable, ...]:
        text, (left, right) = self._text(), self.outer
        return (
            held_rows("left", self.left, self.keys.left, text, self._extras(left)),
            held_rows("right", self.right, self.keys.right, text, self._extras(right)),
        )

    def mark(self, port: int) -> str | None:
        """The state column that tells which rows of an outer side have found a match."""
        return extra_name(self.inputs[port], _MATCHED) if self.outer[port] else None

    def time(self, port: int) -> str:
        """The state column that holds the rows' times."""
        if self.event_time:
            return (self.left_time, self.right_time)[port]
        return extra_name(self.inputs[port], _ARRIVAL)

    def _extras(self, outer: bool) -> tuple[Extra, ...]:
        extras = () if self.event_time else (_ARRIVAL,)
        return (*extras, _MATCHED) if outer else extras

    def _text(self) -> str:
        left, right = self.left.meanings(), self.right.meanings()
        times = f"{left[self.left_time]} - {right[self.right_time]}"
        if not self.event_time:
            times = "PROCTIME()"
        text = join_text(self, "INTERVAL", self.kind, self.keys, self.condition)
        return f"{text} AND {times} BETWEEN {self.lower} AND {self.upper}"

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = [("kind", self.kind.value), ("keys", self.keys.shown())]
        difference = f"{self.left_time} - {self.right_time}"
        shown.append(
            (
                "interval",
                f"{duration_text(self.lower)} <= {difference} <= {duration_text(self.upper)}",
            )
        )
        shown.append(("time", "event" if self.event_time else "processing"))
        if self.condition is not None:
            shown.append(("condition", to_sql(self.condition)))
        return tuple((name, text) for name, text in shown if text)
