"""Joins rows with what a table holds when they come."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event
from sameriver.common.errors import InternalError
from sameriver.operators.joined_rows import JoinedRows, in_order
from sameriver.operators.looked_up import LookedUp
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.lookup_join import LookupJoin
from sameriver.state.kernels.types import Ints

_LEFT, _RIGHT = "$left", "$right"


class LookupJoinOperator(Operator):
    """Looks the keys of a batch up at once; rows keep their order and kinds."""

    def __init__(self, node: LookupJoin, context: OperatorContext) -> None:
        super().__init__(context)
        if context.open_lookup is None:
            raise InternalError("NO_LOOKUP", "the operator was given no way to open a lookup")
        self._node = node
        self._lookup = context.open_lookup(node)
        self._joined = JoinedRows(
            (node.input.schema, node.right), node.schema, node.condition, context
        )
        self._names = {column: name for name, column in node.columns}
        columns = dict(node.columns)
        self._columns = [columns[key] for key in node.keys.right]
        self._memory = LookedUp(node) if node.state() else None
        if self._memory is not None:
            context.store.register(self._memory.rows)

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        if self._memory is None:
            out, places = self._look_up(changes.rows)
        else:
            out, places = self._remembering(changes, self._memory)
        if out.height:
            kinds = None if changes.kinds is None else changes.kinds.gather(pl.Series(places))
            yield Changes(out, kinds)

    def _look_up(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, Ints]:
        """Rows of the join in order, and the row each belongs to."""
        keys = rows.select(self._node.keys.left)
        keys.columns = list(self._node.keys.right)
        found = self._find(keys)
        left, right = self._pairs(keys, found)
        partners = found[pl.Series(right)]
        holds = self._joined.holds(rows[pl.Series(left)], partners)
        left = left[holds]
        out = self._joined.pair(rows[pl.Series(left)], partners.filter(pl.Series(holds)))
        if self._node.kind is JoinKind.INNER:
            return out, left
        lost = np.setdiff1d(np.arange(rows.height), left)
        return _together([(out, left), (self._joined.pad(rows[pl.Series(lost)], 0), lost)])

    def _remembering(self, changes: Changes, memory: LookedUp) -> tuple[pl.DataFrame, Ints]:
        """The same; a row that takes back gives what the row before it found."""
        signs = changes.signs()
        added = np.ones(len(changes), np.int64) if signs is None else signs.to_numpy()
        fresh = np.flatnonzero(added > 0)
        found, places = self._look_up(changes.rows[pl.Series(fresh)])
        places = fresh[places]
        partners = self._partners(changes.rows, added, places, memory)
        goes = partners[places] >= 0
        old = np.flatnonzero((added < 0) & (partners < 0))
        taken, asked = memory.take(changes.rows[pl.Series(old)], -partners[old])
        memory.keep(found.filter(pl.Series(~goes)), places[~goes])
        back = found.filter(pl.Series(goes)), partners[places[goes]]
        taken = taken.select(found.columns)
        return _together([(found, places), back, (taken, old[asked])])

    def _partners(self, rows: pl.DataFrame, added: Ints, places: Ints, memory: LookedUp) -> Ints:
        """What cancels out within the batch; rows that gave nothing are not remembered."""
        counts = added < 0
        counts[places] = True
        kept = np.flatnonzero(counts)
        among = memory.partners(rows[pl.Series(kept)], added[kept])
        partners = np.full(len(added), -1, np.int64)
        partners[kept] = np.where(among >= 0, kept[among], among)
        return partners

    def restored(self) -> None:
        if self._memory is not None:
            self._memory.restored()

    def _find(self, keys: pl.DataFrame) -> pl.DataFrame:
        """Rows of the table for the keys, by the names of the join."""
        distinct = keys.drop_nulls().unique(maintain_order=True)
        distinct.columns = self._columns
        if not distinct.height:
            return self._node.right.empty()
        found = self._lookup.find(distinct).select(list(self._names))
        return found.rename(self._names)

    def _pairs(self, keys: pl.DataFrame, found: pl.DataFrame) -> tuple[Ints, Ints]:
        """Rows of both sides of equal keys, in the order of the left and the table's rows."""
        names = keys.columns
        pairs = keys.with_row_index(_LEFT).join(
            found.select(names).with_row_index(_RIGHT),
            on=names,
            how="inner",
            maintain_order="left_right",
        )
        left, right = (pairs[name].cast(pl.Int64).to_numpy() for name in (_LEFT, _RIGHT))
        return left, right


def _together(parts: list[tuple[pl.DataFrame, Ints]]) -> tuple[pl.DataFrame, Ints]:
    """Rows of several frames by place."""
    frames, places = zip(*parts, strict=True)
    return in_order(frames, places), np.sort(np.concatenate(places))
