"""Repeats each row once a grouping set."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event
from sameriver.common.types import to_polars
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.expand import Expand


class ExpandOperator(Operator):
    """The copies of a row follow each other, in the order of the sets."""

    splits = True

    def __init__(self, node: Expand, context: OperatorContext) -> None:
        super().__init__(context)
        self._names = list(node.schema.names)
        self._sets = [self._columns(node, kept) for kept in node.sets]

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        count, copies = len(changes), len(self._sets)
        frames = [changes.rows.with_columns(columns) for columns in self._sets]
        interleaved = np.arange(count * copies).reshape(copies, count).T.ravel()
        rows = pl.concat(frames, rechunk=True).select(self._names)[interleaved]
        kinds = changes.kinds
        if kinds is not None:
            kinds = kinds.gather(np.repeat(np.arange(count), copies))
        yield Changes(rows, kinds, self._watermarks(changes.watermarks, copies))

    def _watermarks(self, after: pl.Series | None, copies: int) -> pl.Series | None:
        """Only the last copy of a row moves the watermark."""
        if after is None:
            return None
        values = after.to_numpy()
        repeated = np.repeat(np.concatenate([[self.watermark], values[:-1]]), copies)
        repeated[copies - 1 :: copies] = values
        return pl.Series(repeated)

    @staticmethod
    def _columns(node: Expand, kept: tuple[str, ...]) -> list[pl.Expr]:
        dropped = [key for key in node.keys if key not in kept]
        # GROUPING_ID: a bit for each key, the first key highest, set where it is left out.
        bits = "".join("1" if key in dropped else "0" for key in node.keys)
        nulls = [pl.lit(None, to_polars(node.schema[key])).alias(key) for key in dropped]
        return [*nulls, pl.lit(int(bits or "0", 2), to_polars(node.schema[node.id])).alias(node.id)]
