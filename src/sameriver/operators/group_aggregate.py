"""GROUP BY without a window, and SELECT DISTINCT."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from sameriver.common.changes import MIN_WATERMARK, Changes, concat
from sameriver.common.dataclass import dataclass
from sameriver.operators.aggregation import Aggregation, Touched
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.rounds import rounds
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.state.kernels import emit
from sameriver.state.kernels.types import NO_INTS, Ints

_SWEEP = 1 << 12
"""Least number of slots that a batch looks over for expired ones."""


Held = dict[int, tuple[pl.Series, pl.Series]]
"""Old and new results of the calls (by number) that don't live in words."""


@dataclass(frozen=True, slots=True)
class _Emitted:
    """Rows to emit: their kinds, which input rows show their keys, words, and results held.

    ``words`` has a row a word; ``held`` has a column a call (by number) that doesn't live in words.
    """

    kinds: np.ndarray
    rows: np.ndarray
    words: np.ndarray
    held: dict[int, pl.Series]


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
            emitted = self._woven(accepted, self._emitted(touched, self._alive(touched)))
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
        if not touched.old:
            return {}
        after, result_of = touched.after, self._aggregation.result_of
        return {n: (old, result_of(n, after, touched.slots)) for n, old in touched.old.items()}

    def _alive(self, touched: Touched) -> np.ndarray | None:
        """Whether there are rows behind the result of each entry; None: behind all."""
        live = self._aggregation.live_word
        return touched.history[live, touched.ends] > 0 if live >= 0 else None

    def _in_rounds(self, changes: Changes, slots: Ints, now: int) -> Changes:
        """A result a row: the first rows of all keys at once, then the second ones, and so on."""
        parts, places = [], []
        for rows in rounds(slots):
            part = changes.gather(pl.Series(rows))
            touched = self._aggregation.change(slots[rows], part, now)
            alive = self._alive(touched)
            emitted = self._emitted(touched, alive)
            if alive is not None:
                self._aggregation.clear(touched.slots[~alive])
            parts.append(self._woven(part, emitted))
            places.append(rows[emitted.rows])
        return concat(parts).gather(pl.Series(np.concatenate(places)).arg_sort())

    def _drop_dead(self, slots: Ints) -> None:
        """Frees keys without rows."""
        dead = slots[self._aggregation.live(slots) <= 0]
        if len(dead):
            self._aggregation.remove(np.unique(dead))

    def _emitted(self, touched: Touched, alive: np.ndarray | None) -> _Emitted:
        held = self._held(touched)
        places = self._places(touched, alive, self._changed(touched, held))
        if places is None:
            kinds, rows, words = touched.kinds, touched.rows, touched.history
        else:
            kinds, rows = touched.kinds[places], touched.rows[places]
            words = touched.history.take(places, axis=1)
        return _Emitted(kinds, rows, words, _in_columns(touched, held, places))

    def _places(
        self, touched: Touched, alive: np.ndarray | None, changed: np.ndarray | None
    ) -> Ints | None:
        """Columns of the history that are emitted; None: all."""
        if alive is None and changed is None:
            return None
        every = np.ones(len(touched.slots), np.bool_)
        places = np.empty(len(touched.kinds), np.int64)
        count = emit.keep(
            touched.ends,
            touched.fresh,
            every if alive is None else alive,
            every if changed is None else changed,
            touched.kinds,
            places,
        )
        return places[:count]

    def _changed(self, touched: Touched, held: Held) -> np.ndarray | None:
        """Of each entry, whether its update is emitted; None: all are."""
        if not self._node.calls:
            return np.zeros(len(touched.slots), np.bool_)
        if self._ttl is not None or self._counts:
            return None
        changed = np.zeros(len(touched.slots), np.bool_)
        before, after = touched.before, touched.after
        result_of = self._aggregation.result_of
        for number in range(len(self._node.calls)):
            old, new = held.get(number) or (
                result_of(number, before, touched.slots),
                result_of(number, after, touched.slots),
            )
            changed |= old.ne_missing(new).to_numpy()
        return changed

    def _woven(self, changes: Changes, emitted: _Emitted) -> Changes:
        """The rows to emit: keys from the input, results old and new."""
        rows, words = pl.Series(emitted.rows), emitted.words.T
        columns = [changes.rows.get_column(key)[rows] for key in self._node.keys]
        for number in range(len(self._node.calls)):
            column = emitted.held.get(number)
            if column is None:
                column = self._aggregation.result_of(number, words, NO_INTS)
            columns.append(column)
        frame = pl.DataFrame(
            [
                column.alias(name)
                for column, name in zip(columns, self._node.schema.names, strict=True)
            ]
        )
        return Changes(frame, pl.Series(emitted.kinds) if emitted.kinds.any() else None)


def _in_columns(touched: Touched, held: Held, places: Ints | None) -> dict[int, pl.Series]:
    """Old and new results in the order of the history's columns, or of ``places`` in it."""
    if not held:
        return {}
    new = np.zeros(len(touched.kinds), np.bool_)
    new[touched.ends] = True
    picks = np.cumsum(new) - new + new * len(touched.slots)
    picked = pl.Series(picks if places is None else picks[places])
    return {number: pl.concat(both, rechunk=True).gather(picked) for number, both in held.items()}
