"""Joins a row with the version that was valid at its time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import KINDS, MIN_WATERMARK, ChangeKind, Changes
from sameriver.common.frames import picked
from sameriver.operators.joined_rows import JoinedRows, held_schema, in_order, not_null
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.temporal_join import TemporalJoin
from sameriver.state.kernels.types import Ints
from sameriver.state.key_times import KeyTimes
from sameriver.state.timed_rows import Mask, TimedRows, milliseconds

_BEGINNING = -(2**63)


class TemporalJoinOperator(Operator):
    """Holds left rows until the watermark reaches them, and the versions they may still meet.

    Of each key the last version at or before the watermark is kept, and all after it. Left rows
    come out in order of arrival. A late one meets the version of its time if that is still there;
    else, its version being unknown, it is dropped and counted (Flink pads it: FLINK-39719). Of two
    versions of the same time the one that came last is valid.
    """

    def __init__(self, node: TemporalJoin, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        self._reached = MIN_WATERMARK
        self._late = False
        self._kind, self._deleted = node.kind_column(), node.deleted_column()
        sides = (node.left.schema, node.right.schema)
        self._joined = JoinedRows(sides, node.schema, node.condition, context)
        self._strict = node.keys.strict
        left, right, *written = node.state()
        kept = _column(self._kind, pl.Int8())
        gone = _column(self._deleted, pl.Boolean())
        self._rows = TimedRows(
            left, held_schema(node.left.schema, kept), node.keys.left, node.left_time
        )
        self._versions = TimedRows(
            right, held_schema(node.right.schema, gone), node.keys.right, node.right_time
        )
        context.store.register(self._rows)
        context.store.register(self._versions)
        self._written: KeyTimes | None = None
        if node.ttl is not None:
            keys = node.right.schema.select(node.keys.right).to_polars()
            self._written = KeyTimes(written[0], keys, node.ttl)
            context.store.register(self._written)

    def process(self, port: int, changes: Changes) -> Iterator[Changes]:
        keys = (self._node.keys.left, self._node.keys.right)[port]
        self._touch(picked(changes.rows, keys))
        if port == 0:
            self._hold(changes)
        else:
            self._version(changes)
        return iter(())

    def _touch(self, keys: pl.DataFrame) -> None:
        """Keys are written. As in Flink the rows of a key go together, also those that wait."""
        if self._written is None:
            return
        now = self.context.clock.now()
        keys.columns = list(self._node.keys.right)
        for expired in (self._written.touch(keys, now), self._written.sweep(now)):
            if expired.height:
                for rows in (self._rows, self._versions):
                    rows.remove(rows.of(expired))

    def _hold(self, changes: Changes) -> None:
        rows = changes.rows
        if self._kind is not None:
            kinds = changes.kinds_or_inserts().cast(pl.Int8).alias(self._kind)
            rows = rows.with_columns(kinds)
        self._rows.add(rows)

    def _version(self, changes: Changes) -> None:
        """Takes versions; what an update replaces says nothing new."""
        rows = changes.rows
        if self._deleted is not None:
            kinds = changes.kinds_or_inserts()
            gone = (kinds == ChangeKind.DELETE).alias(self._deleted)
            rows = rows.with_columns(gone).filter(kinds != ChangeKind.UPDATE_BEFORE)
        valid = not_null(rows, self._strict[1])
        rows = rows if valid is None else rows.filter(pl.Series(valid))
        if rows.height:
            earliest = int(milliseconds(rows[self._node.right_time]).min())
            self._late = self._late or earliest <= self._reached
        self._versions.add(rows)

    def on_watermark(self) -> Iterator[Changes]:
        due = self._rows.due(self.watermark)
        if self._written is not None:
            self._touch(self._rows.gather(due).select(self._node.keys.left))
            due = self._rows.due(self.watermark)
        if len(due):
            yield from self._emit(due)
            self._rows.remove(due)
        self._forget()
        self._reached = self.watermark

    def _emit(self, due: Ints) -> Iterator[Changes]:
        rows, times = self._rows.gather(due), self._rows.times(due)
        found = self._valid_at(rows, times)
        unknown = (found < 0) & (times <= self._reached)
        if unknown.any():
            self.context.counters["late_rows"] += int(unknown.sum())
        matched = found >= 0
        versions = self._versions.gather(found[matched])
        if self._deleted is not None:
            there = ~versions[self._deleted].to_numpy().astype(np.bool_)
            matched[matched] = there
            versions = versions.filter(pl.Series(there))
        meets = self._joined.holds(rows.filter(pl.Series(matched)), versions)
        matched[matched] = meets
        out = self._joined.pair(rows.filter(pl.Series(matched)), versions.filter(pl.Series(meets)))
        shown = np.flatnonzero(matched)
        if self._node.kind is JoinKind.LEFT:
            out, shown = self._padded(rows, out, shown, ~matched & ~unknown)
        if out.height:
            yield Changes(out, self._kinds(rows, shown))

    def _padded(
        self, rows: pl.DataFrame, out: pl.DataFrame, shown: Ints, lost: Mask
    ) -> tuple[pl.DataFrame, Ints]:
        padded = self._joined.pad(rows.filter(pl.Series(lost)), 0)
        places = [shown, np.flatnonzero(lost)]
        return in_order([out, padded], places), np.sort(np.concatenate(places))

    def _kinds(self, rows: pl.DataFrame, shown: Ints) -> pl.Series | None:
        if self._kind is None:
            return None
        return rows[self._kind].gather(pl.Series(shown)).cast(KINDS)

    def _valid_at(self, rows: pl.DataFrame, times: Ints) -> Ints:
        """The version that each row meets, or -1."""
        keys = picked(rows, self._node.keys.left)
        keys.columns = list(self._node.keys.right)
        valid = not_null(rows, self._strict[0])
        low = np.full(len(times), _BEGINNING)
        return self._versions.latest(self._versions.questions(keys, low, times, valid))

    def _forget(self) -> None:
        """Frees versions that another one has replaced by now, and deletions that have passed."""
        old = self._versions.due(self.watermark)
        if not self._late:
            old = old[self._versions.times(old) > self._reached]
        self._late = False
        if not len(old):
            return
        keys = self._versions.gather(old).select(self._node.keys.right)
        low, high = np.full(len(old), _BEGINNING), np.full(len(old), self.watermark)
        questions = self._versions.questions(keys, low, high, None)
        _, passed = self._versions.pairs(questions)
        last = np.unique(self._versions.latest(questions))
        if self._deleted is not None:
            gone = self._versions.gather(last)[self._deleted].to_numpy().astype(np.bool_)
            last = last[~gone]
        replaced = np.setdiff1d(passed, last)
        if len(replaced):
            self._versions.remove(replaced)

    def restored(self) -> None:
        self._reached = self.watermark
        self._late = True


def _column(name: str | None, type: pl.DataType) -> dict[str, pl.DataType]:
    return {} if name is None else {name: type}
