"""What each window last showed."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.schema import Schema
from sameriver.common.state import StateTable
from sameriver.operators.windows.panes import Panes
from sameriver.state.kernels.types import NO_INTS, Ints
from sameriver.state.pool import Pool
from sameriver.state.room import grown

_SPARE = 1024


class Emitted:
    """A handle: the last results by slot of ``panes``, where a window has shown any."""

    def __init__(self, declaration: StateTable, panes: Panes) -> None:
        self._declaration = declaration
        self._panes = panes
        values = Schema.of((column.name, column.type) for column in declaration.values)
        self._schema = values.to_polars()
        self._rows = Pool(self._schema)
        # Position in the pool, plus one; 0: nothing shown.
        self._positions = NO_INTS
        self._count = 0
        self._saved: pl.DataFrame | None = None

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def shown(self, slots: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which slots have shown results."""
        self._reserve(slots)
        return self._positions[slots] > 0

    def get(self, slots: Ints) -> pl.DataFrame:
        """Last results of slots that have shown some."""
        return self._rows.gather(self._positions[slots] - 1)

    def put(self, slots: Ints, results: pl.DataFrame) -> None:
        """Remembers results; each slot once."""
        self._reserve(slots)
        self._count += int((self._positions[slots] == 0).sum())
        start = self._rows.append(
            results.rename(dict(zip(results.columns, self._schema, strict=True)))
        )
        self._positions[slots] = np.arange(start + 1, start + 1 + len(slots))
        if self._rows.height > 2 * self._count + _SPARE:
            used = np.flatnonzero(self._positions)
            self._rows.keep(self._positions[used] - 1)
            self._positions[used] = np.arange(1, len(used) + 1)

    def remove(self, slots: Ints) -> None:
        """Forgets what slots have shown."""
        self._count -= int(self.shown(slots).sum())
        self._positions[slots] = 0

    def _reserve(self, slots: Ints) -> None:
        length = int(slots.max(initial=-1)) + 1
        if len(self._positions) < length:
            self._positions = grown(self._positions, 2 * length)

    def snapshot(self) -> pl.DataFrame:
        slots = self._panes.aggregation.all_slots()
        slots = slots[self.shown(slots)]
        return self._panes.aggregation.keys(slots).hstack(self.get(slots))

    def restore(self, rows: pl.DataFrame) -> None:
        self._saved = rows

    def restored(self) -> None:
        """Finds the slots of what was restored, now that the accumulators are back."""
        if self._saved is None:
            return
        keys = [column.name for column in self._declaration.key]
        self.put(self._panes.aggregation.find(self._saved.select(keys)), self._saved.drop(keys))
        self._saved = None
