"""Deduplication: the first or last row of each key in time."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sameriver.common.changes import Changes
from sameriver.operators.changed import changed
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.deduplicate import Deduplicate
from sameriver.state.kernels.keyed_rows import ANY, EARLIEST, LATEST
from sameriver.state.keyed_rows import KeyedRows


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
        if self._seen:
            rows = changes.rows.with_columns(pl.lit(True).alias(name) for name in self._seen)
            kept, _ = self._rows.put(rows, self._rule, now)
            out = Changes(changes.rows[pl.Series(kept)])
        else:
            each = not self._node.folded
            out = self._rows.exchange(changes.rows, self._rule, now, each=each)
        yield changed(out) if self._quiet else out


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
            _, slots = self._rows.put(rows, EARLIEST, now)
            self._rows.mark(slots, True)
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
