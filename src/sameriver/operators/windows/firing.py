"""Windows that show results more than once: before their end, at it, and after it."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import polars as pl

from sameriver.common.changes import KINDS, ChangeKind
from sameriver.operators.windows.emitted import Emitted
from sameriver.operators.windows.panes import Panes
from sameriver.operators.windows.slicing import Slicing
from sameriver.operators.windows.slot_columns import NOTHING, SlotColumns
from sameriver.plan.physical.group_window import GroupWindow
from sameriver.state.handle import StateStore
from sameriver.state.kernels.types import Ints

KIND, POSITION = "$kind", "$position"
"""Columns of what was shown: change kind, and when: twice the row's position in the batch, plus
one if the watermark that follows the row brought it about."""


class Phase(IntEnum):
    """Where a window is in its life, as its triggers see it."""

    OPEN = 1
    """Its end is still to come."""
    FIRED = 2
    """It has fired at its end."""
    LATE = 3
    """Its first row came after its end: it fires at each row."""


class FiringWindows:
    """Accumulators by window and key, what each window showed last, and when it shows next."""

    def __init__(self, node: GroupWindow, store: StateStore) -> None:
        plain = node.plain()
        self._slicing = Slicing.of(node.window)
        self.panes = Panes(plain, plain.whole_windows(), store)
        self._emitted = Emitted(node.emitted(), self.panes)
        self._triggers = SlotColumns(node.triggers(), self.panes)
        self._phase, self._next_fire = self._triggers.values
        store.register(self._emitted)
        store.register(self._triggers)

    @property
    def phases(self) -> Ints:
        """Phase of each slot."""
        return self._triggers[self._phase]

    @property
    def timers(self) -> Ints:
        """When the clock fires each slot; ``NOTHING``: never."""
        return self._triggers[self._next_fire]

    def slots(self, rows: pl.DataFrame, ends: Ints, phase: Phase) -> Ints:
        """Slots of rows in windows; a new one starts in ``phase``."""
        slots = self.panes.slots(rows, ends)
        self._triggers.reserve(slots)
        fresh = slots[self.phases[slots] == 0]
        self.phases[fresh] = phase
        self.timers[fresh] = NOTHING
        return slots

    def show(self, slots: Ints, positions: Ints) -> pl.DataFrame:
        """How the results of slots (each once) have changed since they were last shown.

        The first is +I, then -U and +U, or -D when no row is left; nothing if all is the same.
        """
        ends = self.panes.times[slots]
        starts = self._slicing.starts(ends)
        live, shown = self.panes.live(slots), self._emitted.shown(slots)
        results = self.panes.results(slots)
        before = np.flatnonzero(shown)
        last = self._emitted.get(slots[before])
        last.columns = results.columns
        changed = np.ones(len(slots), np.bool_)
        changed[before] = _differ(last, results[pl.Series(before)])
        took, gave = shown & (changed | ~live), live & (changed | ~shown)
        old = self._rows(slots, starts, ends, before, last, took[before])
        new = self._rows(slots, starts, ends, np.arange(len(slots)), results, gave)
        took_at, gave_at = np.flatnonzero(took), np.flatnonzero(gave)
        retract = np.where(live[took_at], ChangeKind.UPDATE_BEFORE, ChangeKind.DELETE)
        add = np.where(shown[gave_at], ChangeKind.UPDATE_AFTER, ChangeKind.INSERT)
        kinds = pl.Series(KIND, np.concatenate([retract, add]).astype(np.uint8), KINDS)
        which = np.concatenate([took_at, gave_at])
        self._emitted.remove(slots[took_at])
        self._emitted.put(slots[gave_at], results[pl.Series(gave_at)])
        rows = pl.concat([old, new]).with_columns(kinds, pl.Series(POSITION, positions[which]))
        return rows[pl.Series(np.argsort(which, kind="stable"))]

    def _rows(
        self,
        slots: Ints,
        starts: Ints,
        ends: Ints,
        which: Ints,
        results: pl.DataFrame,
        mask: np.ndarray[tuple[int], np.dtype[np.bool_]],
    ) -> pl.DataFrame:
        """Rows of ``slots[which]`` where ``mask``, with these results."""
        chosen = which[mask]
        kept = results.filter(pl.Series(mask))
        return self.panes.with_windows(slots[chosen], kept, starts[chosen], ends[chosen])

    def fire_ends(self, progress: int) -> tuple[Ints, Ints]:
        """Slots whose windows end at or before ``progress`` and have not fired, and their ends."""
        slots, ends = self.panes.open()
        due = (ends <= progress) & (self.phases[slots] == Phase.OPEN)
        slots, ends = slots[due], ends[due]
        self.phases[slots] = Phase.FIRED
        self.timers[slots] = NOTHING
        return slots, ends

    def remove(self, progress: int, lateness: int) -> None:
        """Forgets windows whose lateness is over."""
        slots, ends = self.panes.open()
        slots = slots[(ends + lateness <= progress) & (self.phases[slots] != Phase.OPEN)]
        self._emitted.remove(slots)
        self.phases[slots] = 0
        self.panes.aggregation.remove(slots)

    def restored(self) -> None:
        self.panes.restored()
        self._emitted.restored()
        self._triggers.restored()


def _differ(left: pl.DataFrame, right: pl.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Where rows differ; NULL equals NULL."""
    differ = np.zeros(left.height, np.bool_)
    for column in left.columns:
        differ |= left[column].ne_missing(right[column]).to_numpy()
    return differ
