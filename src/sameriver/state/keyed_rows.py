"""One row a key."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.common.changes import MIN_WATERMARK, Changes
from sameriver.common.frames import filtered, picked
from sameriver.common.state import StateTable
from sameriver.state.handle import Capture
from sameriver.state.index import KeyIndex
from sameriver.state.kernels import keyed_rows as kernels
from sameriver.state.kernels.types import NO_INTS, Ints
from sameriver.state.pool import Pool
from sameriver.state.room import grown
from sameriver.state.row_words import RowWords, Table
from sameriver.state.time_buffer import milliseconds
from sameriver.state.written import Written

_SMALLEST = 1 << 10
_PLACE = -1
"""The word that has the place of the wide columns in the pool."""


class KeyedRows:
    """A handle: a row a key, its time, and a mark.

    A row is overwritten where it lies, in the slot of its key; only what fits no word goes to a
    pool, which is cleared of old rows once they are half of it.

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
        self._words = RowWords(pl.Schema({n: t for n, t in schema.items() if n not in keys}))
        self._pool = Pool(self._words.wide)
        self._room = int(bool(self._words.wide))
        self._cells = np.zeros((0, kernels.WORDS + self._words.width + self._room), np.int64)
        self._arrivals = 1
        self._ttl = int(declaration.ttl.total_seconds() * 1000) if declaration.ttl else None
        self._next_sweep = 0
        extra = [column.name for column in declaration.columns if column.name not in self._names]
        self._mark = extra.pop(0) if marked else None
        self._access_name = extra.pop(0) if extra else None
        self._marks = np.zeros(0, np.bool_)
        self._marked = NO_INTS
        self._written = Written()

    def __len__(self) -> int:
        return len(self._index)

    def times(self, rows: pl.DataFrame) -> Ints:
        """The time of each row in ms; 0 where rows have none."""
        if self._time is None:
            return np.zeros(rows.height, np.int64)
        return milliseconds(rows[self._time])

    def put(self, rows: pl.DataFrame, rule: int, now: int) -> tuple[Ints, Ints]:
        """Offers rows to their keys, in order.

        Args:
            rows: of the schema.
            rule: which row replaces another (see kernels/keyed_rows).
            now: processing time.

        Returns:
            The numbers of the rows that are kept in the end, rising, and the slot of each.
        """
        slots, chosen = self._choose(rows, rule, now, each=False)
        kernels.put(self._cells, slots, chosen, self._encoded(rows, chosen))
        self._tidy()
        kept = np.flatnonzero(chosen)
        return kept, slots[kept]

    def exchange(self, rows: pl.DataFrame, rule: int, now: int, *, each: bool) -> Changes:
        """The same, with the changes that makes: +I, or -U and +U.

        Args:
            rows: of the schema.
            rule: which row replaces another.
            now: processing time.
            each: every row that is kept for a while counts; else what the batch ends with.
        """
        slots, chosen = self._choose(rows, rule, now, each=each)
        size = int(chosen.sum(dtype=np.int64))
        words = self._encoded(rows, chosen)
        of, kinds = np.empty(size, np.int64), np.empty(size, np.uint8)
        out = np.empty((len(words), size), np.int64)
        kernels.exchange(self._cells, slots, chosen, words, of, kinds, out)
        places = pl.Series(of)
        keys = [rows[key].gather(places) for key in self._keys]
        changed = picked(pl.DataFrame([*keys, *self._decoded(out)]), self._names)
        self._tidy()
        return Changes(changed, pl.Series(kinds) if kinds.any() else None)

    def _choose(
        self, rows: pl.DataFrame, rule: int, now: int, *, each: bool
    ) -> tuple[Ints, np.ndarray]:
        """The slot of each row, and whether it is chosen."""
        slots = self._slots(rows)
        oldest = MIN_WATERMARK if self._ttl is None else now - self._ttl
        self._forget_marks(slots, oldest)
        chosen = np.empty(len(slots), np.uint8)
        times = np.ascontiguousarray(self.times(rows))
        kernels.choose(self._cells, slots, times, rule, self._arrivals, now, oldest, each, chosen)
        self._arrivals += len(slots)
        self._written.mark(slots)
        return slots, chosen

    def _slots(self, rows: pl.DataFrame) -> Ints:
        keys = picked(rows, self._keys)
        slots = self._index.find_or_insert(keys)
        if len(self._cells) < self._index.capacity:
            self._cells = grown(self._cells, self._index.capacity)
            if self._mark is not None:
                self._marks = grown(self._marks, self._index.capacity)
        return slots

    def _encoded(self, rows: pl.DataFrame, chosen: np.ndarray) -> Table:
        """The words of rows; of the chosen ones the wide columns are stored."""
        words = self._words.encode(rows, self._room)
        if self._room:
            mask = chosen != kernels.NOT
            start = self._pool.append(filtered(picked(rows, self._words.wide), pl.Series(mask)))
            words[_PLACE] = np.cumsum(mask) + (start - 1)
        return words

    def _decoded(self, words: Table) -> list[pl.Series]:
        """The columns beside the key."""
        wide = self._pool.gather(words[_PLACE]) if self._room else pl.DataFrame()
        return self._words.decode(words, wide).get_columns()

    def _tidy(self) -> None:
        if self._pool.height > 2 * len(self) + _SMALLEST:
            slots = self._index.slots()
            self._pool.keep(self._cells[slots, _PLACE])
            self._cells[slots, _PLACE] = np.arange(len(slots))

    # Marks.

    def mark(self, slots: Ints, value: bool) -> None:
        """Marks the rows of slots (each once), or takes their marks off."""
        if value:
            self._marked = np.concatenate([self._marked, slots[~self._marks[slots]]])
        self._marks[slots] = value
        if not value:
            self._marked = self._marked[self._marks[self._marked]]
        self._written.mark(slots)

    def marked(self, until: int, now: int) -> Ints:
        """Slots whose row is marked and of a time up to ``until``, by time and arrival."""
        cells = self._cells[self._marked]
        due = cells[:, kernels.TIME] <= until
        if self._ttl is not None:
            due &= cells[:, kernels.ACCESS] > now - self._ttl
        slots, cells = self._marked[due], cells[due]
        return slots[np.lexsort((cells[:, kernels.ARRIVAL], cells[:, kernels.TIME]))]

    def earliest(self) -> int | None:
        """The least time of a marked row."""
        times = self._cells[self._marked, kernels.TIME]
        return int(times.min()) if len(times) else None

    def _forget_marks(self, slots: Ints, oldest: int) -> None:
        """Takes the marks off rows last written up to ``oldest``."""
        if len(self._marked):
            old = slots[self._marks[slots]]
            self.mark(old[self._cells[old, kernels.ACCESS] <= oldest], False)

    def rows(self, slots: Ints) -> pl.DataFrame:
        """The rows of slots."""
        words = np.ascontiguousarray(self._cells[slots, kernels.WORDS :].T)
        columns = [*self._index.keys(slots), *self._decoded(words)]
        return pl.DataFrame(columns).select(self._names)

    def sweep(self, now: int) -> None:
        """Now and then frees the expired keys."""
        if self._ttl is None or now < self._next_sweep:
            return
        self._next_sweep = now + self._ttl // 4
        every = self._index.slots()
        old = every[self._cells[every, kernels.ACCESS] <= now - self._ttl]
        self._forget_marks(old, now - self._ttl)
        self._index.remove(old)
        self._cells[old] = 0
        self._written.free(old)

    # The handle.

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        return self._save(self._index.slots())[1]

    def capture(self, *, whole: bool) -> Capture:
        return self._written.capture(self._index.slots, self._save, whole=whole)

    def _save(self, slots: Ints) -> tuple[Ints, pl.DataFrame]:
        frame = self.rows(slots)
        if self._mark is not None:
            frame = frame.with_columns(pl.Series(self._mark, self._marks[slots]))
        if self._access_name is not None:
            access = pl.Series(self._access_name, self._cells[slots, kernels.ACCESS])
            frame = frame.with_columns(access.cast(pl.Datetime("ms", "UTC")))
        return slots, frame.select(column.name for column in self._declaration.columns)

    def restore(self, rows: pl.DataFrame) -> None:
        _, slots = self.put(rows, kernels.ANY, 0)
        if self._mark is not None:
            self.mark(slots[rows[self._mark].to_numpy()], True)
        if self._access_name is not None:
            access = rows[self._access_name].to_physical().cast(pl.Int64)
            self._cells[slots, kernels.ACCESS] = access.to_numpy()
