"""Numbers kept for each slot of an aggregation, saved as a table of its own."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.state import StateTable
from sameriver.common.types import to_polars
from sameriver.operators.windows.panes import Panes
from sameriver.operators.windows.zones import FOREVER
from sameriver.state.kernels.types import NO_INTS, Ints
from sameriver.state.room import grown

NOTHING = -FOREVER
"""Stands for NULL."""


class SlotColumns:
    """A handle of a table whose key is that of ``panes`` and whose values are numbers or times.

    Attributes:
        values: an array by slot for each value column.
    """

    def __init__(self, declaration: StateTable, panes: Panes) -> None:
        self._declaration = declaration
        self._panes = panes
        self._saved: pl.DataFrame | None = None
        self.values: dict[str, Ints] = {c.name: NO_INTS for c in declaration.values}

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def __getitem__(self, name: str) -> Ints:
        return self.values[name]

    def reserve(self, slots: Ints) -> None:
        """Makes room for these slots."""
        length = int(slots.max(initial=-1)) + 1
        for name, array in self.values.items():
            if len(array) < length:
                self.values[name] = grown(array, 2 * length)

    def snapshot(self) -> pl.DataFrame:
        slots = self._panes.aggregation.all_slots()
        columns = []
        for column in self._declaration.values:
            numbers = self.values[column.name][slots]
            series = pl.Series(column.name, numbers).set(pl.Series(numbers == NOTHING), None)
            columns.append(series.cast(to_polars(column.type)))
        return self._panes.aggregation.keys(slots).with_columns(columns)

    def restore(self, rows: pl.DataFrame) -> None:
        self._saved = rows

    def restored(self) -> None:
        """Finds the slots of what was restored, now that the accumulators are back."""
        if self._saved is None:
            return
        keys = [column.name for column in self._declaration.key]
        slots = self._panes.aggregation.find(self._saved.select(keys))
        self.reserve(slots)
        for name, array in self.values.items():
            column = self._saved.get_column(name).to_physical().cast(pl.Int64)
            array[slots] = column.fill_null(NOTHING).to_numpy()
        self._saved = None


def empty(slots: Ints) -> Ints:
    """``NOTHING`` for each slot."""
    return np.full(len(slots), NOTHING)
