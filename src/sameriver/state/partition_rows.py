"""All rows of each partition, in order of arrival."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.common.frames import picked
from sameriver.common.schema import Schema
from sameriver.common.state import StateTable
from sameriver.common.types import to_polars
from sameriver.state.frame_rows import FrameRows
from sameriver.state.handle import Capture
from sameriver.state.index import KeyIndex
from sameriver.state.kernels.types import NO_INTS, Ints
from sameriver.state.room import grown
from sameriver.state.written import Written


class PartitionRows:
    """A handle: rows by partition, which are read and replaced as a whole.

    Args:
        declaration: key: partition and position; values: the other columns, and perhaps the time
            of the last write.
        schema: the columns of rows.
        keys: the columns of the partition.
    """

    def __init__(self, declaration: StateTable, schema: Schema, keys: Sequence[str]) -> None:
        self._declaration = declaration
        self._names = list(schema.names)
        self._keys = list(keys)
        self._index = KeyIndex(schema.select(keys).to_polars())
        self._rows = FrameRows(schema.to_polars())
        self._access = NO_INTS
        self._written = Written()

    def slots(self, rows: pl.DataFrame) -> Ints:
        """Slot of each row's partition; a new one gets one."""
        keys = picked(rows, self._keys)
        slots = self._index.find_or_insert(keys)
        self._rows.reserve(self._index.capacity)
        if len(self._access) < self._index.capacity:
            self._access = grown(self._access, self._index.capacity)
        return slots

    def of(self, slots: Ints) -> tuple[Ints, pl.DataFrame]:
        """Slots and rows of partitions (each once), each in order of arrival."""
        owners, numbers = self._rows.chains(slots)
        return owners, self._rows.rows(numbers)

    def replace(self, slots: Ints, owners: Ints, rows: pl.DataFrame, now: int) -> None:
        """Gives partitions other rows; one without rows is forgotten.

        Args:
            slots: the partitions, each once.
            owners: the partition of each row.
            rows: in order of arrival.
            now: processing time in ms.
        """
        self._rows.clear(slots)
        order = np.argsort(owners, kind="stable")
        self._rows.load(owners[order], np.zeros(len(order), np.int64), rows[pl.Series(order)])
        self._access[slots] = now
        self._written.mark(slots)
        self._index.remove(slots[self._rows.counts(slots) == 0])

    def expire(self, oldest: int) -> None:
        """Forgets partitions that were last written at or before ``oldest``."""
        used = self._index.slots()
        gone = used[self._access[used] <= oldest]
        if len(gone):
            self._written.free(gone)
            self._rows.clear(gone)
            self._index.remove(gone)

    # The handle.

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        return self._save(self._index.slots())[1]

    def capture(self, *, whole: bool) -> Capture:
        return self._written.capture(self._index.slots, self._save, whole=whole)

    def _save(self, slots: Ints) -> tuple[Ints, pl.DataFrame]:
        owners, rows = self.of(slots)
        columns = {column.name: column for column in rows}
        position = self._declaration.key[-1].name
        columns[position] = pl.Series(position, np.arange(len(owners)))
        for column in self._declaration.columns:
            if column.name not in columns:
                access = pl.Series(column.name, self._access[owners])
                columns[column.name] = access.cast(to_polars(column.type))
        declared = [columns[column.name] for column in self._declaration.columns]
        return owners, pl.DataFrame(declared)

    def restore(self, rows: pl.DataFrame) -> None:
        rows = rows.sort(self._declaration.key[-1].name, maintain_order=True)
        slots = self.slots(rows)
        order = np.argsort(slots, kind="stable")
        ordered = rows.select(self._names)[pl.Series(order)]
        self._rows.load(slots[order], np.zeros(len(order), np.int64), ordered)
        if self._declaration.ttl is not None:
            self._access[slots] = rows.to_series(rows.width - 1).to_physical().to_numpy()
