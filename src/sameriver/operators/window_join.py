"""Joins rows of the same window when it ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.frames import picked
from sameriver.operators.joined_rows import JoinedRows, in_order, not_null
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.windows.time import WindowTime
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.window_join import WindowJoin
from sameriver.state.kernels.types import Ints
from sameriver.state.timed_rows import Mask, TimedRows, milliseconds

_PADS = {
    JoinKind.LEFT: (True, False),
    JoinKind.RIGHT: (False, True),
    JoinKind.FULL: (True, True),
}


class WindowJoinOperator(Operator):
    """Holds rows until their window ends; a row of a window that has ended is dropped as late."""

    def __init__(self, node: WindowJoin, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        self._time = WindowTime(node.window, context)
        sides = (node.left.schema, node.right.schema)
        self._joined = JoinedRows(sides, node.schema, node.condition, context)
        self._ends = (node.left_window[1], node.right_window[1])
        self._keys = (node.keys.left, node.keys.right)
        self._strict = node.keys.strict
        self._pads = _PADS.get(node.kind, (False, False))
        self._sides = tuple(
            TimedRows(table, below.schema.to_polars(), keys, end)
            for table, below, keys, end in zip(
                node.state(), node.inputs, self._keys, self._ends, strict=True
            )
        )
        for side in self._sides:
            context.store.register(side)

    def process(self, port: int, changes: Changes) -> Iterator[Changes]:
        rows = changes.rows
        open = milliseconds(rows[self._ends[port]]) > self._progress()
        late = len(open) - int(open.sum())
        if late:
            self.context.counters["late_rows"] += late
            rows = rows.filter(pl.Series(open))
        self._sides[port].add(rows)
        return iter(())

    def _progress(self) -> int:
        return self._time.progress(self.watermark)

    def on_watermark(self) -> Iterator[Changes]:
        progress = self._progress()
        left, right = self._sides
        due, others = left.due(progress), right.due(progress)
        if not len(due) and not len(others):
            return
        out = self._fire(due, others)
        left.remove(due)
        right.remove(others)
        if out.height:
            yield Changes(out)

    def _fire(self, due: Ints, others: Ints) -> pl.DataFrame:
        """What windows that end give, by end; pairs in order of arrival, then padded rows."""
        left, right = self._sides
        rows = left.gather(due)
        times = left.times(due)
        keys = picked(rows, self._keys[0])
        keys.columns = list(self._keys[1])
        valid = not_null(rows, self._strict[0])
        asked, found = right.pairs(right.questions(keys, times, times, valid))
        partners = right.gather(found)
        mask = self._joined.holds(rows[pl.Series(asked)], partners)
        asked, found = asked[mask], found[mask]
        matched = np.zeros(len(due), np.bool_)
        matched[asked] = True
        if self._node.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return self._semi(rows, times, matched)
        frames = [self._joined.pair(rows[pl.Series(asked)], partners.filter(pl.Series(mask)))]
        places = [times[asked]]
        if self._pads[0]:
            frames.append(self._joined.pad(rows.filter(pl.Series(~matched)), 0))
            places.append(times[~matched])
        if self._pads[1]:
            lost = others[~np.isin(others, found)]
            frames.append(self._joined.pad(right.gather(lost), 1))
            places.append(right.times(lost))
        return in_order(frames, places)

    def _semi(self, rows: pl.DataFrame, times: Ints, matched: Mask) -> pl.DataFrame:
        chosen = np.flatnonzero(matched == (self._node.kind is JoinKind.SEMI))
        chosen = chosen[np.argsort(times[chosen], kind="stable")]
        return rows[pl.Series(chosen)].select(self._node.schema.names)
