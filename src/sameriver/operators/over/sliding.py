"""Frames that start some rows or some time before the current row."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.changes import KINDS, MAX_WATERMARK, MIN_WATERMARK, ChangeKind, Changes
from sameriver.common.frames import picked
from sameriver.common.state import StateTable
from sameriver.common.types import to_polars
from sameriver.operators.accumulators.inputs import argument_column
from sameriver.operators.aggregation import Aggregation
from sameriver.operators.over.after import results_after
from sameriver.operators.over.expiry import Expiry
from sameriver.plan.expressions import AggregateCall
from sameriver.plan.physical.over_aggregate import LAG, OverAggregate
from sameriver.state.frame_rows import FrameRows, Moves
from sameriver.state.handle import Capture, StateStore
from sameriver.state.kernels.types import Ints
from sameriver.state.words import mask


class Sliding:
    """Accumulators take rows in as they come and back as they leave the frame.

    In event time a row is late if its key has given a row of its time or a later one; with a
    RANGE, also if it is farther behind the watermark than a frame reaches. So rows are kept until
    the watermark is two frames past them.

    Attributes:
        held: the rows in the frames.
    """

    def __init__(self, node: OverAggregate, store: StateStore) -> None:
        self._node = node
        self._keys = list(node.partition)
        preceding = node.frame.preceding or 0
        self._size = preceding + 1 if node.frame.rows else 0
        self._reach = 0 if node.frame.rows else preceding
        tables = node.state()
        arguments = node.arguments()
        self._names = list(arguments.names)
        self.held = FrameRows(arguments.to_polars())
        count = len(tables) - 1 - int(node.event_time)
        self._aggregation = Aggregation(
            tables[:count],
            node.input.schema.select(node.partition),
            node.aggregates,
            arguments,
            retract=True,
            store=store,
        )
        self._expiry = Expiry(node.ttl, self._aggregation, self.held.clear)
        self._freed = MIN_WATERMARK
        store.register(_Frames(tables[-1], self))

    def slots(self, rows: pl.DataFrame) -> Ints:
        """Slot of each row's key."""
        keys = picked(rows, self._keys)
        slots = self._aggregation.slots(keys)
        self.held.reserve(len(self._aggregation.words))
        return slots

    def on_time(self, rows: pl.DataFrame, times: Ints, watermark: int) -> np.ndarray:
        """Which rows count."""
        kept = times > watermark
        late = np.flatnonzero(~kept)
        if not len(late):
            return kept
        if self._size == 0 and watermark < MAX_WATERMARK:
            late = late[times[late] > watermark - self._reach]
        elif self._size == 0:
            return kept
        held = rows[pl.Series(late)]
        keys = held.select(self._keys) if self._keys else pl.DataFrame(height=len(late))
        slots = self._aggregation.find(keys)
        last, known = self.held.last_times(np.maximum(slots, 0)) if len(self.held) else (0, False)
        kept[late] = (slots < 0) | ~known | (times[late] > last)
        return kept

    def results(self, rows: pl.DataFrame, times: Ints, now: int) -> pl.DataFrame:
        """A column a call of rows in order of time."""
        slots = self.slots(rows)
        self._expiry.check(slots, now)
        order = np.argsort(slots, kind="stable")
        arguments = rows.select(self._names)[pl.Series(order)]
        peers = self._node.event_time and self._size == 0
        moves = self.held.advance(
            slots[order], times[order], arguments, size=self._size, reach=self._reach, peers=peers
        )
        places = pl.Series(np.argsort(order, kind="stable"))
        found = results_after(
            self._aggregation, moves.slots, self._changes(moves), now, moves.after
        )
        columns = {column.name: column for column in found}
        last = pl.Series(self._last_peers(slots[order], times[order]))
        for call in self._node.calls:
            if call.function == LAG:
                columns[call.name] = self._lag(call, moves, arguments)[last]
        return pl.DataFrame([columns[call.name] for call in self._node.calls])[places]

    def _last_peers(self, slots: Ints, times: Ints) -> Ints:
        """The row whose LAG counts: of rows of one event time the last, as in Flink."""
        rows = np.arange(len(slots))
        if not self._node.event_time:
            return rows
        ends = np.append((np.diff(slots) != 0) | (np.diff(times) != 0), True)
        at = np.flatnonzero(ends)
        return at[np.searchsorted(at, rows)]

    def _changes(self, moves: Moves) -> Changes:
        leaving = moves.signs < 0
        kinds = np.where(leaving, ChangeKind.DELETE, ChangeKind.INSERT)
        return Changes(self.held.rows(moves.rows), pl.Series(kinds).cast(KINDS))

    def _lag(self, call: AggregateCall, moves: Moves, arguments: pl.DataFrame) -> pl.Series:
        """The value of the row before, of as many as the frame has; else the default."""
        there = moves.oldest >= 0
        dtype = to_polars(call.type)
        values = argument_column(call.args[0], self.held.rows(np.maximum(moves.oldest, 0)))
        values = values.cast(dtype)
        if len(call.args) > 2:
            missing = argument_column(call.args[2], arguments).cast(dtype)
            values = values.zip_with(pl.Series(there), missing)
        else:
            values = mask(values, there)
        return values.alias(call.name)

    def save(self, numbers: Ints) -> tuple[pl.DataFrame, Ints, pl.DataFrame]:
        """Keys, times and arguments of rows in the frames."""
        slots, times, rows = self.held.save(numbers)
        return self._aggregation.keys(slots), times, rows

    def load(self, rows: pl.DataFrame, times: Ints) -> None:
        """Takes over rows that have the columns of keys and arguments."""
        slots = self.slots(rows)
        order = np.argsort(slots, kind="stable")
        arguments = rows.select(self._names)[pl.Series(order)]
        self.held.load(slots[order], times[order], arguments)

    def free(self, until: int) -> None:
        """Forgets rows that no frame will reach; ``until`` is how far time has come."""
        if self._size or (until < MAX_WATERMARK and until - self._freed < self._reach):
            return
        self._freed = until
        slack = 2 * self._reach if self._node.event_time else self._reach + 1
        used = self._aggregation.all_slots()
        slots, rows = self.held.release(used, max(until - slack, MIN_WATERMARK))
        if not len(slots):
            return
        kinds = pl.repeat(ChangeKind.DELETE, len(slots), dtype=KINDS, eager=True)
        self._aggregation.update(slots, Changes(self.held.rows(rows), kinds))
        touched = np.unique(slots)
        self._aggregation.remove(touched[self.held.counts(touched) == 0])


class _Frames:
    """The handle of the rows in the frames."""

    def __init__(self, declaration: StateTable, sliding: Sliding) -> None:
        self._declaration = declaration
        self._sliding = sliding

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        return self._save(self._sliding.held.numbers())[1]

    def capture(self, *, whole: bool) -> Capture:
        held = self._sliding.held
        return held.written.capture(held.numbers, self._save, whole=whole)

    def _save(self, numbers: Ints) -> tuple[Ints, pl.DataFrame]:
        keys, times, arguments = self._sliding.save(numbers)
        position, time = self._declaration.key[-1].name, self._declaration.values[-1].name
        columns = {column.name: column for column in (*arguments, *keys)}
        columns[position] = pl.Series(position, numbers)
        columns[time] = pl.Series(time, times).cast(pl.Datetime("ms", "UTC"))
        declared = [columns[column.name] for column in self._declaration.columns]
        return numbers, pl.DataFrame(declared)

    def restore(self, rows: pl.DataFrame) -> None:
        rows = rows.sort(self._declaration.key[-1].name, maintain_order=True)
        times = rows[self._declaration.values[-1].name].to_physical().to_numpy()
        self._sliding.load(rows, times)
