"""CUMULATE: a slice is merged once, into the running accumulators of its window."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.operators.windows.batch import END, START, Batch, earliest
from sameriver.operators.windows.panes import Panes
from sameriver.operators.windows.progress import Progress
from sameriver.operators.windows.slicing import Slicing
from sameriver.operators.windows.steps import Showing, Steps
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
        """Merges due slices; gives what all steps up to ``progress`` show."""
        windows, slices = self._windows, self._slices.aggregation
        running = windows.open()
        into = windows.slots(self._slices.keys(slots), self._slicing.starts(ends))
        steps = Steps(
            self._slicing, running, (into, ends), fired=self._progress.fired, progress=progress
        )
        shown = _Shown(windows, self._slicing.slide, steps)
        for part, showing in steps.rounds():
            if len(part):
                windows.aggregation.merge(into[part], slices, slots[part])
            shown.add(showing)
        fired = shown.rows()
        over = steps.starts + self._slicing.size <= progress
        windows.aggregation.remove(steps.slots[over])
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
    """What steps show: results round by round, keys and windows at the end."""

    def __init__(self, windows: Panes, slide: int, steps: Steps) -> None:
        self._windows = windows
        self._slide = slide
        self._steps = steps
        self._results: list[pl.DataFrame] = []
        self._which: list[Ints] = []
        self._ends: list[Ints] = []

    def add(self, showing: Showing) -> None:
        """Takes what is to be shown from the running accumulators as they are."""
        which, begins, counts = showing.slots, showing.begins, showing.counts
        live = self._windows.live(self._steps.slots[which])
        if not live.all():
            which, begins, counts = which[live], begins[live], counts[live]
        if not len(which):
            return
        results = self._windows.results(self._steps.slots[which])
        if (counts > 1).any():
            rows = np.repeat(np.arange(len(which)), counts)
            number = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
            results = results[pl.Series(rows)]
            which, begins = which[rows], begins[rows] + number * self._slide
        self._results.append(results)
        self._which.append(which)
        self._ends.append(begins)

    def rows(self) -> list[pl.DataFrame]:
        """All steps as one frame, in order."""
        if not self._results:
            return []
        ends, which = np.concatenate(self._ends), np.concatenate(self._which)
        results = pl.concat(self._results)
        if (ends[1:] < ends[:-1]).any():
            order = np.argsort(ends, kind="stable")
            ends, which, results = ends[order], which[order], results[pl.Series(order)]
        keys = self._windows.output_keys(self._steps.slots)[pl.Series(which)]
        window = [pl.Series(START, self._steps.starts[which]), pl.Series(END, ends)]
        return [keys.hstack([*results.get_columns(), *window])]
