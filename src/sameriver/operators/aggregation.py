"""Keyed accumulators of all calls of an aggregation, folded batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import partial
from typing import cast

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Schema
from sameriver.common.state import StateTable
from sameriver.common.types import to_polars
from sameriver.operators.accumulators import accumulator
from sameriver.operators.accumulators.accumulator import Beside, Held, Rows, Step, Words
from sameriver.operators.accumulators.distinct import Distinct, distinct
from sameriver.operators.accumulators.inputs import call_rows, without_nulls
from sameriver.plan.expressions import AggregateCall
from sameriver.plan.physical.aggregate_state import (
    Side,
    SideTable,
    accumulator_columns,
    side_tables,
    takes_nulls,
)
from sameriver.state.handle import Capture, StateStore
from sameriver.state.index import KeyIndex
from sameriver.state.kernels import fold, touch
from sameriver.state.kernels.types import Ints, Signs
from sameriver.state.room import grown
from sameriver.state.written import Written


@dataclass(frozen=True, slots=True)
class Touched:
    """What a batch changed: an entry a slot, in order of appearance, or an entry a row.

    Attributes:
        slots: of each entry.
        fresh: of each entry, whether there was nothing before.
        ends: of each entry, the column of ``history`` with what it is now; what it was is in the
            column before, unless it is fresh.
        kinds: of each column of ``history``, its change kind if it is emitted as it is (uint8).
        rows: of each column of ``history``, the row where its entry appears (uint32).
        history: a row a word, a column for each old and each new result.
        old: results as they were, of the calls (by number) that don't live in words.
    """

    slots: Ints
    fresh: np.ndarray
    ends: Ints
    kinds: np.ndarray
    rows: np.ndarray
    history: np.ndarray
    old: dict[int, pl.Series] = field(default_factory=dict)

    @property
    def before(self) -> Words:
        """Words of each entry as they were; as they are where it is fresh."""
        return cast(Words, self.history.take(self.ends - ~self.fresh, axis=1).T)

    @property
    def after(self) -> Words:
        """Words of each entry as they are."""
        return cast(Words, self.history.take(self.ends, axis=1).T)


@dataclass(frozen=True, slots=True)
class _Handle:
    """A state table, saved and loaded by its aggregation."""

    declaration: StateTable
    snapshot: Callable[[], pl.DataFrame]
    restore: Callable[[pl.DataFrame], None]
    capture: Callable[..., Capture]


class Aggregation:
    """The accumulators of all calls, by key: a key has a slot, a slot has accumulators.

    A slot's accumulators are a row of words: a mark that the batch leaves on slots it touches, the
    last access (where there is a TTL), the number of live rows (where ``retract``), then the words
    of each call. Copies of words leave out the mark and the last access.

    Args:
        tables: what ``aggregate_state`` declared for the same calls.
        keys: names and types of the key columns.
        calls: the aggregates; their arguments and filters are columns of ``input`` or literals.
        input: columns of the batches that ``update`` gets.
        retract: whether rows are taken back.
        store: where the tables are registered.
    """

    def __init__(
        self,
        tables: tuple[StateTable, ...],
        keys: Schema,
        calls: tuple[AggregateCall, ...],
        input: Schema,
        *,
        retract: bool,
        store: StateStore,
    ) -> None:
        self._tables, self._calls, self._retract = tables, calls, retract
        self._schema = keys.to_polars()
        self._index = KeyIndex(self._schema)
        self._stamp = 0
        self._written = Written()
        self._access_word = 1 if tables[0].ttl else -1
        self._first = 2 if tables[0].ttl else 1
        self.live_word = self._first if retract else -1
        self.call_word = at = self._first + int(retract)
        self.accumulators = []
        for call in calls:
            self.accumulators.append(accumulator(call, at, retract=retract))
            at += fold.WIDTHS[self.accumulators[-1].operation]
        self._sides = side_tables(calls, retract)
        seen = [side for side in self._sides if side.side is Side.DISTINCT]
        self._distinct = distinct(seen, calls, retract=retract)
        self.width = at
        self.words = np.zeros((0, _width(at)), np.int64)
        self._reserve()
        self._register(store)

    def _register(self, store: StateStore) -> None:
        store.register(
            _Handle(
                self._tables[0],
                lambda: self._save(self.all_slots())[1],
                self._load,
                partial(self._written.capture, self.all_slots, self._save),
            )
        )
        holders = {side: each for each in self._distinct for side in each.tables}
        for table, side in zip(self._tables[1:], self._sides, strict=True):
            if side.side is Side.DISTINCT:
                handle = self._distinct_handle(table, side, holders[side])
            else:
                handle = self._side_handle(table, side.calls[0])
            store.register(handle)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def running(self) -> bool:
        """Whether words hold every result after each row of a batch."""
        return all(each.running for each in self.accumulators)

    @property
    def resident(self) -> bool:
        """Whether words hold every result at the end of a batch."""
        return all(each.resident for each in self.accumulators)

    def slots(self, keys: pl.DataFrame) -> Ints:
        """Slot of each row (int64); a new key gets one. A frame without columns has its height."""
        self._tidy()
        slots = self._index.find_or_insert(keys)
        self._reserve()
        return slots

    def find(self, keys: pl.DataFrame) -> Ints:
        """Slot of each row (int64), -1 where the key is unknown."""
        return self._index.find(keys)

    def update(self, slots: Ints, changes: Changes) -> None:
        """Folds rows in order of arrival; rows that are taken back only where ``retract``."""
        self._fold(slots, self._steps(slots, changes))

    def change(self, slots: Ints, changes: Changes, now: int, *, by_row: bool = False) -> Touched:
        """As ``update``, and tells which slots were touched, and what they were and are.

        With ``by_row`` (if all calls are ``running``) what they are after each row.
        """
        self._stamp += 1
        history = np.empty((self.width, _spread(2 * len(slots))), np.int64)
        if self.resident:
            return self._change(slots, self._steps(slots, changes), now, by_row, history)
        touched = self._change(slots, [], now, by_row, history)
        for number, each in enumerate(self.accumulators):
            if not each.resident:
                touched.old[number] = self.result_of(number, touched.before, touched.slots)
        self._fold(slots, self._steps(slots, changes))
        touch.take(self.words, touched.slots, self._first, touched.ends, history)
        return touched

    def _change(
        self, slots: Ints, steps: list[Step], now: int, by_row: bool, history: np.ndarray
    ) -> Touched:
        """Runs a program, and tells what it changed."""
        self._written.mark(slots)
        size = len(slots)
        touched, ends = np.empty(size, np.int64), np.empty(size, np.int64)
        fresh, kinds = np.empty(size, np.bool_), np.empty(2 * size, np.uint8)
        rows = np.empty(2 * size, np.uint32)
        count = touch.change(
            self.words, self.words.view(np.float64), slots, self._stamp, by_row,
            self._first, self.live_word, self._access_word, now,
            *_program(steps, size), touched, fresh, ends, kinds, rows, history,
        )  # fmt: skip
        width = int(ends[count - 1]) + 1 if count else 0
        return Touched(
            slots=touched[:count],
            fresh=fresh[:count],
            ends=ends[:count],
            kinds=kinds[:width],
            rows=rows[:width],
            history=history[:, :width],
        )

    def _steps(self, slots: Ints, changes: Changes) -> list[Step]:
        """Steps of the fold program for a batch; what isn't in words changes at once."""
        signs = changes.signs()
        base = None if signs is None else signs.to_numpy().astype(np.int8)
        steps = [Step(fold.COUNT, self.live_word, (), base)] if self._retract else []
        seen = {
            number: rows
            for each in self._distinct
            for numbers, rows in each.rows(slots, changes, base)
            for number in numbers
        }
        for number, call in enumerate(self._calls):
            nulls = takes_nulls(call)
            rows = seen.get(number)
            if rows is None:
                rows = call_rows(call, slots, changes, base, nulls=nulls)
            elif not nulls:
                rows = without_nulls(rows)
            step = self.accumulators[number].fold(self.words, rows)
            if step is not None:
                steps.append(step)
        return steps

    def _fold(self, slots: Ints, steps: list[Step]) -> None:
        """Runs a program over words."""
        self._written.mark(slots)
        program = _program(steps, len(slots))
        fold.fold(self.words, self.words.view(np.float64), slots, *program)

    def merge(self, into: Ints, other: Aggregation, slots: Ints) -> None:
        """Adds the accumulators of ``other`` at ``slots`` to the own ones at ``into``, in order.

        Slots may repeat on either side.
        """
        into, slots = np.ascontiguousarray(into), np.ascontiguousarray(slots)
        self._written.mark(into)
        theirs = other.take(slots)
        looked_up = {n for each in self._distinct for side in each.tables for n in side.calls}
        steps = [Step(fold.COUNT, self.live_word, (), None)] if self._retract else []
        for number, each in enumerate(self.accumulators):
            if number not in looked_up:
                each.absorb(self.words, into, other.accumulators[number], slots, theirs)
                if each.resident:
                    steps.append(Step(each.operation, each.at, (), None))
        program, *_ = _program(steps, 0)
        fold.merge(
            self.words, self.words.view(np.float64), into, program,
            theirs.T, theirs.T.view(np.float64),
        )  # fmt: skip
        for mine, others in zip(self._distinct, other._distinct, strict=True):
            for numbers, rows in mine.absorb(into, others, slots):
                self._fold_new(rows, numbers)

    def _fold_new(self, rows: Rows, calls: tuple[int, ...]) -> None:
        """Folds values that are new to DISTINCT calls."""
        steps = []
        for number in calls:
            nulls = takes_nulls(self._calls[number])
            seen = rows if nulls else without_nulls(rows)
            step = self.accumulators[number].fold(self.words, seen)
            if step is not None:
                steps.append(step)
        self._fold(rows.slots, steps)

    def take(self, slots: Ints) -> Words:
        """A copy of the words of slots."""
        out = np.empty((self.width, len(slots)), np.int64)
        places = np.arange(len(slots))
        touch.take(self.words, np.ascontiguousarray(slots), self._first, places, out)
        return out.T

    def results(self, slots: Ints) -> pl.DataFrame:
        """One column a call, typed as the call, one row a slot."""
        return self.results_of(self.take(slots), slots)

    def results_of(self, words: Words, slots: Ints) -> pl.DataFrame:
        """As ``results``, of words that slots have or had."""
        return pl.DataFrame([self.result_of(n, words, slots) for n in range(len(self._calls))])

    def result_of(self, number: int, words: Words, slots: Ints) -> pl.Series:
        """Results of one call, of words that slots have or had."""
        call = self._calls[number]
        return self.typed(call, self.accumulators[number].result(words, slots))

    def typed(self, call: AggregateCall, values: pl.Series) -> pl.Series:
        """Values under the call's name and type."""
        dtype = to_polars(call.type)
        return (values if values.dtype == dtype else values.cast(dtype)).alias(call.name)

    def live(self, slots: Ints) -> Ints:
        """Rows counted in minus rows taken back (int64); 1 everywhere where not ``retract``."""
        if not self._retract:
            return np.ones(len(slots), np.int64)
        live: Ints = self.words[slots, self.live_word]
        return live

    def keys(self, slots: Ints) -> pl.DataFrame:
        """The key columns of slots."""
        return self._index.keys(slots)

    def remove(self, slots: Ints) -> None:
        """Frees slots (each once) and everything that hangs on them."""
        self.clear(slots)
        self._index.remove(slots)
        self._written.free(slots)

    def clear(self, slots: Ints) -> None:
        """Forgets what slots (each once) hold; the keys keep them."""
        if not len(slots):
            return
        self.words[slots] = 0
        self._written.mark(slots)
        for each in self.accumulators:
            each.clear(slots)
        for seen in self._distinct:
            seen.values.clear(slots)

    def all_slots(self) -> Ints:
        """Slots in use, in rising order (int64)."""
        return self._index.slots()

    def accept(self, slots: Ints, signs: Signs) -> Ints:
        """Numbers of the rows but those that take back from a key that has no row then."""
        rows = np.empty(len(slots), np.int64)
        return rows[: touch.accept(self.words, self.live_word, slots, signs, rows)]

    def expired(self, slots: Ints, oldest: int) -> Ints:
        """Slots last written at or before ``oldest``, each once; from now on they count as new."""
        out = np.empty(len(slots), np.int64)
        old = out[: touch.expire(self.words, slots, self._access_word, oldest, out)]
        self._written.mark(old)
        return old

    def sweep(self, start: int, stop: int, oldest: int, earliest: Ints) -> int:
        """Frees the expired among slots from ``start`` on; gives where to go on, 0 at the end.

        ``earliest`` (one word) falls to the earliest access of those that stay.
        """
        stop = min(stop, len(self.words))
        out = np.empty(stop - start, np.int64)
        word = self._access_word
        count = touch.sweep(self.words, start, stop, word, oldest, out, earliest)
        self.remove(out[:count])
        return 0 if stop == len(self.words) else stop

    def _tidy(self) -> None:
        """Reclaims room between batches, where much of it is waste."""
        for seen in self._distinct:
            seen.values.tidy()
        for each in self.accumulators:
            each.tidy(self.words, self.all_slots)

    def _reserve(self) -> None:
        """Room for every slot that the index may have given."""
        capacity = self._index.capacity
        if len(self.words) >= capacity:
            return
        self.words = grown(self.words, capacity)
        for each in self.accumulators:
            each.reserve(capacity)
        for seen in self._distinct:
            seen.values.reserve(capacity)

    def _save(self, slots: Ints) -> tuple[Ints, pl.DataFrame]:
        words = self.take(slots)
        columns = [column for each in self.accumulators for column in each.save(words)]
        extra = [word for word in (self.live_word, self._access_word) if word >= 0]
        columns += [pl.Series(self.words[slots, word]) for word in extra]
        return slots, self._table(self._tables[0], slots, columns)

    def _table(self, table: StateTable, slots: Ints, columns: list[pl.Series]) -> pl.DataFrame:
        """Keys of slots and further columns, as a table declares them."""
        everything = [*self.keys(slots), *columns]
        return pl.DataFrame(
            [
                column.cast(to_polars(declared.type), wrap_numerical=True).alias(declared.name)
                for column, declared in zip(everything, table.columns, strict=True)
            ]
        )

    def _load(self, rows: pl.DataFrame) -> None:
        self._index.reserve(rows.height)
        slots = self._slots_of(rows)
        words = self.take(slots)
        words[:, 0] = 1
        columns = rows.get_columns()[len(self._schema) :]
        for call, each in zip(self._calls, self.accumulators, strict=True):
            count = len(accumulator_columns(call, self._retract))
            if count:
                each.load(columns[:count], words)
            columns = columns[count:]
        for word in (self.live_word, self._access_word):
            if word >= 0:
                words[:, word] = columns.pop(0).cast(pl.Int64).to_numpy()
        self.words[slots, : self.width] = words

    def _slots_of(self, rows: pl.DataFrame) -> Ints:
        """Slots of the rows of a saved table."""
        if not self._schema:
            return self.slots(pl.DataFrame(height=rows.height))
        return self.slots(rows[:, : len(self._schema)])

    def _side_rows(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The columns after the keys, under the names that values have inside."""
        beside = rows[:, len(self._schema) :]
        beside.columns = [f"v{i}" for i in range(beside.width)]
        return beside

    def _side_handle(self, table: StateTable, number: int) -> _Handle:
        each = cast(Beside, self.accumulators[number])

        def load(rows: pl.DataFrame) -> None:
            slots = self._slots_of(rows)
            each.load_side(self.words, slots, self._side_rows(rows))

        return self._held_handle(table, each.values, load)

    def _distinct_handle(self, table: StateTable, side: SideTable, seen: Distinct) -> _Handle:
        def load(rows: pl.DataFrame) -> None:
            seen.load(side, self._slots_of(rows), self._side_rows(rows))

        return self._held_handle(table, seen.held(side), load)

    def _held_handle(
        self, table: StateTable, held: Held, load: Callable[[pl.DataFrame], None]
    ) -> _Handle:
        def save(ids: Ints) -> tuple[Ints, pl.DataFrame]:
            kept, slots, rows = held.save(ids)
            return kept, self._table(table, slots, rows.get_columns())

        capture = partial(held.written.capture, held.numbers, save)
        return _Handle(table, lambda: save(held.numbers())[1], load, capture)


def _width(words: int) -> int:
    """At least so many words a row; no row straddles cache lines needlessly."""
    return 4 if words <= 4 else -(-words // 8) * 8


def _spread(words: int) -> int:
    """At least so many words, for rows of a table that don't lie on the same lines of a cache."""
    return (words // 8 + 1 | 1) * 8


def _program(steps: list[Step], size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Steps as kernels take them: the program, all columns, these as floats, all signs."""
    columns: dict[int, tuple[int, Ints]] = {}
    signs: dict[int, tuple[int, Signs]] = {}
    program = np.full((len(steps), 5), -1, np.int64)
    for row, step in zip(program, steps, strict=True):
        row[:2] = step.operation, step.at
        for place, column in zip((2, 4), step.columns, strict=False):
            row[place] = columns.setdefault(id(column), (len(columns), column))[0]
        if step.signs is not None:
            row[3] = signs.setdefault(id(step.signs), (len(signs), step.signs))[0]
    values = _stacked([column for _, column in columns.values()], size, np.int64)
    stacked = _stacked([sign for _, sign in signs.values()], size, np.int8)
    return program, values, values.view(np.float64), stacked


def _stacked(arrays: list[np.ndarray], size: int, dtype: type) -> np.ndarray:
    """Arrays as the rows of one."""
    if len(arrays) == 1 and arrays[0].flags.c_contiguous:
        return arrays[0][None]
    return np.stack(arrays) if arrays else np.zeros((0, size), dtype)
