"""All rows of each partition, in order of arrival."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.common.schema import Schema
from sameriver.common.state import StateTable
from sameriver.common.types import to_polars
from sameriver.state.frame_rows import FrameRows
from sameriver.state.index import KeyIndex, grown
from sameriver.state.kernels.types import NO_INTS, Ints


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
        self._written = NO_INTS

    def slots(self, rows: pl.DataFrame) -> Ints:
        """Slot of each row's partition; a new one gets one."""
        keys = rows.select(self._keys) if self._keys else pl.DataFrame(height=rows.height)
        slots = self._index.find_or_insert(keys)
        self._rows.reserve(self._index.capacity)
        if len(self._written) < self._index.capacity:
            self._written = grown(self._written, self._index.capacity)
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
        self._written[slots] = now
        self._index.remove(slots[self._rows.counts(slots) == 0])

    def expire(self, oldest: int) -> None:
        """Forgets partitions that were last written at or before ``oldest``."""
        used = self._index.slots()
        gone = used[self._written[used] <= oldest]
        if len(gone):
            self._rows.clear(gone)
            self._index.remove(gone)

    # The handle.

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        owners, _, rows = self._rows.save()
        columns = {column.name: column for column in rows}
        position = self._declaration.key[-1].name
        columns[position] = pl.Series(position, np.arange(len(owners)))
        for column in self._declaration.columns:
            if column.name not in columns:
                written = pl.Series(column.name, self._written[owners])
                columns[column.name] = written.cast(to_polars(column.type))
        return pl.DataFrame([columns[column.name] for column in self._declaration.columns])

    def restore(self, rows: pl.DataFrame) -> None:
        rows = rows.sort(self._declaration.key[-1].name, maintain_order=True)
        slots = self.slots(rows)
        order = np.argsort(slots, kind="stable")
        ordered = rows.select(self._names)[pl.Series(order)]
        self._rows.load(slots[order], np.zeros(len(order), np.int64), ordered)
        if self._declaration.ttl is not None:
            self._written[slots] = rows.to_series(rows.width - 1).to_physical().to_numpy()
