"""Aggregates per legacy group window."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event, Watermark
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.window_aggregate import window_aggregate
from sameriver.operators.windows.batch import Batch
from sameriver.operators.windows.firing import KIND, POSITION, FiringWindows, Phase
from sameriver.operators.windows.output import Output, spread
from sameriver.operators.windows.slicing import Slicing
from sameriver.operators.windows.slot_columns import NOTHING
from sameriver.operators.windows.time import WindowTime
from sameriver.plan.physical.group_window import GroupWindow
from sameriver.state.kernels.types import Ints


def group_window(node: GroupWindow, context: OperatorContext) -> Operator:
    """The operator: windows that show results once are those of a window TVF."""
    if node.updates:
        return FiringGroupWindowOperator(node, context)
    return window_aggregate(node.plain(), context)


class FiringGroupWindowOperator(Operator):
    """Fires early, at the end and late, as Flink's triggers do.

    Early and late fires with a delay are periods of processing time that start at the first row
    (of the window and key) they concern; without a delay each row fires. A row that is late for a
    window is dropped from it once the lateness is over. With mini-batch, rows that fire at once
    do so together, once a key and batch.
    """

    splits = True

    def __init__(self, node: GroupWindow, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        self._slicing = Slicing.of(node.window)
        self._time = WindowTime(node.window, context)
        self._output = Output(node.schema, node.properties, self._time, context.clock)
        self._windows = FiringWindows(node, context.store)
        self._folded = context.config.boolean("table.exec.mini-batch.enabled")

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        batch = self._time.batch(changes, self.watermark)
        watermarks = changes.watermarks
        if watermarks is None or batch.after is None:
            yield from self._rows(self._add(batch, None))
            if watermarks is None:
                return
            yield Watermark(watermarks[-1])
        else:
            shown = self._add(batch, self._time.wall.progress(watermarks.to_numpy()))
            yield from self._spread(shown, watermarks)
        self.watermark = watermarks[-1]

    # Rows in.

    def _add(self, batch: Batch, after: Ints | None) -> list[pl.DataFrame]:
        """Folds the rows, each into its windows, and fires windows that end inside the batch.

        Of a window all rows that come before it fires at its end stand before all that come late.
        """
        positions, ends = self._slicing.assign(batch.times)
        before = batch.before[positions]
        kept = ends + self._node.lateness > before
        self._count_late(positions, kept, len(batch))
        passed = ends <= before
        shown = self._fold(batch, positions, ends, kept & ~passed, Phase.OPEN)
        if batch.after is not None:
            shown += self._fire_ends(batch.after, after)
        shown += self._fold(batch, positions, ends, kept & passed, Phase.LATE)
        if batch.after is not None:
            self._windows.remove(batch.after, self._node.lateness)
        return shown

    def _count_late(
        self, positions: Ints, kept: np.ndarray[tuple[int], np.dtype[np.bool_]], height: int
    ) -> None:
        windows = np.bincount(positions, minlength=height)
        open_windows = np.bincount(positions[kept], minlength=height)
        late = int(((windows > 0) & (open_windows == 0)).sum())
        if late:
            self.context.counters["late_rows"] += late

    def _fold(
        self,
        batch: Batch,
        positions: Ints,
        ends: Ints,
        mask: np.ndarray[tuple[int], np.dtype[np.bool_]],
        phase: Phase,
    ) -> list[pl.DataFrame]:
        """Folds rows of one side of the ends of their windows."""
        if not mask.any():
            return []
        positions, ends = positions[mask], ends[mask]
        changes = batch.changes.gather(pl.Series(positions))
        slots = self._windows.slots(changes.rows, ends, phase)
        delay = self._node.early_fire if phase is Phase.OPEN else self._node.late_fire or 0
        at_once = np.full(len(slots), delay == 0)
        if phase is Phase.LATE:
            at_once |= self._windows.phases[slots] == Phase.LATE
        waiting = np.flatnonzero(~at_once)
        if len(waiting):
            held = slots[waiting]
            self._windows.panes.aggregation.update(held, changes.gather(pl.Series(waiting)))
            if delay:
                idle = held[self._windows.timers[held] == NOTHING]
                self._windows.timers[idle] = self.context.clock.now() + delay
        now = np.flatnonzero(at_once)
        return self._show_at_once(changes.gather(pl.Series(now)), slots[now], positions[now])

    def _show_at_once(self, changes: Changes, slots: Ints, positions: Ints) -> list[pl.DataFrame]:
        """Folds rows in rounds, each slot at most once in each, and shows what they change."""
        if not len(slots):
            return []
        rounds = np.zeros(len(slots), np.int64) if self._folded else _occurrence(slots)
        shown = []
        for number in range(int(rounds.max()) + 1):
            rows = np.flatnonzero(rounds == number)
            chosen = slots[rows]
            self._windows.panes.aggregation.update(chosen, changes.gather(pl.Series(rows)))
            each, last = np.unique(chosen[::-1], return_index=True)
            at = positions[rows][::-1][last]
            order = np.argsort(at, kind="stable")
            shown.append(self._windows.show(each[order], 2 * at[order]))
        return shown

    # Time.

    def _pass(self, progress: int) -> list[pl.DataFrame]:
        """Fires windows that end by now, and forgets those that are done with."""
        shown = self._fire_ends(progress, None)
        self._windows.remove(progress, self._node.lateness if self._time.event else 0)
        return shown

    def _fire_ends(self, progress: int, after: Ints | None) -> list[pl.DataFrame]:
        """Fires windows that end by now; ``after``: where each row of the batch leaves time."""
        slots, ends = self._windows.fire_ends(progress)
        positions = np.zeros(len(slots), np.int64)
        if after is not None:
            positions = 2 * np.searchsorted(after, ends, side="left") + 1
        return [self._windows.show(slots, positions)] if len(slots) else []

    def on_watermark(self) -> Iterator[Changes]:
        if self._time.event:
            yield from self._rows(self._pass(self._time.progress(self.watermark)))

    def next_timer(self) -> int | None:
        slots, ends = self._windows.panes.open()
        timers = self._windows.timers[slots]
        times = [int(timers[timers != NOTHING].min())] if (timers != NOTHING).any() else []
        if not self._time.event and len(ends):
            times.append(self._time.timer(int(ends[0])))
        return min(times, default=None)

    def on_timer(self) -> Iterator[Changes]:
        if not self._time.event:
            yield from self._rows(self._pass(self._time.now()))
        now, timers = self.context.clock.now(), self._windows.timers
        slots, _ = self._windows.panes.open()
        due = slots[(timers[slots] != NOTHING) & (timers[slots] <= now)]
        if not len(due):
            return
        early = self._windows.phases[due] == Phase.OPEN
        period = np.where(early, self._node.early_fire or 1, self._node.late_fire or 1)
        timers[due] += ((now - timers[due]) // period + 1) * period
        yield from self._rows([self._windows.show(due, np.zeros(len(due), np.int64))])

    def restored(self) -> None:
        self._windows.restored()

    # Rows out.

    def _rows(self, shown: list[pl.DataFrame]) -> Iterator[Changes]:
        filled = [frame for frame in shown if frame.height]
        if filled:
            frame = pl.concat(filled).sort(POSITION, maintain_order=True)
            yield Changes(self._output.rows(frame), frame[KIND])

    def _spread(self, shown: list[pl.DataFrame], watermarks: pl.Series) -> Iterator[Event]:
        filled = [frame for frame in shown if frame.height]
        if not filled:
            yield from spread(pl.DataFrame(), None, np.empty(0, int), self.watermark, watermarks)
            return
        frame = pl.concat(filled).sort(POSITION, maintain_order=True)
        rows, positions = self._output.rows(frame), frame[POSITION].to_numpy() // 2
        yield from spread(rows, frame[KIND], positions, self.watermark, watermarks)


def _occurrence(slots: Ints) -> Ints:
    """For each entry how many equal ones come before it."""
    order = np.argsort(slots, kind="stable")
    ordered = slots[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    numbers = np.empty(len(slots), np.int64)
    counts = np.diff(np.append(starts, len(slots)))
    numbers[order] = np.arange(len(slots)) - np.repeat(starts, counts)
    return numbers
