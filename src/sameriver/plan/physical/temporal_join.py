"""A join with the version of a row that was valid at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.time import ttl_text
from sameriver.common.types import BOOLEAN, TINYINT, timestamp_ltz
from sameriver.plan.expressions import Expression, to_sql
from sameriver.plan.logical import JoinKind
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.aggregate_state import LAST_ACCESS
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode
from sameriver.plan.physical.timed_join import (
    Extra,
    JoinKeys,
    extra_name,
    held_rows,
    join_text,
    joined_meanings,
    joined_scope,
)

_KIND = Extra("change_kind", TINYINT.not_null, Meaning("CHANGE_KIND"))
_DELETED = Extra("deleted", BOOLEAN.not_null, Meaning("DELETED"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalJoin(PhysicalNode):
    """Schema: left columns, then right ones; kind INNER or LEFT.

    A left row meets the last version of its key whose ``right_time`` is not after its own
    ``left_time``. It waits until the watermark says that no such version is still to come.
    ``ttl``: how long the rows of a key live after the last one came or went.
    """

    left: PhysicalNode
    right: PhysicalNode
    kind: JoinKind
    keys: JoinKeys
    left_time: str
    right_time: str
    condition: Expression | None = None
    ttl: timedelta | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.left, self.right)

    @property
    def changelog(self) -> ChangelogMode:
        return self.left.changelog

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.keys.left, self.keys.right)

    def meanings(self) -> Meanings:
        return joined_meanings(self)

    def scope(self) -> RowScope:
        return joined_scope(self, self._text())

    def state(self) -> tuple[StateTable, ...]:
        text = self._text()
        kept = () if self.left.changelog == INSERT_ONLY else (_KIND,)
        marked = () if self.right.changelog == INSERT_ONLY else (_DELETED,)
        left = held_rows("left", self.left, self.keys.left, text, kept)
        right = held_rows("right", self.right, self.keys.right, text, marked)
        if self.ttl is None:
            return (left, right)
        tables = (left, right, self._written(right))
        return tuple(replace(table, ttl=self.ttl) for table in tables)

    def _written(self, right: StateTable) -> StateTable:
        """When each key was last written."""
        name = unique(LAST_ACCESS, [column.name for column in right.key])
        last = StateColumn(
            name=name,
            type=timestamp_ltz(3).not_null,
            meaning=Meaning(LAST_ACCESS.upper()),
            role=Role.ROW,
        )
        return StateTable(name="written", key=right.key, values=(last,), scope=right.scope)

    def kind_column(self) -> str | None:
        """The state column of left rows' change kinds; None: all are inserts."""
        return None if self.left.changelog == INSERT_ONLY else extra_name(self.left, _KIND)

    def deleted_column(self) -> str | None:
        """The state column that tells versions without a row; None: there are none."""
        return None if self.right.changelog == INSERT_ONLY else extra_name(self.right, _DELETED)

    def _text(self) -> str:
        left, right = self.left.meanings(), self.right.meanings()
        text = join_text(self, "TEMPORAL", self.kind, self.keys, self.condition)
        return f"{text} AS OF {left[self.left_time]}, {right[self.right_time]}"

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = [("kind", self.kind.value), ("keys", self.keys.shown())]
        shown.append(("as of", f"{self.left_time}, versions by {self.right_time}"))
        if self.condition is not None:
            shown.append(("condition", to_sql(self.condition)))
        if self.ttl:
            shown.append(("ttl", ttl_text(self.ttl)))
        return tuple((name, text) for name, text in shown if text)
