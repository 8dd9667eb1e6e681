"""Keyed accumulators of all calls of an aggregation, folded batch by batch."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.schema import Schema
from sameriver.common.state import StateTable
from sameriver.plan.expressions import AggregateCall
from sameriver.state.handle import StateStore


class Aggregation:
    """The accumulators of all calls, by key: a key has a slot, a slot has accumulators.

    Args:
        tables: what ``aggregate_state`` declared for the same calls.
        keys: names and types of the key columns.
        calls: the aggregates; their arguments and filters are columns of ``input`` or literals.
        input: columns of the batches that ``update`` gets.
        retract: whether rows are taken back.
        store: where the tables are registered.
    """

    def __init__(
        self,
        tables: tuple[StateTable, ...],
        keys: Schema,
        calls: tuple[AggregateCall, ...],
        input: Schema,
        *,
        retract: bool,
        store: StateStore,
    ) -> None: ...

    def slots(self, keys: pl.DataFrame) -> np.ndarray:
        """Slot of each row (int64); a new key gets one. A frame without columns has its height."""
        ...

    def find(self, keys: pl.DataFrame) -> np.ndarray:
        """Slot of each row (int64), -1 where the key is unknown."""
        ...

    def update(self, slots: np.ndarray, changes: Changes) -> None:
        """Folds rows in order of arrival; rows that are taken back only where ``retract``."""
        ...

    def merge(self, into: np.ndarray, other: Aggregation, slots: np.ndarray) -> None:
        """Adds the accumulators of ``other`` at ``slots`` to the own ones at ``into``, in order.

        Slots may repeat on either side.
        """
        ...

    def results(self, slots: np.ndarray) -> pl.DataFrame:
        """One column a call, typed as the call, one row a slot."""
        ...

    def live(self, slots: np.ndarray) -> np.ndarray:
        """Rows counted in minus rows taken back (int64); 1 everywhere where not ``retract``."""
        ...

    def keys(self, slots: np.ndarray) -> pl.DataFrame:
        """The key columns of slots."""
        ...

    def remove(self, slots: np.ndarray) -> None:
        """Frees slots (each once) and everything that hangs on them."""
        ...

    def all_slots(self) -> np.ndarray:
        """Slots in use, in rising order (int64)."""
        ...

    def __len__(self) -> int: ...
