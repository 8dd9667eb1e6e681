"""Joins rows whose times are no further apart than an interval."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import MAX_WATERMARK, Changes
from sameriver.common.frames import picked
from sameriver.operators.joined_rows import JoinedRows, held_schema, in_order, not_null
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.interval_join import IntervalJoin
from sameriver.state.kernels.types import Ints
from sameriver.state.timed_rows import Mask, TimedRows, milliseconds

_INSTANT = pl.Datetime("ms", "UTC")


class IntervalJoinOperator(Operator):
    """Holds rows of both sides as long as they can meet a row that is not late.

    A row of time t meets rows of the other side from t - before to t + after. It is held until
    the watermark (processing time: the clock) is past t + after; then, on an outer side, it comes
    out padded unless it has met one. As in Flink, a late row meets what is still held, and comes
    out at once, padded, if it meets nothing.
    """

    def __init__(self, node: IntervalJoin, context: OperatorContext) -> None:
        super().__init__(context)
        self.delay = node.delay
        self._node = node
        self._reach = ((node.upper, -node.lower), (-node.lower, node.upper))
        sides = (node.left.schema, node.right.schema)
        self._joined = JoinedRows(sides, node.schema, node.condition, context)
        self._keys = (node.keys.left, node.keys.right)
        self._strict = node.keys.strict
        self._sides = tuple(self._side(node, port) for port in (0, 1))
        for side in self._sides:
            context.store.register(side)

    @staticmethod
    def _side(node: IntervalJoin, port: int) -> TimedRows:
        extras: dict[str, pl.DataType] = {} if node.event_time else {node.time(port): _INSTANT}
        return TimedRows(
            node.state()[port],
            held_schema(node.inputs[port].schema, extras),
            (node.keys.left, node.keys.right)[port],
            node.time(port),
            node.mark(port),
        )

    def process(self, port: int, changes: Changes) -> Iterator[Changes]:
        now = self._now()
        rows = self._timed(port, changes.rows, now)
        if not self._node.event_time:
            yield from self._expire(now)
        times = milliseconds(rows[self._node.time(port)])
        valid = not_null(rows, self._strict[port])
        matched, frames, places = self._meet(port, rows, times, valid)
        held = times + self._reach[port][1] > now
        outer = self._node.outer[port]
        if outer:
            lost = np.flatnonzero(~held & ~matched)
            frames.append(self._joined.pad(rows[pl.Series(lost)], port))
            places.append(lost)
        elif valid is not None:
            held &= valid
        self._hold(port, rows, held, matched)
        out = in_order(frames, places)
        if out.height:
            yield Changes(out)

    def _meet(
        self, port: int, rows: pl.DataFrame, times: Ints, valid: Mask | None
    ) -> tuple[Mask, list[pl.DataFrame], list[Ints]]:
        """Which rows meet one that is held, what comes out, and the row each belongs to."""
        before, after = self._reach[port]
        other = self._sides[1 - port]
        keys = _as(picked(rows, self._keys[port]), self._keys[1 - port])
        asked, found = other.pairs(other.questions(keys, times - before, times + after, valid))
        pair = [rows[pl.Series(asked)], other.gather(found)]
        left, right = pair if port == 0 else pair[::-1]
        mask = self._joined.holds(left, right)
        if not mask.all():
            kept = pl.Series(mask)
            left, right = left.filter(kept), right.filter(kept)
            asked, found = asked[mask], found[mask]
        if self._node.outer[1 - port]:
            other.mark(found)
        matched = np.zeros(rows.height, np.bool_)
        matched[asked] = True
        return matched, [self._joined.pair(left, right)], [asked]

    def _hold(self, port: int, rows: pl.DataFrame, held: Mask, matched: Mask) -> None:
        if held.all():
            self._sides[port].add(rows, matched)
        else:
            self._sides[port].add(rows.filter(pl.Series(held)), matched[held])

    def _timed(self, port: int, rows: pl.DataFrame, now: int) -> pl.DataFrame:
        if self._node.event_time:
            return rows
        arrival = pl.lit(now, pl.Int64).cast(_INSTANT).alias(self._node.time(port))
        return rows.with_columns(arrival)

    def _now(self) -> int:
        return self.watermark if self._node.event_time else self.context.clock.now()

    def _expire(self, now: int) -> Iterator[Changes]:
        """Frees the rows that can meet no more."""
        for port, side in enumerate(self._sides):
            due = side.due(min(now - self._reach[port][1] - 1, MAX_WATERMARK))
            if self._node.outer[port]:
                lost = due[~side.marked(due)]
                if len(lost):
                    lost = lost[np.argsort(side.times(lost), kind="stable")]
                    yield Changes(self._joined.pad(side.gather(lost), port))
            if len(due):
                side.remove(due)

    def on_watermark(self) -> Iterator[Changes]:
        if self._node.event_time:
            now = self.watermark
            yield from self._expire(2 * MAX_WATERMARK if now == MAX_WATERMARK else now)

    def next_timer(self) -> int | None:
        if self._node.event_time:
            return None
        times = [
            earliest + after + 1
            for side, (_, after) in zip(self._sides, self._reach, strict=True)
            if (earliest := side.earliest) is not None
        ]
        return min(times, default=None)

    def on_timer(self) -> Iterator[Changes]:
        yield from self._expire(self.context.clock.now())


def _as(rows: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    """The same columns by other names."""
    return rows.rename(dict(zip(rows.columns, names, strict=True)))
