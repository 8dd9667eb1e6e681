"""Rows that wait for their time to come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sameriver.common.state import StateTable
from sameriver.state.kernels.types import NO_INTS, Ints


def milliseconds(column: pl.Series) -> Ints:
    """Event times in ms since 1970 (int64)."""
    return column.dt.cast_time_unit("ms").to_physical().to_numpy()


@dataclass(slots=True)
class _Chunk:
    """Rows, and the time of each; ``least`` and ``most`` bound the times."""

    rows: pl.DataFrame
    times: Ints
    least: int
    most: int
    rising: bool


def _chunk(rows: pl.DataFrame, times: Ints) -> _Chunk:
    rising = bool((times[1:] >= times[:-1]).all())
    return _Chunk(rows, times, int(times.min()), int(times.max()), rising)


class TimeBuffer:
    """A handle: rows by event time; those of the same time stay in order of arrival.

    Args:
        declaration: its key ends with a position, which holds the order in a snapshot.
        schema: the columns of rows.
        time: the column that holds the event time.
    """

    def __init__(self, declaration: StateTable, schema: pl.Schema, time: str) -> None:
        self._declaration = declaration
        self._empty = pl.DataFrame(schema=schema)
        self._time = time
        self._chunks: list[_Chunk] = []

    def __len__(self) -> int:
        return sum(chunk.rows.height for chunk in self._chunks)

    def add(self, rows: pl.DataFrame, times: Ints) -> None:
        """Takes rows in order of arrival; small chunks are merged so that each is twice the next.

        Args:
            rows: of the schema.
            times: of each row, in ms.
        """
        if not rows.height:
            return
        self._chunks.append(_chunk(rows, times))
        while len(self._chunks) > 1 and len(self._chunks[-2].times) < 2 * len(
            self._chunks[-1].times
        ):
            last = self._chunks.pop()
            before = self._chunks[-1]
            merged = pl.concat([before.rows, last.rows], rechunk=True)
            self._chunks[-1] = _chunk(merged, np.append(before.times, last.times))

    def take(self, until: int) -> tuple[pl.DataFrame, Ints]:
        """Removes rows whose time is at or before ``until``; gives them and their times.

        Rows of the same time come in order of arrival, others in any.
        """
        due: list[_Chunk] = []
        kept: list[_Chunk] = []
        for chunk in self._chunks:
            if chunk.least > until:
                kept.append(chunk)
            elif chunk.most <= until:
                due.append(chunk)
            else:
                early, late = _split(chunk, until)
                due.append(early)
                kept.append(late)
        self._chunks = kept
        if not due:
            return self._empty, NO_INTS
        rows = pl.concat([chunk.rows for chunk in due], rechunk=True)
        return rows, np.concatenate([chunk.times for chunk in due])

    def earliest(self) -> int | None:
        """The least time of all rows."""
        return min((chunk.least for chunk in self._chunks), default=None)

    # The handle.

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        rows = pl.concat([self._empty, *(chunk.rows for chunk in self._chunks)])
        position = pl.int_range(pl.len(), dtype=pl.Int64)
        names = [column.name for column in self._declaration.columns]
        return rows.with_columns(position.alias(self._declaration.key[-1].name)).select(names)

    def restore(self, rows: pl.DataFrame) -> None:
        rows = rows.sort(self._declaration.key[-1].name, maintain_order=True)
        rows = rows.select(self._empty.columns)
        self.add(rows, milliseconds(rows[self._time]))


def _split(chunk: _Chunk, until: int) -> tuple[_Chunk, _Chunk]:
    """A chunk at a time, sorted for that: what is cut off next is a slice."""
    rows, times = chunk.rows, chunk.times
    if not chunk.rising:
        order = np.argsort(times, kind="stable")
        rows, times = rows[pl.Series(order)], times[order]
    cut = int(np.searchsorted(times, until, side="right"))
    early = _Chunk(rows[:cut], times[:cut], chunk.least, int(times[cut - 1]), True)
    late = _Chunk(rows[cut:], times[cut:], int(times[cut]), chunk.most, True)
    return early, late
