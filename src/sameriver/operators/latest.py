"""The changes of a table that holds the last row of each key."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from sameriver.common.changes import ChangeKind, Changes
from sameriver.state.row_lists import RowLists

Mask = npt.NDArray[np.bool_]


def latest(rows: RowLists, changes: Changes, *, folded: bool) -> Changes:
    """Puts changes into lists of rows; the changes of the rows that come last.

    Args:
        rows: the lists.
        changes: +I and +U add, -U and -D take back.
        folded: only what a batch changes at its end; else record by record.
    """
    signs = changes.signs()
    given = np.ones(len(changes), np.int8) if signs is None else signs.to_numpy().astype(np.int8)
    before, after = rows.change(changes.rows, given, folded=folded)
    moved = before != after
    before, after = before[moved], after[moved]
    had, has = before >= 0, after >= 0
    return _changes(rows.gather(before[had]), rows.gather(after[has]), had, has)


def _changes(old: pl.DataFrame, new: pl.DataFrame, had: Mask, has: Mask) -> Changes:
    """The changes of keys in order; ``had`` and ``has``: whether each has an old and a new row."""
    ends = np.cumsum(had.astype(np.int64) + has)
    firsts = (ends - 1 - (had & has))[had]
    lasts = (ends - 1)[has]
    places = np.empty(old.height + new.height, np.int64)
    kinds = np.empty(len(places), np.uint8)
    places[firsts] = np.arange(old.height)
    kinds[firsts] = np.where(has[had], ChangeKind.UPDATE_BEFORE, ChangeKind.DELETE)
    places[lasts] = old.height + np.arange(new.height)
    kinds[lasts] = np.where(had[has], ChangeKind.UPDATE_AFTER, ChangeKind.INSERT)
    return Changes(pl.concat([old, new], rechunk=True)[pl.Series(places)], pl.Series(kinds))
