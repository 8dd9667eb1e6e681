"""Rows that wait for their time: found by key and range of time, freed as time goes on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK
from sameriver.common.dataclass import dataclass
from sameriver.common.state import StateTable
from sameriver.state.handle import Capture
from sameriver.state.index import fingerprints
from sameriver.state.kernels import timed
from sameriver.state.kernels.timed import Flags
from sameriver.state.kernels.types import NO_INTS, Ints
from sameriver.state.pool import Pool
from sameriver.state.room import grown
from sameriver.state.written import Written

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]
"""One boolean a row."""

_SMALLEST = 1 << 10


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """A run and its directory (see ``kernels.timed``)."""

    table: Ints
    starts: Ints
    shift: int

    @classmethod
    def of(cls, table: Ints) -> _Run:
        bits = max(1, len(table).bit_length())
        starts = np.zeros((1 << bits) + 1, np.int64)
        timed.directory(table, 64 - bits, starts)
        return cls(table, starts, 64 - bits)


class TimedRows:
    """A handle: rows of a key and a time, in order of arrival, each with a mark.

    Times are int64, in ms by custom. Rows go by their position, good until the next ``remove``.

    Args:
        declaration: the table; its columns are those of the rows, but for ``mark``.
        keys: the columns that make up the key.
        time: the column that holds the time.
        mark: the boolean column that keeps the marks; None: marks are not kept.
    """

    def __init__(
        self,
        declaration: StateTable,
        schema: pl.Schema,
        keys: Sequence[str],
        time: str,
        mark: str | None = None,
    ) -> None:
        self._declaration = declaration
        self._schema = schema
        self._keys = list(keys)
        self._time = time
        self._mark = mark
        self._pool = Pool(schema)
        self._runs: list[_Run] = []
        self._indexed = 0
        self._times = np.zeros(_SMALLEST, np.int64)
        self._marked = np.zeros(_SMALLEST, np.uint8)
        self._alive = np.zeros(_SMALLEST, np.uint8)
        self._live = 0
        self._earliest = MAX_WATERMARK
        self._written = Written()

    def __len__(self) -> int:
        return self._live

    @property
    def earliest(self) -> int | None:
        """A bound below the times of all rows; None: there are no rows."""
        return self._earliest if self._live else None

    def questions(self, keys: pl.DataFrame, low: Ints, high: Ints, asks: Mask | None) -> Ints:
        """What ``pairs`` and ``latest`` take: keys, and the lowest and highest time of each.

        Where ``asks`` is false nothing is found.
        """
        word, check = words(keys, len(low))
        if asks is not None:
            low, high = np.where(asks, low, 1), np.where(asks, high, 0)
        return np.ascontiguousarray(np.stack([word, check, low, high], axis=1))

    def add(self, rows: pl.DataFrame, marked: Mask | None = None) -> None:
        """Takes rows in."""
        if not rows.height:
            return
        rows = rows.select(self._schema.names())
        start = self._pool.append(rows)
        end = start + rows.height
        if end > len(self._times):
            self._times = grown(self._times, max(2 * len(self._times), end))
            self._marked = _longer(self._marked, len(self._times))
            self._alive = _longer(self._alive, len(self._times))
        times = milliseconds(rows[self._time])
        self._times[start:end] = times
        self._marked[start:end] = 0 if marked is None else marked
        self._alive[start:end] = 1
        self._live += rows.height
        self._written.mark(np.arange(start, end))
        self._earliest = min(self._earliest, int(times.min()))

    def _index(self) -> list[_Run]:
        """The runs of all rows: new ones join them only once some are looked for by key."""
        start, end = self._indexed, self._pool.height
        if start == end:
            return self._runs
        self._indexed, places = end, np.arange(start, end)
        keys = self._pool.gather(places, self._keys) if self._keys else pl.DataFrame()
        times = self._times[start:end]
        word, check = words(keys, len(times))
        order = np.lexsort((times, word))
        run = np.ascontiguousarray(np.stack([word, check, times, places], axis=1)[order])
        while self._runs and len(self._runs[-1].table) < 2 * len(run):
            first = self._runs.pop().table
            merged = np.empty((len(first) + len(run), 4), np.int64)
            timed.merge(first, run, merged)
            run = merged
        self._runs.append(_Run.of(run))
        return self._runs

    def pairs(self, questions: Ints) -> tuple[Ints, Ints]:
        """Question and row of each match, by question, then in order of time and arrival."""
        found: list[tuple[Ints, Ints]] = []
        firsts = np.empty(len(questions), np.int64)
        for run in self._index():
            total = timed.count(run.table, run.starts, run.shift, questions, self._alive, firsts)
            if total:
                asked, rows = np.empty(total, np.int64), np.empty(total, np.int64)
                timed.pairs(run.table, questions, self._alive, firsts, asked, rows)
                found.append((asked, rows))
        if not found:
            return NO_INTS, NO_INTS
        if len(found) == 1:
            return found[0]
        asked, rows = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.lexsort((rows, self._times[rows], asked))
        return asked[order], rows[order]

    def latest(self, questions: Ints) -> Ints:
        """The row of the highest time that answers each question, of equals the last; or -1."""
        times = np.zeros(len(questions), np.int64)
        rows = np.full(len(questions), -1, np.int64)
        for run in self._index():
            timed.latest(run.table, run.starts, run.shift, questions, self._alive, times, rows)
        return rows

    def of(self, keys: pl.DataFrame) -> Ints:
        """All rows of keys (each once)."""
        low, high = np.full(keys.height, MIN_WATERMARK), np.full(keys.height, MAX_WATERMARK)
        return self.pairs(self.questions(keys, low, high, None))[1]

    def gather(self, rows: Ints) -> pl.DataFrame:
        return self._pool.gather(rows)

    def times(self, rows: Ints) -> Ints:
        return self._times[rows]

    def mark(self, rows: Ints) -> None:
        self._marked[rows] = 1
        self._written.mark(rows)

    def marked(self, rows: Ints) -> Mask:
        return self._marked[rows].astype(np.bool_)

    def due(self, limit: int) -> Ints:
        """Rows of times up to ``limit``, in order of arrival."""
        if limit < self._earliest:
            return NO_INTS
        height = self._pool.height
        return np.flatnonzero((self._times[:height] <= limit) & (self._alive[:height] == 1))

    def remove(self, rows: Ints) -> None:
        """Removes rows; space is reclaimed once half of it is free."""
        self._alive[rows] = 0
        self._written.free(rows)
        self._live -= len(rows)
        height = self._pool.height
        if 2 * self._live <= height:
            self._compact(np.flatnonzero(self._alive[:height]))
        left = self._times[: self._pool.height][self._alive[: self._pool.height] == 1]
        self._earliest = int(left.min(initial=MAX_WATERMARK))

    def live(self) -> Ints:
        """All rows, in order of arrival."""
        return np.flatnonzero(self._alive[: self._pool.height])

    def _compact(self, rows: Ints) -> None:
        self._written.renumber()
        height = len(rows)
        times, marked = self._times[rows], self._marked[rows]
        self._pool.keep(rows)
        size = max(_SMALLEST, 2 * height)
        self._times = grown(times, size)
        self._marked = _longer(marked, size)
        self._alive = _longer(np.ones(height, np.uint8), size)
        self._runs, self._indexed = [], 0

    # The handle.

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        return self._save(self.live())[1]

    def capture(self, *, whole: bool) -> Capture:
        return self._written.capture(self.live, self._save, whole=whole)

    def _save(self, rows: Ints) -> tuple[Ints, pl.DataFrame]:
        frame = self._pool.gather(rows)
        if self._mark is not None:
            frame = frame.with_columns(pl.Series(self._mark, self._marked[rows] == 1))
        return rows, frame.select(column.name for column in self._declaration.columns)

    def restore(self, rows: pl.DataFrame) -> None:
        marked = None if self._mark is None else rows[self._mark].to_numpy()
        self.add(rows, marked)


def _longer(flags: Flags, length: int) -> Flags:
    """A copy, filled up with zeros."""
    longer = np.zeros(length, np.uint8)
    longer[: len(flags)] = flags
    return longer


def words(keys: pl.DataFrame, height: int) -> tuple[Ints, Ints]:
    """Two independent hashes of each of ``height`` rows; without columns all are the same."""
    if not keys.width:
        return np.zeros(height, np.int64), np.zeros(height, np.int64)
    return fingerprints(keys)


def milliseconds(times: pl.Series) -> Ints:
    """Times of any unit as ms since 1970."""
    unit = times.dtype
    if isinstance(unit, pl.Datetime) and unit.time_unit != "ms":
        times = times.dt.cast_time_unit("ms")
    return times.cast(pl.Int64).to_numpy().astype(np.int64, copy=False)
