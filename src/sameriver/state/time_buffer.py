"""Rows that wait for their time to come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sameriver.common.state import StateTable
from sameriver.state.handle import Capture, Delta
from sameriver.state.kernels.types import NO_INTS, Ints


def milliseconds(column: pl.Series) -> Ints:
    """Event times in ms since 1970 (int64)."""
    return column.dt.cast_time_unit("ms").to_physical().to_numpy()


@dataclass(slots=True)
class _Chunk:
    """Rows, and the time and number of each; ``least`` and ``most`` bound the times."""

    rows: pl.DataFrame
    times: Ints
    numbers: Ints
    least: int
    most: int
    rising: bool


def _chunk(rows: pl.DataFrame, times: Ints, numbers: Ints) -> _Chunk:
    rising = bool((times[1:] >= times[:-1]).all())
    return _Chunk(rows, times, numbers, int(times.min()), int(times.max()), rising)


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
        # Rows are numbered as they come; those below ``_saved`` were in a capture.
        self._given = self._saved = 0
        self._taken: list[Ints] = []

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
        numbers = np.arange(self._given, self._given + rows.height)
        self._given += rows.height
        self._chunks.append(_chunk(rows, times, numbers))
        while len(self._chunks) > 1 and len(self._chunks[-2].times) < 2 * len(
            self._chunks[-1].times
        ):
            last = self._chunks.pop()
            before = self._chunks[-1]
            merged = pl.concat([before.rows, last.rows], rechunk=True)
            numbers = np.append(before.numbers, last.numbers)
            self._chunks[-1] = _chunk(merged, np.append(before.times, last.times), numbers)

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
        if self._saved:
            self._taken += [chunk.numbers[chunk.numbers < self._saved] for chunk in due]
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
        return self._since(0)[1]

    def capture(self, *, whole: bool) -> Capture:
        everything = whole or not self._saved
        numbers, rows = self._since(0 if everything else self._saved)
        gone = np.concatenate([NO_INTS, *([] if everything else self._taken)])
        self._saved, self._taken = self._given, []
        return lambda: Delta(rows=rows, ids=numbers, gone=gone, whole=everything)

    def _since(self, first: int) -> tuple[Ints, pl.DataFrame]:
        """Rows from a number on, as declared, and their numbers."""
        parts, numbers = [self._empty], [NO_INTS]
        for chunk in self._chunks:
            new = chunk.numbers >= first
            numbers.append(chunk.numbers[new])
            parts.append(chunk.rows.filter(pl.Series(new)))
        together = np.concatenate(numbers)
        position = pl.Series(self._declaration.key[-1].name, together)
        names = [column.name for column in self._declaration.columns]
        return together, pl.concat(parts).with_columns(position).select(names)

    def restore(self, rows: pl.DataFrame) -> None:
        rows = rows.sort(self._declaration.key[-1].name, maintain_order=True)
        rows = rows.select(self._empty.columns)
        self.add(rows, milliseconds(rows[self._time]))


def _split(chunk: _Chunk, until: int) -> tuple[_Chunk, _Chunk]:
    """A chunk at a time, sorted for that: what is cut off next is a slice."""
    rows, times, numbers = chunk.rows, chunk.times, chunk.numbers
    if not chunk.rising:
        order = np.argsort(times, kind="stable")
        rows, times, numbers = rows[pl.Series(order)], times[order], numbers[order]
    cut = int(np.searchsorted(times, until, side="right"))
    early = _Chunk(rows[:cut], times[:cut], numbers[:cut], chunk.least, int(times[cut - 1]), True)
    late = _Chunk(rows[cut:], times[cut:], numbers[cut:], int(times[cut]), chunk.most, True)
    return early, late
