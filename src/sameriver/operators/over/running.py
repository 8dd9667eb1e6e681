"""Frames that start with the first row of the partition."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.frames import picked
from sameriver.operators.aggregation import Aggregation
from sameriver.operators.over.after import results_after
from sameriver.operators.over.expiry import Expiry
from sameriver.plan.physical.over_aggregate import OverAggregate
from sameriver.state.handle import StateStore
from sameriver.state.kernels.types import Ints


class Running:
    """Accumulators only grow. A row at or before the watermark is late."""

    def __init__(self, node: OverAggregate, store: StateStore) -> None:
        self._node = node
        self._keys = list(node.partition)
        count = len(node.state()) - int(node.event_time)
        self._aggregation = Aggregation(
            node.state()[:count],
            node.input.schema.select(node.partition),
            node.aggregates,
            node.input.schema,
            retract=False,
            store=store,
        )
        self._expiry = Expiry(node.ttl, self._aggregation)

    def on_time(self, rows: pl.DataFrame, times: Ints, watermark: int) -> np.ndarray:
        """Which rows count."""
        return times > watermark

    def results(self, rows: pl.DataFrame, times: Ints, now: int) -> pl.DataFrame:
        """A column a call of rows in order of time."""
        aggregation = self._aggregation
        slots = aggregation.slots(picked(rows, self._keys))
        self._expiry.check(slots, now)
        last = np.arange(len(slots))
        if self._node.event_time and not self._node.frame.rows:
            peers = pl.DataFrame({"slot": slots, "time": times, "row": last})
            last = peers.select(pl.col("row").max().over("slot", "time")).to_series().to_numpy()
        return results_after(aggregation, slots, Changes(rows), now, last)

    def free(self, until: int) -> None:
        """Nothing leaves a frame without a start."""
