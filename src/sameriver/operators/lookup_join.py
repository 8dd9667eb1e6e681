"""Joins rows with what a table holds when they come."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event
from sameriver.common.errors import InternalError
from sameriver.operators.joined_rows import JoinedRows
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.lookup_join import LookupJoin

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

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        rows = changes.rows
        keys = rows.select(self._node.keys.left)
        keys.columns = list(self._node.keys.right)
        found = self._find(keys)
        left, right = self._pairs(keys, found)
        partners = found[pl.Series(right)]
        holds = self._joined.holds(rows[pl.Series(left)], partners)
        left = left[holds]
        out = self._joined.pair(rows[pl.Series(left)], partners.filter(pl.Series(holds)))
        if self._node.kind is JoinKind.LEFT:
            lost = np.setdiff1d(np.arange(rows.height), left)
            padded = self._joined.pad(rows[pl.Series(lost)], 0)
            left = np.concatenate([left, lost])
            order = np.argsort(left, kind="stable")
            out, left = pl.concat([out, padded])[pl.Series(order)], left[order]
        if out.height:
            kinds = None if changes.kinds is None else changes.kinds.gather(pl.Series(left))
            yield Changes(out, kinds)

    def _find(self, keys: pl.DataFrame) -> pl.DataFrame:
        """Rows of the table for the keys, by the names of the join."""
        distinct = keys.drop_nulls().unique(maintain_order=True)
        distinct.columns = self._columns
        if not distinct.height:
            return self._node.right.empty()
        found = self._lookup.find(distinct).select(list(self._names))
        return found.rename(self._names)

    def _pairs(self, keys: pl.DataFrame, found: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Rows of both sides of equal keys, in the order of the left and the table's rows."""
        names = keys.columns
        pairs = keys.with_row_index(_LEFT).join(
            found.select(names).with_row_index(_RIGHT),
            on=names,
            how="inner",
            maintain_order="left_right",
        )
        return pairs[_LEFT].to_numpy(), pairs[_RIGHT].to_numpy()
