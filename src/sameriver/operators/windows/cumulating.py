"""CUMULATE: a slice is merged once, into the running accumulators of its window."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.operators.windows.batch import END, START, Batch, earliest
from sameriver.operators.windows.panes import Panes
from sameriver.operators.windows.progress import Progress
from sameriver.operators.windows.slicing import Slicing
from sameriver.operators.windows.zones import FOREVER
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.state.handle import StateStore
from sameriver.state.kernels.types import Ints


class CumulatingWindows:
    """A row is late once its largest window has fired; until then it counts in the next step."""

    def __init__(self, node: WindowAggregate, store: StateStore) -> None:
        self._slicing = Slicing.of(node.window)
        self._slices = Panes(node, node.panes(), store)
        self._windows = Panes(node, node.windows(), store)
        self._progress = Progress(node, self._slices, self._windows, store=store)
        self._next: int | None = None

    def add(self, batch: Batch) -> tuple[int, list[pl.DataFrame]]:
        ends, changes, before = self._slicing.slice_ends(batch.times), batch.changes, batch.before
        if len(before) and int(ends.min()) <= int(before[-1]):
            kept = self._slicing.last_ends(ends) > before
            if not kept.all():
                changes = changes.filter(pl.Series(kept))
                ends, before = ends[kept], before[kept]
            # A step that has passed is not taken again: the row counts from the next one on.
            ends = np.where(ends > before, ends, self._slicing.ends_after(before))
        if len(ends):
            slots = self._slices.slots(changes.rows, ends)
            self._slices.aggregation.update(slots, changes)
            self._next = earliest(self._next, ends)
        return len(batch) - len(ends), []

    def fire(self, progress: int) -> list[pl.DataFrame]:
        fired: list[pl.DataFrame] = []
        if self._next is not None and self._next <= progress:
            slots, ends = self._slices.open()
            due = int(np.searchsorted(ends, progress, side="right"))
            coming = ends[due:]
            fired = self._fire(slots[:due], ends[:due], progress)
            self._slices.aggregation.remove(slots[:due])
            self._next = self._coming(coming, progress)
        self._progress.fired = max(self._progress.fired, progress)
        return fired

    def _coming(self, slices: Ints, progress: int) -> int | None:
        """The next step: of a slice, or of a window that runs."""
        steps = slices[:1]
        if len(self._windows.aggregation):
            steps = np.append(steps, self._slicing.ends_after(np.array([progress])))
        return int(steps.min()) if len(steps) else None

    def _fire(self, slots: Ints, ends: Ints, progress: int) -> list[pl.DataFrame]:
        running, starts = self._windows.open()
        of_slices = self._slicing.starts(ends)
        fired: list[pl.DataFrame] = []
        for start in np.union1d(starts, of_slices):
            low, high = np.searchsorted(starts, [start, start + 1])
            active = running[low:high]
            low, high = np.searchsorted(of_slices, [start, start + 1])
            fired += self._window(int(start), active, slots[low:high], ends[low:high], progress)
        return fired

    def _window(
        self, start: int, active: Ints, slots: Ints, ends: Ints, progress: int
    ) -> list[pl.DataFrame]:
        """The steps of one window up to ``progress``."""
        windows, slices = self._windows, self._slices.aggregation
        into = windows.slots(self._slices.keys(slots), np.full(len(slots), start))
        order, first = _arrivals(active, into)
        steps, bounds = np.unique(ends, return_index=True)
        bounds = np.append(bounds, len(ends))
        stop = min(progress, start + self._slicing.size)
        shown = _Shown(windows, self._slicing.slide, order)
        if len(active):
            begin = int(self._slicing.ends_after(np.array([max(self._progress.fired, start)]))[0])
            shown.add(len(active), begin, int(steps[0]) if len(steps) else stop + 1)
        for number, step in enumerate(steps):
            part = slice(bounds[number], bounds[number + 1])
            windows.aggregation.merge(into[part], slices, slots[part])
            seen = int(np.searchsorted(first, bounds[number + 1], side="left"))
            until = int(steps[number + 1]) if number + 1 < len(steps) else stop + 1
            shown.add(seen, int(step), until)
        fired = shown.rows(start)
        if start + self._slicing.size <= progress:
            windows.aggregation.remove(order)
        return fired

    def next_end(self) -> int | None:
        return self._next

    def restored(self, progress: int) -> None:
        self._slices.restored()
        self._windows.restored()
        if self._progress.fired == -FOREVER:
            self._progress.fired = progress
        _, ends = self._slices.open()
        self._next = self._coming(ends, self._progress.fired)


class _Shown:
    """What the steps of one window show: results step by step, keys and window at the end."""

    def __init__(self, windows: Panes, slide: int, slots: Ints) -> None:
        self._windows = windows
        self._slide = slide
        self._slots = slots
        self._results: list[pl.DataFrame] = []
        self._which: list[Ints] = []
        self._ends: list[Ints] = []

    def add(self, seen: int, begin: int, until: int) -> None:
        """The first ``seen`` slots, in the steps from ``begin`` to before ``until``."""
        ends = np.arange(begin, until, self._slide)
        if not len(ends):
            return
        which = np.flatnonzero(self._windows.live(self._slots[:seen]))
        results = self._windows.results(self._slots[which])
        if len(ends) > 1:
            results = results[pl.Series(np.tile(np.arange(len(which)), len(ends)))]
        self._results.append(results)
        self._which.append(np.tile(which, len(ends)))
        self._ends.append(np.repeat(ends, len(which)))

    def rows(self, start: int) -> list[pl.DataFrame]:
        """All steps as one frame, in order."""
        if not self._results:
            return []
        ends = np.concatenate(self._ends)
        keys = self._windows.output_keys(self._slots)
        keys = keys[pl.Series(np.concatenate(self._which))]
        window = [pl.Series(START, np.full(len(ends), start)), pl.Series(END, ends)]
        return [keys.hstack([*pl.concat(self._results).get_columns(), *window])]


def _arrivals(active: Ints, into: Ints) -> tuple[Ints, Ints]:
    """Running slots in order of arrival, and after how many merged slices each is there."""
    known = np.concatenate([active, into])
    order, first = np.unique(known, return_index=True)
    position = np.argsort(first, kind="stable")
    return order[position], first[position] - len(active)
