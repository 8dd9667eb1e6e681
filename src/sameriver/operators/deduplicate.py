"""Deduplication: the first or last row of each key in time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from sameriver.common.changes import ChangeKind, Changes
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.deduplicate import Deduplicate
from sameriver.state.kernels.keyed_rows import ANY, EARLIEST, LATEST
from sameriver.state.keyed_rows import KeyedRows, Mask


def deduplicate(node: Deduplicate, context: OperatorContext) -> Operator:
    """The operator for a node."""
    return (
        WaitingDeduplicateOperator(node, context)
        if node.waits
        else DeduplicateOperator(node, context)
    )


def _rows(node: Deduplicate, context: OperatorContext) -> KeyedRows:
    rows = KeyedRows(
        node.state()[0],
        node.stored.to_polars(),
        node.keys,
        time=node.time,
        marked=node.waits,
    )
    context.store.register(rows)
    return rows


class DeduplicateOperator(Operator):
    """Gives a key's row when it comes, and -U, +U when another takes its place.

    By event time the last row is replaced by one of the same time or a later one; nothing is late.
    By arrival the first row is final, and only its key is kept; a last row that equals the one
    before it changes nothing, unless there is a TTL. All this is Flink's.
    """

    def __init__(self, node: Deduplicate, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        self._rows = _rows(node, context)
        by_arrival = ANY if node.last else EARLIEST
        by_time = LATEST if node.last else EARLIEST
        self._rule = by_arrival if node.time is None else by_time
        self._quiet = node.time is None and node.ttl is None
        self._seen = [name for name in node.stored.names if name not in node.input.schema.names]

    def process(self, port: int, changes: Changes) -> Iterable[Changes]:
        if not len(changes):
            return
        now = self.context.clock.now()
        self._rows.sweep(now)
        rows = changes.rows.with_columns(pl.lit(True).alias(name) for name in self._seen)
        replaced = self._rows.offer(rows, self._rule, now, each=not self._node.folded)
        new, old, had = changes.rows[pl.Series(replaced.rows)], replaced.old, replaced.had
        if self._quiet and old.height:
            new, old, had = _changed(new, old, had)
        if new.height:
            yield _updates(new, old, had) if old.height else Changes(new)


def _changed(
    new: pl.DataFrame, old: pl.DataFrame, had: Mask
) -> tuple[pl.DataFrame, pl.DataFrame, Mask]:
    """Without the rows that replace an equal one."""
    update = new.filter(pl.Series(had))
    differs = np.zeros(old.height, np.bool_)
    for name in old.columns:
        differs |= update[name].ne_missing(old[name]).to_numpy()
    shown = ~had
    shown[had] = differs
    return new.filter(pl.Series(shown)), old.filter(pl.Series(differs)), had[shown]


def _updates(new: pl.DataFrame, old: pl.DataFrame, had: Mask) -> Changes:
    """Each row, after the one it replaces if it had one."""
    ends = np.cumsum(1 + had)
    size = int(ends[-1])
    places = np.empty(size, np.int64)
    kinds = np.full(size, ChangeKind.INSERT, np.uint8)
    count = old.height
    places[ends - 1] = count + np.arange(len(had))
    places[ends[had] - 2] = np.arange(count)
    kinds[ends[had] - 1], kinds[ends[had] - 2] = ChangeKind.UPDATE_AFTER, ChangeKind.UPDATE_BEFORE
    return Changes(pl.concat([old, new])[pl.Series(places)], pl.Series(kinds))


class WaitingDeduplicateOperator(Operator):
    """The first row by event time: comes once the watermark passes it, and is final.

    A row at or behind the watermark is late, whether its key is known or not. Of rows of the same
    time the first to arrive stays.
    """

    def __init__(self, node: Deduplicate, context: OperatorContext) -> None:
        super().__init__(context)
        self._rows = _rows(node, context)
        self._earliest: int | None = None

    def process(self, port: int, changes: Changes) -> Iterable[Changes]:
        rows = changes.rows
        times = self._rows.times(rows)
        due = times > self.watermark
        if not due.all():
            self.context.counters["late_rows"] += int(len(due) - due.sum())
            rows, times = rows.filter(pl.Series(due)), times[due]
        if rows.height:
            now = self.context.clock.now()
            self._rows.sweep(now)
            taken = self._rows.offer(rows, EARLIEST, now, each=False)
            self._rows.mark(taken.slots, True)
            least = int(times.min())
            self._earliest = least if self._earliest is None else min(least, self._earliest)
        return ()

    def on_watermark(self) -> Iterable[Changes]:
        if self._earliest is None or self._earliest > self.watermark:
            return
        slots = self._rows.marked(self.watermark, self.context.clock.now())
        rows = self._rows.rows(slots)
        self._rows.mark(slots, False)
        self._earliest = self._rows.earliest()
        if rows.height:
            yield Changes(rows)

    def restored(self) -> None:
        self._earliest = self._rows.earliest()
