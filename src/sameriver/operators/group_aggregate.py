"""GROUP BY without a window, and SELECT DISTINCT."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK, Changes, concat
from sameriver.operators.accumulators.accumulator import Words
from sameriver.operators.aggregation import Aggregation
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.state.kernels import emit, fold
from sameriver.state.kernels.types import Ints

_SWEEP = 1 << 12
"""Least number of slots that a batch looks over for expired ones."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Results that a batch may have changed, in order of emission.

    Attributes:
        rows: the input row that shows each result's key.
        slots: of each result.
        fresh: 1 where there was no result before, else 0.
        alive: whether there is one now.
        old, new: words of each result, before and now.
        held: old and new results, of the calls (by number) that don't live in words.
    """

    rows: Ints
    slots: Ints
    fresh: Ints
    alive: np.ndarray
    old: Words
    new: Words
    held: dict[int, tuple[pl.Series, pl.Series]]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Rows to emit: their kinds, which result each shows, and where (see ``emit.plan``)."""

    kinds: np.ndarray
    items: Ints
    places: Ints


class GroupAggregateOperator(Operator):
    """Keeps a result a key and emits how it changes.

    A batch changes each key's result once if the node is ``folded``, else row by row. As in Flink,
    a row that takes back from a key without rows is ignored, a key whose last row is taken back
    ends with -D, and an unchanged result is emitted only where there is a TTL.
    """

    def __init__(self, node: GroupAggregate, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        self._aggregation = Aggregation(
            node.state(),
            node.input.schema.select(node.keys),
            node.calls,
            node.input.schema,
            retract=node.retract,
            store=context.store,
        )
        self._ttl = int(node.ttl.total_seconds() * 1000) if node.ttl else None
        self._swept = 0
        self._earliest = np.array([MIN_WATERMARK, MAX_WATERMARK], np.int64)
        self._counts = not node.retract and any(
            call.function == "COUNT" and not call.args and call.filter is None
            for call in node.calls
        )

    def process(self, port: int, changes: Changes) -> Iterable[Changes]:
        if not len(changes):
            return
        now = self.context.clock.now()
        self._sweep(now, len(changes))
        slots = self._aggregation.slots(self._keys(changes))
        self._expire(slots, now)
        accepted, places = self._accepted(changes, slots)
        if self._node.folded:
            emitted = self._emit(accepted, self._folded(accepted, places, now))
        elif self._aggregation.running:
            emitted = self._emit(accepted, self._row_by_row(accepted, places, now))
        else:
            emitted = self._in_rounds(accepted, places, now)
        if self._node.retract:
            self._drop_dead(slots)
        if len(emitted):
            yield emitted

    def _keys(self, changes: Changes) -> pl.DataFrame:
        if self._node.keys:
            return pl.DataFrame([changes.rows.get_column(key) for key in self._node.keys])
        return pl.DataFrame(height=len(changes))

    def _sweep(self, now: int, rows: int) -> None:
        """Frees expired keys among the next few slots, about as many as the batch has rows."""
        if self._ttl is None:
            return
        if self._swept == 0:
            self._earliest[:] = self._earliest[1], now
        stop = self._swept + max(_SWEEP, rows)
        oldest, seen = now - self._ttl, self._earliest[1:]
        self._swept = self._aggregation.sweep(self._swept, stop, oldest, seen)

    def _expire(self, slots: Ints, now: int) -> None:
        """Makes the expired among ``slots`` new; no look at them before any can have expired."""
        if self._ttl is not None and self._earliest[0] <= now - self._ttl:
            self._aggregation.clear(self._aggregation.expired(slots, now - self._ttl))

    def _accepted(self, changes: Changes, slots: Ints) -> tuple[Changes, Ints]:
        """Without the rows that take back from a key that has none."""
        signs = changes.signs() if self._node.retract else None
        if signs is None:
            return changes, slots
        rows = self._aggregation.accept(slots, signs.to_numpy().astype(np.int8))
        if len(rows) == len(slots):
            return changes, slots
        return changes.gather(pl.Series(rows)), slots[rows]

    def _folded(self, changes: Changes, slots: Ints, now: int) -> _Outcome:
        """One result a key."""
        touched = self._aggregation.change(slots, changes, now)
        held = {
            number: (old, self._aggregation.result_of(number, touched.after, touched.slots))
            for number, old in touched.old.items()
        }
        return _Outcome(
            rows=touched.rows,
            slots=touched.slots,
            fresh=touched.fresh,
            alive=self._alive(touched.after),
            old=touched.before,
            new=touched.after,
            held=held,
        )

    def _row_by_row(self, changes: Changes, slots: Ints, now: int) -> _Outcome:
        """A result a row."""
        aggregation = self._aggregation
        touched = aggregation.change(slots, changes, now, by_row=True)
        numbers, fresh = np.empty(len(slots), np.int64), np.empty(len(slots), np.int64)
        fold.numbers(aggregation.words, slots, numbers)
        old = np.empty_like(touched.after)
        live = aggregation.live_word
        fold.previous(numbers, touched.before, touched.fresh, touched.after, live, old, fresh)
        return _Outcome(
            rows=np.arange(len(slots)),
            slots=slots,
            fresh=fresh,
            alive=self._alive(touched.after),
            old=old,
            new=touched.after,
            held={},
        )

    def _alive(self, words: Words) -> np.ndarray:
        """Whether there are rows behind the words of results."""
        live = self._aggregation.live_word
        return words[:, live] > 0 if live >= 0 else np.ones(len(words), np.bool_)

    def _in_rounds(self, changes: Changes, slots: Ints, now: int) -> Changes:
        """A result a row: the first rows of all keys at once, then the second ones, and so on."""
        ranks = pl.Series(slots).to_frame("slot").select(pl.int_range(pl.len()).over("slot"))
        order = ranks.to_series().arg_sort().to_numpy().astype(np.int64)
        sizes = np.bincount(ranks.to_series().to_numpy())
        parts, places = [], []
        for rows in np.split(order, np.cumsum(sizes)[:-1]):
            part = changes.gather(pl.Series(rows))
            outcome = self._folded(part, slots[rows], now)
            self._aggregation.clear(outcome.slots[~outcome.alive])
            plan = self._planned(outcome)
            parts.append(self._woven(part, outcome, plan))
            places.append(rows[outcome.rows[plan.items]])
        return concat(parts).gather(pl.Series(np.concatenate(places)).arg_sort())

    def _drop_dead(self, slots: Ints) -> None:
        """Frees keys without rows."""
        dead = slots[self._aggregation.live(slots) <= 0]
        if len(dead):
            self._aggregation.remove(np.unique(dead))

    def _emit(self, changes: Changes, outcome: _Outcome) -> Changes:
        return self._woven(changes, outcome, self._planned(outcome))

    def _planned(self, outcome: _Outcome) -> _Plan:
        size = 2 * len(outcome.fresh)
        kinds = np.empty(size, np.uint8)
        items, places = np.empty(size, np.int64), np.empty(size, np.int64)
        changed = self._changed(outcome)
        count = emit.plan(outcome.fresh, outcome.alive, changed, kinds, items, places)
        return _Plan(kinds[:count], items[:count], places[:count])

    def _changed(self, outcome: _Outcome) -> np.ndarray:
        """Which updates are emitted."""
        size = len(outcome.fresh)
        if not self._node.calls or self._ttl is not None or self._counts:
            return np.full(size, bool(self._node.calls))
        changed = np.zeros(size, np.bool_)
        for number in range(len(self._node.calls)):
            before, after = outcome.held.get(number) or (
                self._aggregation.result_of(number, outcome.old, outcome.slots),
                self._aggregation.result_of(number, outcome.new, outcome.slots),
            )
            changed |= before.ne_missing(after).to_numpy()
        return changed

    def _woven(self, changes: Changes, outcome: _Outcome, plan: _Plan) -> Changes:
        """The rows to emit: keys from the input, results old and new."""
        rows = pl.Series(outcome.rows[plan.items])
        columns = [changes.rows[key].gather(rows) for key in self._node.keys]
        aggregation = self._aggregation
        words = np.empty((aggregation.width, len(plan.items)), np.int64)
        first = aggregation.width - aggregation.call_words
        emit.weave(plan.places, outcome.old, outcome.new, first, words)
        for number in range(len(self._node.calls)):
            if number in outcome.held:
                both = pl.concat(outcome.held[number])
                columns.append(both.gather(pl.Series(plan.places)))
            else:
                columns.append(aggregation.result_of(number, words.T, plan.items))
        names = self._node.schema.names
        frame = pl.DataFrame(
            [column.alias(name) for column, name in zip(columns, names, strict=True)]
        )
        return Changes(frame, pl.Series(plan.kinds) if plan.kinds.any() else None)
