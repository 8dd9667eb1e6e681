"""Rows that wait for their session to close."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.errors import InternalError
from sameriver.common.state import StateTable
from sameriver.operators.windows.batch import END, START, Batch
from sameriver.operators.windows.merging import Stored, merge_sessions
from sameriver.operators.windows.sessions import keys_of
from sameriver.plan.physical.window_table import WindowTable
from sameriver.state.index import KeyIndex
from sameriver.state.kernels.types import NO_INTS, Ints


class HeldRows:
    """A handle: rows in order of arrival, the session of each, and how far each session reaches.

    A row is dropped as late if the session it would be in has closed.
    """

    def __init__(self, node: WindowTable) -> None:
        self._declaration = node.state()[0]
        self._names = list(node.input.schema.names)
        self._keys = list(node.window.partition)
        self._schema = node.input.schema.select(self._keys).to_polars()
        self._gap = node.window.size
        self._rows = node.input.schema.empty()
        self._arrival = 0
        # By held row.
        self._positions = NO_INTS
        self._sessions = NO_INTS
        # By session.
        self._starts = NO_INTS
        self._ends = NO_INTS

    def add(self, batch: Batch) -> tuple[int, list[pl.DataFrame]]:
        """Puts rows in their sessions; gives how many were dropped as late, and no fired rows."""
        if batch.changes.kinds is not None:
            raise InternalError("UPDATES_IN_SESSION", "a session table takes inserted rows only")
        index = KeyIndex(self._schema)
        rows = batch.changes.rows
        groups = index.find_or_insert(keys_of(rows, self._keys))
        _, first = np.unique(self._sessions, return_index=True)
        held = self._rows[pl.Series(first)]
        own = index.find_or_insert(keys_of(held, self._keys, len(first)))
        stored = Stored(own, self._starts, self._ends)
        merged = merge_sessions(stored, groups, batch.times, batch.before, self._gap)
        kept = merged.rows >= 0
        self._rows = pl.concat([self._rows, rows.filter(pl.Series(kept))])
        arrivals = np.arange(self._arrival, self._arrival + int(kept.sum()))
        self._arrival += len(arrivals)
        self._positions = np.append(self._positions, arrivals)
        sessions = np.append(merged.roots[self._sessions], merged.rows[kept])
        self._renumber(sessions, merged.starts, merged.ends)
        return len(batch) - len(arrivals), []

    def _renumber(self, sessions: Ints, starts: Ints, ends: Ints) -> None:
        """Sessions that hold rows get the numbers 0, 1, ..."""
        used, self._sessions = np.unique(sessions, return_inverse=True)
        self._starts, self._ends = starts[used], ends[used]

    def fire(self, progress: int) -> list[pl.DataFrame]:
        """Rows of sessions that end at or before ``progress``, by end and arrival."""
        ends = self._ends[self._sessions]
        due = ends <= progress
        closed = np.flatnonzero(due)
        starts = self._starts[self._sessions]
        closed = closed[np.lexsort((closed, self._sessions[closed], starts[closed], ends[closed]))]
        window = (pl.Series(START, starts[closed]), pl.Series(END, ends[closed]))
        rows = self._rows[pl.Series(closed)].with_columns(window)
        if len(closed):
            self._rows = self._rows.filter(pl.Series(~due)).rechunk()
            self._positions = self._positions[~due]
            self._renumber(self._sessions[~due], self._starts, self._ends)
        return [rows]

    def next_end(self) -> int | None:
        """When the first session closes."""
        return int(self._ends.min()) if len(self._ends) else None

    def restored(self, progress: int) -> None:
        """All is in the rows."""

    # The handle.

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        columns = self._declaration.columns
        position, start, end = (c.name for c in columns if c.name not in self._names)
        starts, ends = self._starts[self._sessions], self._ends[self._sessions]
        return self._rows.with_columns(
            pl.Series(position, self._positions),
            pl.Series(start, starts).cast(pl.Datetime("ms")),
            pl.Series(end, ends).cast(pl.Datetime("ms")),
        ).select(column.name for column in columns)

    def restore(self, rows: pl.DataFrame) -> None:
        columns = self._declaration.columns
        position, start, end = (c.name for c in columns if c.name not in self._names)
        rows = rows.sort(position)
        self._rows = rows.select(self._names)
        self._positions = rows[position].to_numpy()
        self._arrival = int(self._positions.max(initial=-1)) + 1
        # Rows of several shards may come together, so sessions are told by key, start and end.
        index = KeyIndex(rows.select(*self._keys, start, end).schema)
        sessions = index.find_or_insert(rows.select(*self._keys, start, end))
        starts, ends = (np.zeros(index.capacity, np.int64) for _ in range(2))
        starts[sessions] = rows[start].cast(pl.Int64).to_numpy()
        ends[sessions] = rows[end].cast(pl.Int64).to_numpy()
        self._renumber(sessions, starts, ends)
