"""The rows that the frame of each key holds, in order."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.state.kernels import frame as kernels
from sameriver.state.kernels.types import Ints, Signs
from sameriver.state.pool import Pool
from sameriver.state.room import grown
from sameriver.state.written import Written

_ROOM = 1 << 16
_ALL = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Moves:
    """How frames changed.

    Attributes:
        slots: slot of each change.
        rows: the row of each change; good until the next ``advance``.
        signs: +1: it came, -1: it left.
        after: by new row: the change after which its frame stands.
        oldest: by new row: the first row of its frame, -1 while the frame is not full.
    """

    slots: Ints
    rows: Ints
    signs: Signs
    after: Ints
    oldest: Ints


class FrameRows:
    """Rows by slot, in order; a row leaves as others come, by their number or their time.

    Args:
        schema: the columns of a row.

    Attributes:
        written: marks rows, by their numbers.
    """

    def __init__(self, schema: pl.Schema) -> None:
        self._schema = schema
        self._pool = Pool(schema)
        self._ends = np.zeros((0, 3), np.int64)
        self._items = np.zeros((_ROOM, 3), np.int64)
        self._live = 0
        self.written = Written()

    def __len__(self) -> int:
        return self._live

    def reserve(self, capacity: int) -> None:
        """Makes room for slots below ``capacity``."""
        if len(self._ends) < capacity:
            self._ends = grown(self._ends, capacity)

    def advance(
        self,
        slots: Ints,
        times: Ints,
        rows: pl.DataFrame,
        *,
        size: int = 0,
        reach: int = 0,
        peers: bool = False,
    ) -> Moves:
        """Takes new rows, sorted by slot, then as they come.

        Args:
            slots: of the new rows.
            times: of the new rows.
            rows: the new rows.
            size: how many rows a frame has; 0: it goes back ``reach`` in time.
            reach: in ms.
            peers: whether rows of the same slot and time share a frame.
        """
        self._tidy()
        first = self._pool.append(rows)
        if len(self._items) < self._pool.height:
            self._items = grown(self._items, 2 * self._pool.height)
        most = self._live + 2 * len(slots)
        changed, moved = kernels.empty(most), kernels.empty(most)
        signs = np.empty(most, np.int8)
        after, oldest = kernels.empty(len(slots)), kernels.empty(len(slots))
        count = kernels.advance(
            self._ends, self._items, slots, times, first, size, reach, peers,
            changed, moved, signs, after, oldest,
        )  # fmt: skip
        self._live += int(signs[:count].sum(dtype=np.int64))
        self.written.mark(np.arange(first, self._pool.height))
        if self.written.on:
            self.written.free(moved[:count][signs[:count] < 0])
        return Moves(changed[:count], moved[:count], signs[:count], after, oldest)

    def release(self, slots: Ints, until: int) -> tuple[Ints, Ints]:
        """Takes off rows whose time is at or before ``until``; gives their slots and numbers."""
        changed, rows = kernels.empty(self._live), kernels.empty(self._live)
        count = kernels.release(self._ends, self._items, slots, until, changed, rows)
        self._live -= count
        self.written.free(rows[:count])
        return changed[:count], rows[:count]

    def clear(self, slots: Ints) -> None:
        """Forgets the rows of slots (each once)."""
        self._live -= int(self._ends[slots, kernels.COUNT].sum())
        if self.written.on:
            self.written.free(self.chains(slots)[1])
        self._ends[slots] = 0

    def numbers(self) -> Ints:
        """The numbers of all rows that are held, chain by chain."""
        return self.chains(np.flatnonzero(self._ends[:, kernels.COUNT]))[1]

    def rows(self, numbers: Ints) -> pl.DataFrame:
        """The rows that have these numbers."""
        return self._pool.gather(numbers)

    def counts(self, slots: Ints) -> Ints:
        """How many rows slots have."""
        counts: Ints = self._ends[slots, kernels.COUNT]
        return counts

    def last_times(self, slots: Ints) -> tuple[Ints, np.ndarray]:
        """The time of the last row of slots, and whether they have one."""
        links = self._ends[slots, kernels.TAIL]
        return self._items[np.maximum(links - 1, 0), kernels.TIME], links > 0

    def save(self, numbers: Ints) -> tuple[Ints, Ints, pl.DataFrame]:
        """Slots, times and rows of numbers. In a chain numbers rise."""
        slots, times = self._items[numbers, kernels.SLOT], self._items[numbers, kernels.TIME]
        return slots, times, self.rows(numbers)

    def load(self, slots: Ints, times: Ints, rows: pl.DataFrame) -> None:
        """Takes over what ``save`` gave."""
        self.advance(slots, times, rows, size=_ALL)

    def chains(self, slots: Ints) -> tuple[Ints, Ints]:
        """Slots and numbers of the rows of slots, chain by chain."""
        size = int(self._ends[slots, kernels.COUNT].sum())
        owners, numbers = kernels.empty(size), kernels.empty(size)
        kernels.list_rows(self._ends, self._items, slots, owners, numbers)
        return owners, numbers

    def _tidy(self) -> None:
        """Reclaims the room of rows that left."""
        if self._pool.height < 2 * self._live + _ROOM:
            return
        slots, times, rows = self.save(self.numbers())
        self.written.renumber()
        self._pool = Pool(self._schema)
        self._items = np.zeros((max(_ROOM, 2 * len(slots)), 3), np.int64)
        self._ends[:] = 0
        self._live = 0
        self.load(slots, times, rows)
