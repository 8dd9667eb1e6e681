"""What rows found when they were looked up, for when they are taken back."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.frames import picked
from sameriver.operators.joined_rows import held_schema
from sameriver.plan.physical.lookup_join import LookupJoin
from sameriver.state.index import KeyIndex
from sameriver.state.kernels.pairing import taken_back
from sameriver.state.kernels.types import Ints
from sameriver.state.timed_rows import TimedRows

_FIRST, _LAST = -(2**63), 2**63 - 1


class LookedUp:
    """Rows of the join under the left row that gave them; of equal left rows the last one goes
    first."""

    def __init__(self, node: LookupJoin) -> None:
        self._keys = list(node.remembered)
        self._entry = node.entry_column
        schema = held_schema(node.schema, {self._entry: pl.Int64()})
        self.rows = TimedRows(node.state()[0], schema, self._keys, self._entry)
        self._next = 0

    def partners(self, rows: pl.DataFrame, signs: Ints) -> Ints:
        """What each row takes back, or which row takes it back (see ``taken_back``)."""
        keys = picked(rows, self._keys)
        index = KeyIndex(keys.schema)
        groups = index.find_or_insert(keys)
        top, before = np.full(index.capacity, -1), np.zeros(index.capacity, np.int64)
        below, out = np.empty(len(groups), np.int64), np.empty(len(groups), np.int64)
        taken_back(groups, signs.astype(np.int8), top, below, before, out)
        return out

    def keep(self, found: pl.DataFrame, places: Ints) -> None:
        """Remembers rows of the join; those of one place come from one left row."""
        entries = pl.Series(self._entry, self._next + places)
        self.rows.add(found.with_columns(entries))
        self._next += int(places.max(initial=-1)) + 1

    def take(self, rows: pl.DataFrame, which: Ints) -> tuple[pl.DataFrame, Ints]:
        """The rows that the ``which``-th last of each left row gave, and the place of each; they
        are forgotten."""
        low, high = np.full(len(which), _FIRST), np.full(len(which), _LAST)
        asked, held = self.rows.pairs(
            self.rows.questions(picked(rows, self._keys), low, high, None)
        )
        frame = pl.DataFrame({"asked": asked, "held": held, "entry": self.rows.times(held)})
        rank = pl.col("entry").rank("dense", descending=True).over("asked").cast(pl.Int64)
        wanted = frame.filter(rank == pl.Series(which[asked]))
        held = wanted["held"].to_numpy()
        found = self.rows.gather(held).drop(self._entry)
        if len(held):
            self.rows.remove(held)
        return found, wanted["asked"].to_numpy()

    def restored(self) -> None:
        held = self.rows.times(self.rows.live())
        self._next = int(held.max(initial=-1)) + 1
