"""One row a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sameriver.common.state import StateTable
from sameriver.state.index import KeyIndex, grown
from sameriver.state.kernels import keyed_rows as kernels
from sameriver.state.kernels.types import Ints
from sameriver.state.pool import Pool
from sameriver.state.time_buffer import milliseconds

_SMALLEST = 1 << 10
_REFUSED = np.iinfo(np.int64).min

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True, eq=False)
class Replaced:
    """Rows that a batch put in, each with the one it replaced.

    Attributes:
        rows: numbers of the rows in the batch, rising.
        slots: of each.
        old: the rows they replaced, where there was one.
        had: whether there was one.
    """

    rows: Ints
    slots: Ints
    old: pl.DataFrame
    had: Mask


class KeyedRows:
    """A handle: a row a key, its time, and a mark.

    Args:
        declaration: key columns, then the others, then, if there are marks, the column of the
            mark, then, with a TTL, that of the last write.
        schema: the columns of rows.
        keys: the columns that make up the key.
        time: the column that holds the time; None: rows have none.
        marked: whether rows carry a mark.
    """

    def __init__(
        self,
        declaration: StateTable,
        schema: pl.Schema,
        keys: Sequence[str],
        *,
        time: str | None = None,
        marked: bool = False,
    ) -> None:
        self._declaration = declaration
        self._names = schema.names()
        self._keys = list(keys)
        self._time = time
        self._index = KeyIndex(pl.Schema({key: schema[key] for key in keys}))
        self._pool = Pool(schema)
        self._ttl = int(declaration.ttl.total_seconds() * 1000) if declaration.ttl else None
        self._next_sweep = 0
        extra = [column.name for column in declaration.columns if column.name not in self._names]
        self._mark = extra.pop(0) if marked else None
        self._access_name = extra.pop(0) if extra else None
        self._places, self._times, self._access, self._before = (
            np.zeros(0, np.int64) for _ in range(4)
        )
        self._marks = np.zeros(0, np.bool_)

    def __len__(self) -> int:
        return len(self._index)

    def times(self, rows: pl.DataFrame) -> Ints:
        """The time of each row in ms; 0 where rows have none."""
        if self._time is None:
            return np.zeros(rows.height, np.int64)
        return milliseconds(rows[self._time])

    def offer(self, rows: pl.DataFrame, rule: int, now: int, *, each: bool) -> Replaced:
        """Offers rows to their keys, in order.

        Args:
            rows: of the schema.
            rule: which row replaces another (see kernels/keyed_rows).
            now: processing time.
            each: every row that is kept for a while counts; else what the batch ends with.
        """
        slots = self._slots(rows, now)
        previous = np.empty(len(slots), np.int64)
        times = np.ascontiguousarray(self.times(rows))
        kernels.replace(slots, times, rule, self._times, self._places, self._before, previous)
        numbers = np.arange(len(slots))
        last = self._places[slots] == -1 - numbers
        chosen = np.flatnonzero(previous != _REFUSED if each else last)
        of = slots[chosen]
        places = previous[chosen] if each else self._before[of]
        old = self._replaced(rows, places[places != 0])
        self._store(rows, slots, np.flatnonzero(last), now)
        return Replaced(chosen, of, old, places != 0)

    def _slots(self, rows: pl.DataFrame, now: int) -> Ints:
        keys = rows.select(self._keys) if self._keys else pl.DataFrame(height=rows.height)
        slots = self._index.find_or_insert(keys)
        if len(self._places) < self._index.capacity:
            size = self._index.capacity
            self._places, self._times = grown(self._places, size), grown(self._times, size)
            self._access, self._before = grown(self._access, size), grown(self._before, size)
            self._marks = grown(self._marks, size)
        if self._ttl is not None:
            old = slots[self._access[slots] <= now - self._ttl]
            self._places[old], self._marks[old] = 0, False
        return slots

    def _replaced(self, rows: pl.DataFrame, places: Ints) -> pl.DataFrame:
        """The rows at places in the store and in the batch."""
        stored = places > 0
        if stored.all():
            return self._pool.gather(places - 1)
        both = pl.concat([self._pool.gather(places[stored] - 1), rows.select(self._names)])
        count = int(stored.sum())
        at = np.where(stored, np.cumsum(stored) - 1, count - 1 - places)
        return both[pl.Series(at)]

    def _store(self, rows: pl.DataFrame, slots: Ints, chosen: Ints, now: int) -> None:
        kept = slots[chosen]
        start = self._pool.append(rows.select(self._names)[pl.Series(chosen)])
        self._places[kept] = start + 1 + np.arange(len(chosen))
        self._access[kept] = now
        if self._pool.height > 2 * len(self) + _SMALLEST:
            self._compact()

    def _compact(self) -> None:
        slots = self._held()
        self._pool.keep(self._places[slots] - 1)
        self._places[slots] = np.arange(1, len(slots) + 1)

    def _held(self) -> Ints:
        """Slots that hold a row, in the order in which rows came."""
        slots = self._index.slots()
        slots = slots[self._places[slots] > 0]
        return slots[np.argsort(self._places[slots])]

    def mark(self, slots: Ints, value: bool) -> None:
        self._marks[slots] = value

    def marked(self, until: int, now: int) -> Ints:
        """Slots whose row is marked and of a time up to ``until``, by time and arrival."""
        slots = np.flatnonzero(self._marks & (self._times <= until))
        if self._ttl is not None:
            slots = slots[self._access[slots] > now - self._ttl]
        return slots[np.lexsort((self._places[slots], self._times[slots]))]

    def earliest(self) -> int | None:
        """The least time of a marked row."""
        times = self._times[self._marks]
        return int(times.min()) if len(times) else None

    def rows(self, slots: Ints) -> pl.DataFrame:
        return self._pool.gather(self._places[slots] - 1)

    def sweep(self, now: int) -> None:
        """Now and then frees the expired keys."""
        if self._ttl is None or now < self._next_sweep:
            return
        self._next_sweep = now + self._ttl // 4
        every = self._index.slots()
        old = every[self._access[every] <= now - self._ttl]
        self._index.remove(old)
        self._places[old], self._marks[old] = 0, False

    # The handle.

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        slots = self._held()
        frame = self._pool.gather(self._places[slots] - 1)
        if self._mark is not None:
            frame = frame.with_columns(pl.Series(self._mark, self._marks[slots]))
        if self._access_name is not None:
            access = pl.Series(self._access_name, self._access[slots])
            frame = frame.with_columns(access.cast(pl.Datetime("ms", "UTC")))
        return frame.select(column.name for column in self._declaration.columns)

    def restore(self, rows: pl.DataFrame) -> None:
        taken = self.offer(rows, kernels.ANY, 0, each=False)
        if self._mark is not None:
            self._marks[taken.slots] = rows[self._mark].to_numpy()
        if self._access_name is not None:
            access = rows[self._access_name].to_physical().cast(pl.Int64)
            self._access[taken.slots] = access.to_numpy()
