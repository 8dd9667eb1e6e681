"""Regular joins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event
from sameriver.common.dataclass import dataclass
from sameriver.common.frames import gathered, picked
from sameriver.operators.blame import blaming
from sameriver.operators.compile import compile_expression, uses_clock, with_clock
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.expressions import columns
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.join import Join
from sameriver.plan.physical.node import INSERT_ONLY
from sameriver.state.chained_rows import ChainedRows
from sameriver.state.index import KeyIndex
from sameriver.state.kernels import chain as kernels
from sameriver.state.kernels.types import NO_INTS, Ints

_PAIRS = 1 << 20
"""About how many pairs of rows are made at a time."""

_PASS = "$pass"


@dataclass(frozen=True, slots=True)
class _Run:
    """Rows ``start`` to ``stop`` of a batch, and what they meet: row of the batch, number of the
    other side's row."""

    start: int
    stop: int
    at: Ints
    ids: Ints


class JoinOperator(Operator):
    """Both sides are multisets of rows, unless a key tells them apart.

    As in Flink, an inner join hands on the kind of the input; in an outer one padding goes with -D
    and matches come with +I, and rows of the side that is not padded are taken back with their own
    kind. Rows with a NULL key meet nothing and aren't kept, unless the pair is null-safe.
    """

    splits = True

    def __init__(self, node: Join, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        self._keys = (list(node.left_keys), list(node.right_keys))
        self._left_keys = node.left.schema.select(node.left_keys).to_polars()
        self._index = KeyIndex(self._left_keys)
        left, right = (
            ChainedRows(
                table,
                below.schema,
                self._index,
                keys=self._keys[port],
                upsert_key=node.upsert_keys[port],
                retract=below.changelog != INSERT_ONLY,
                counted=node.counted[port],
                now=context.clock.now,
            )
            for port, (table, below) in enumerate(zip(node.state(), node.inputs, strict=True))
        )
        self._sides = (left, right)
        for side in self._sides:
            context.store.register(side)
        condition = node.condition
        self._read = frozenset[str]() if condition is None else columns(condition)
        self._condition = [] if condition is None else [condition]
        self._test = None if condition is None else compile_expression(condition, context.zone)
        self._uses_clock = condition is not None and uses_clock(condition)
        self._aware = node.null_aware

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        if not len(changes):
            return
        own, other = self._sides[port], self._sides[1 - port]
        slots = self._slots(port, changes.rows)
        counts = np.zeros(len(slots), np.int64)
        start = 0
        while start < len(slots):
            stop, at, ids = self._pairs(other, slots, start)
            at, ids = self._meeting(port, changes.rows, at, ids)
            kernels.tally(at, counts)
            yield from self._joined(port, changes, _Run(start, stop, at, ids), counts)
            start = stop
        signs = changes.signs()
        kinds = None if signs is None else signs.to_numpy().astype(np.int8)
        own.change(changes.rows, slots, kinds, counts)
        if own.tidy() | other.tidy():
            unused = other.unused(own.unused(self._index.slots()))
            self._index.remove(unused)

    def _slots(self, port: int, rows: pl.DataFrame) -> Ints:
        """The slot of each row's key; -1 where a NULL keeps it from meeting anything."""
        keys = picked(rows, self._keys[port])
        if self._node.null_aware:
            return self._index.find_or_insert(keys)
        pairs = zip(keys.get_columns(), self._node.null_safe, strict=True)
        strict = [column for column, safe in pairs if not safe and column.null_count()]
        if not strict:
            return self._index.find_or_insert(keys)
        valid = np.logical_and.reduce([column.is_not_null().to_numpy() for column in strict])
        slots = np.full(len(valid), -1, np.int64)
        slots[valid] = self._index.find_or_insert(keys.filter(pl.Series(valid)))
        return slots

    def _pairs(self, other: ChainedRows, slots: Ints, start: int) -> tuple[int, Ints, Ints]:
        """Which rows of the other side those from ``start`` on meet; where the next call starts."""
        if self._aware:
            return self._null_aware(other, slots, start)
        return other.pairs(slots, start, _PAIRS)

    def _null_aware(self, other: ChainedRows, slots: Ints, start: int) -> tuple[int, Ints, Ints]:
        """The same for NOT IN: also the rows that are NULL, and for a NULL all rows."""
        key = pl.DataFrame(schema=self._left_keys).clear(1)
        empty = int(self._index.find_or_insert(key)[0])
        null = slots == empty
        rest = other.living(empty) if null[start:].any() else NO_INTS
        sizes = other.lengths(slots[start:])
        sizes += np.where(null[start:], len(rest), other.lengths(np.array([empty])))
        stop = start + max(1, int(np.searchsorted(np.cumsum(sizes), _PAIRS, "right")))
        _, same, same_ids = other.pairs(slots[:stop], start, sizes.sum())
        meets_null = np.where(null, -1, empty)[:stop]
        _, unknown, unknown_ids = other.pairs(meets_null, start, sizes.sum())
        nulls = start + np.flatnonzero(null[start:stop])
        at = np.concatenate([same, unknown, np.repeat(nulls, len(rest))])
        ids = np.concatenate([same_ids, unknown_ids, np.tile(rest, len(nulls))])
        order = np.argsort(at, kind="stable")
        return stop, at[order], ids[order]

    def _meeting(self, port: int, rows: pl.DataFrame, at: Ints, ids: Ints) -> tuple[Ints, Ints]:
        """The pairs that pass the condition."""
        if self._test is None or not len(at):
            return at, ids
        frame = self._met(port, rows, at, ids, self._read)
        if self._uses_clock:
            frame = with_clock(frame, self.context.clock.now(), self.watermark)
        with blaming(frame, self._condition, self.context.zone):
            passed = frame.select_seq(self._test.alias(_PASS)).to_series().fill_null(False)
        if len(passed) != len(at):
            passed = passed.new_from_index(0, len(at))
        mask = passed.to_numpy()
        return at[mask], ids[mask]

    def _met(
        self, port: int, rows: pl.DataFrame, at: Ints, ids: Ints, names: frozenset[str]
    ) -> pl.DataFrame:
        """Some columns of pairs."""
        places = pl.Series(at)
        own = [rows[name].gather(places) for name in rows.columns if name in names]
        return pl.DataFrame([*own, *self._sides[1 - port].gather(ids, names).get_columns()])

    def _joined(self, port: int, changes: Changes, run: _Run, counts: Ints) -> Iterator[Changes]:
        match self._node.kind:
            case JoinKind.INNER:
                emitted = self._inner(port, changes, run)
            case JoinKind.SEMI | JoinKind.ANTI:
                emitted = self._filtered(port, changes, run, counts)
            case _:
                emitted = self._outer(port, changes, run)
        if len(emitted):
            yield emitted

    def _inner(self, port: int, changes: Changes, run: _Run) -> Changes:
        at, ids = run.at, run.ids
        if self.read_by is not None and len(at):
            met = self._met(port, changes.rows, at, ids, self.read_by.columns)
            needed = self.read_by.numbers(met)
            at, ids = at[needed], ids[needed]
        places = pl.Series(at)
        kinds = None if changes.kinds is None else changes.kinds.gather(places)
        return self._rows(
            port, gathered(changes.rows, places), self._sides[1 - port].gather(ids), kinds
        )

    def _outer(self, port: int, changes: Changes, run: _Run) -> Changes:
        other = self._sides[1 - port]
        size = 2 * len(run.at) + run.stop - run.start
        kinds = np.empty(size, np.uint8)
        at, ids = np.empty(size, np.int64), np.empty(size, np.int64)
        own_padded, other_padded = self._node.outer[port], self._node.outer[1 - port]
        count = kernels.outer(
            run.at,
            run.ids,
            run.start,
            run.stop,
            changes.kinds_or_inserts().to_numpy(),
            other.matches if other_padded else NO_INTS,
            own_padded,
            other_padded,
            kinds,
            at,
            ids,
        )
        if other_padded:
            other.touch(run.ids)
        mine = _padded(changes.rows, at[:count])
        return self._rows(port, mine, _stored(other, ids[:count]), pl.Series(kinds[:count]))

    def _filtered(self, port: int, changes: Changes, run: _Run, counts: Ints) -> Changes:
        anti = self._node.kind is JoinKind.ANTI
        if port == 0:
            shown = changes.slice(run.start, run.stop - run.start)
            met = counts[run.start : run.stop] > 0
            kept = shown.filter(pl.Series(met != anti))
            return Changes(kept.rows, kept.kinds)
        left = self._sides[0]
        kinds, ids = np.empty(len(run.at), np.uint8), np.empty(len(run.at), np.int64)
        given = changes.kinds_or_inserts().to_numpy()
        count = kernels.filtered(run.at, run.ids, given, left.matches, anti, kinds, ids)
        left.touch(run.ids)
        return Changes(left.gather(ids[:count]), pl.Series(kinds[:count]))

    def _rows(
        self, port: int, own: pl.DataFrame, other: pl.DataFrame, kinds: pl.Series | None
    ) -> Changes:
        left, right = (own, other) if port == 0 else (other, own)
        return Changes(pl.DataFrame([*left.get_columns(), *right.get_columns()]), kinds)


def _padded(rows: pl.DataFrame, at: Ints) -> pl.DataFrame:
    """The rows at these places; NULLs for -1."""
    places = pl.Series(at)
    return rows.select(pl.all().gather(places.set(places < 0, None)))


def _stored(side: ChainedRows, ids: Ints) -> pl.DataFrame:
    """The stored rows of these numbers; NULLs for -1."""
    present = ids >= 0
    rows = side.gather(ids[present])
    if present.all():
        return rows
    return _padded(rows, np.where(present, np.cumsum(present) - 1, -1))
