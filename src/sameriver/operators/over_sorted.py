"""Aggregates OVER a window ordered by plain columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import KINDS, ChangeKind, Changes
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.over.places import Places
from sameriver.operators.rounds import rounds
from sameriver.plan.physical.over_sorted import OverSorted
from sameriver.state.index import KeyIndex
from sameriver.state.kernels.types import Ints
from sameriver.state.partition_rows import PartitionRows


class OverSortedOperator(Operator):
    """Keeps the rows of each partition, and emits which results a batch changes.

    As in Flink, rows come out in the order of the window: those that changed with -U/+U, a new row
    with +I after its equals, a row that is taken back with -D.
    """

    def __init__(self, node: OverSorted, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        self._names = list(node.input.schema.names)
        self._rows = PartitionRows(node.state()[0], node.input.schema, node.partition)
        self._places = Places(node)
        self._ttl = int(node.ttl.total_seconds() * 1000) if node.ttl else None
        context.store.register(self._rows)

    def process(self, port: int, changes: Changes) -> Iterator[Changes]:
        if not len(changes):
            return
        now = self.context.clock.now()
        if self._ttl is not None:
            self._rows.expire(now - self._ttl)
        if self._node.folded:
            emitted = [self._change(changes, np.arange(len(changes)), now)]
        else:
            emitted = list(self._in_rounds(changes, now))
        frame = pl.concat(emitted)
        if not frame.height:
            return
        if not self._node.folded:
            frame = frame.sort("$row", maintain_order=True)
        kinds = frame["$kind"].cast(KINDS)
        yield Changes(frame.drop("$kind", "$row"), kinds)

    def _in_rounds(self, changes: Changes, now: int) -> Iterator[pl.DataFrame]:
        """The first change of each partition, then the second ones, and so on."""
        slots = self._rows.slots(changes.rows)
        for rows in rounds(slots):
            yield self._change(changes.gather(pl.Series(rows)), rows, now)

    def _change(self, changes: Changes, numbers: Ints, now: int) -> pl.DataFrame:
        """What changes; ``$row`` is the number of the partition's (last) change.

        Args:
            changes: rows that come and rows that are taken back.
            numbers: of the changes, to order what they give.
            now: processing time in ms.
        """
        slots = self._rows.slots(changes.rows)
        touched = np.unique(slots)
        held_slots, held = self._rows.of(touched)
        signs = changes.signs()
        rows = pl.concat([held, changes.rows])
        owners = np.append(held_slots, slots)
        weights = np.ones(len(owners), np.int64)
        if signs is not None:
            weights[held.height :] = signs.to_numpy()
        left = self._standing(rows, weights)
        before = np.arange(len(owners)) < held.height
        frame = self._difference(rows, owners, before, left)
        self._rows.replace(touched, owners[left], rows.filter(pl.Series(left)), now)
        row = np.zeros(int(owners.max()) + 1, np.int64)
        row[slots] = numbers
        return frame.with_columns(pl.Series("$row", row[frame["$row"].to_numpy()]))

    def _standing(self, rows: pl.DataFrame, weights: Ints) -> np.ndarray:
        """Which rows are there at the end: each that is taken back cancels one like it."""
        left = weights > 0
        taken = ~left
        if not taken.any():
            return left
        index = KeyIndex(rows.schema)
        like = index.find_or_insert(rows)
        debts = np.bincount(like[taken], minlength=index.capacity)
        each = pl.DataFrame({"like": like, "left": left}).filter("left")
        rank = each.select(pl.int_range(pl.len()).over("like")).to_series().to_numpy()
        left[np.flatnonzero(left)[rank < debts[like[left]]]] = False
        return left

    def _difference(
        self, rows: pl.DataFrame, owners: Ints, before: np.ndarray, left: np.ndarray
    ) -> pl.DataFrame:
        """Old and new results of rows, where they differ; ``$row`` holds the partition."""
        old_place, old = self._results(rows, owners, before)
        new_place, new = self._results(rows, owners, left)
        stays = before & left
        differs = np.zeros(len(rows), np.bool_)
        for call in self._node.calls:
            differs |= old[call.name].ne_missing(new[call.name]).to_numpy()
        parts = [
            (before & ~left, old, ChangeKind.DELETE, old_place, 0),
            (stays & differs, old, ChangeKind.UPDATE_BEFORE, new_place, 1),
            (stays & differs, new, ChangeKind.UPDATE_AFTER, new_place, 2),
            (left & ~before, new, ChangeKind.INSERT, new_place, 2),
        ]
        frames = []
        for mask, results, kind, place, step in parts:
            some = np.flatnonzero(mask)
            chosen = pl.Series(some)
            frames.append(
                rows[chosen]
                .hstack(results[chosen])
                .with_columns(
                    pl.lit(int(kind)).alias("$kind"),
                    pl.Series("$row", owners[some]),
                    pl.Series("$place", place[some]),
                    pl.lit(step).alias("$step"),
                    pl.lit(kind != ChangeKind.DELETE).alias("$later"),
                )
            )
        order = ["$row", "$later", "$place", "$step"]
        return pl.concat(frames).sort(order, maintain_order=True).drop("$later", "$place", "$step")

    def _results(
        self, rows: pl.DataFrame, owners: Ints, some: np.ndarray
    ) -> tuple[Ints, pl.DataFrame]:
        """Places and results of the rows in ``some``; NULL for the others."""
        chosen = np.flatnonzero(some)
        places, results = self._places.results(owners[chosen], rows[pl.Series(chosen)])
        spread = np.full(rows.height, len(chosen), np.int64)
        spread[chosen] = np.arange(len(chosen))
        everywhere = np.append(places, 0)[spread]
        wanted = pl.select(pl.when(pl.Series(some)).then(pl.Series(spread))).to_series()
        return everywhere, results.select(pl.all().gather(wanted))
