"""Up to which end shared windows have fired."""

from __future__ import annotations

import polars as pl

from sameriver.common.state import StateTable
from sameriver.operators.windows.panes import Panes
from sameriver.operators.windows.zones import FOREVER
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.state.handle import StateStore


class Progress:
    """One number for all keys. In event time it follows from the watermark; in processing time
    it is saved with each key that has open windows, so that it goes where the key goes.

    Attributes:
        fired: the end (ms, wall time) up to which windows have fired.
    """

    def __init__(self, node: WindowAggregate, *panes: Panes, store: StateStore) -> None:
        self.fired = -FOREVER
        for table in node.progress():
            store.register(_SavedProgress(table, self, panes))


class _SavedProgress:
    """The handle of the table."""

    def __init__(
        self, declaration: StateTable, progress: Progress, panes: tuple[Panes, ...]
    ) -> None:
        self._declaration = declaration
        self._progress = progress
        self._panes = panes

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        *keys, fired = (column.name for column in self._declaration.columns)
        frames = [panes.keys(panes.aggregation.all_slots()) for panes in self._panes]
        open_keys = pl.concat(frames)
        rows = open_keys.unique() if keys else open_keys.clear()
        if not keys:
            count = sum(len(panes.aggregation) for panes in self._panes)
            rows = pl.DataFrame(height=min(count, 1))
        value = pl.lit(self._progress.fired, pl.Int64).cast(pl.Datetime("ms"))
        return rows.with_columns(value.alias(fired))

    def restore(self, rows: pl.DataFrame) -> None:
        saved = rows.to_series(rows.width - 1).cast(pl.Int64).max()
        if isinstance(saved, int):
            self._progress.fired = max(self._progress.fired, saved)
