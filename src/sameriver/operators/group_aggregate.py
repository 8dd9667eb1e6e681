"""GROUP BY without a window, and SELECT DISTINCT."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from sameriver.common.changes import MIN_WATERMARK, Changes, concat
from sameriver.operators.aggregation import Aggregation, Touched
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.state.kernels import emit
from sameriver.state.kernels.types import Ints

_SWEEP = 1 << 12
"""Least number of slots that a batch looks over for expired ones."""


Held = dict[int, tuple[pl.Series, pl.Series]]
"""Old and new results of the calls (by number) that don't live in words."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Rows to emit: their kinds, which input rows show their keys, which results they are.

    See ``emit.plan``.
    """

    kinds: np.ndarray
    rows: np.ndarray
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
        self._earliest = MIN_WATERMARK
        self._seen = np.empty(1, np.int64)
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
        if self._node.folded or self._aggregation.running:
            by_row = not self._node.folded
            touched = self._aggregation.change(places, accepted, now, by_row=by_row)
            emitted = self._emit(accepted, touched)
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
        if self._ttl is None or not self._may_expire(now):
            return
        if self._swept == 0:
            self._seen[:] = now
        stop = self._swept + max(_SWEEP, rows)
        self._swept = self._aggregation.sweep(self._swept, stop, now - self._ttl, self._seen)
        if self._swept == 0:
            self._earliest = int(self._seen[0])

    def _may_expire(self, now: int) -> bool:
        """Whether a key can have been written last so long ago."""
        if not len(self._aggregation):
            self._earliest = now
        return self._ttl is not None and self._earliest <= now - self._ttl

    def _expire(self, slots: Ints, now: int) -> None:
        """Makes the expired among ``slots`` new; no look at them before any can have expired."""
        if self._ttl is not None and self._earliest <= now - self._ttl:
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

    def _held(self, touched: Touched) -> Held:
        return {
            number: (old, self._aggregation.result_of(number, touched.after, touched.slots))
            for number, old in touched.old.items()
        }

    def _alive(self, touched: Touched) -> np.ndarray:
        """Whether there are rows behind the results."""
        live = self._aggregation.live_word
        return touched.after[:, live] > 0 if live >= 0 else np.ones(len(touched.slots), np.bool_)

    def _in_rounds(self, changes: Changes, slots: Ints, now: int) -> Changes:
        """A result a row: the first rows of all keys at once, then the second ones, and so on."""
        ranks = pl.Series(slots).to_frame("slot").select(pl.int_range(pl.len()).over("slot"))
        order = ranks.to_series().arg_sort().to_numpy().astype(np.int64)
        sizes = np.bincount(ranks.to_series().to_numpy())
        parts, places = [], []
        for rows in np.split(order, np.cumsum(sizes)[:-1]):
            part = changes.gather(pl.Series(rows))
            touched = self._aggregation.change(slots[rows], part, now)
            held, alive = self._held(touched), self._alive(touched)
            self._aggregation.clear(touched.slots[~alive])
            plan = self._planned(touched, held, alive)
            parts.append(self._woven(part, touched, held, plan))
            places.append(rows[plan.rows])
        return concat(parts).gather(pl.Series(np.concatenate(places)).arg_sort())

    def _drop_dead(self, slots: Ints) -> None:
        """Frees keys without rows."""
        dead = slots[self._aggregation.live(slots) <= 0]
        if len(dead):
            self._aggregation.remove(np.unique(dead))

    def _emit(self, changes: Changes, touched: Touched) -> Changes:
        held = self._held(touched)
        plan = self._planned(touched, held, self._alive(touched))
        return self._woven(changes, touched, held, plan)

    def _planned(self, touched: Touched, held: Held, alive: np.ndarray) -> _Plan:
        size = 2 * len(touched.slots)
        kinds, rows = np.empty(size, np.uint8), np.empty(size, np.uint32)
        places = np.empty(size, np.int64)
        changed = self._changed(touched, held)
        count = emit.plan(touched.rows, touched.fresh, alive, changed, kinds, rows, places)
        return _Plan(kinds[:count], rows[:count], places[:count])

    def _changed(self, touched: Touched, held: Held) -> np.ndarray:
        """Which updates are emitted."""
        size = len(touched.slots)
        if not self._node.calls or self._ttl is not None or self._counts:
            return np.full(size, bool(self._node.calls))
        changed = np.zeros(size, np.bool_)
        result_of = self._aggregation.result_of
        for number in range(len(self._node.calls)):
            before, after = held.get(number) or (
                result_of(number, touched.before, touched.slots),
                result_of(number, touched.after, touched.slots),
            )
            changed |= before.ne_missing(after).to_numpy()
        return changed

    def _woven(self, changes: Changes, touched: Touched, held: Held, plan: _Plan) -> Changes:
        """The rows to emit: keys from the input, results old and new."""
        rows = pl.Series(plan.rows)
        columns = [changes.rows.get_column(key)[rows] for key in self._node.keys]
        aggregation, size = self._aggregation, len(touched.slots)
        words = np.empty((aggregation.width, len(plan.rows)), np.int64)
        emit.weave(plan.places, size, touched.history, aggregation.call_word, words)
        for number in range(len(self._node.calls)):
            if number in held:
                both = pl.concat(held[number])
                columns.append(both.gather(pl.Series(plan.places)))
            else:
                columns.append(aggregation.result_of(number, words.T, plan.places))
        frame = pl.DataFrame(
            [
                column.alias(name)
                for column, name in zip(columns, self._node.schema.names, strict=True)
            ]
        )
        return Changes(frame, pl.Series(plan.kinds) if plan.kinds.any() else None)
