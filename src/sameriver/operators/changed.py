"""Updates that change nothing."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.changes import ChangeKind, Changes


def changed(changes: Changes) -> Changes:
    """Without the updates to an equal row; each +U comes right after its -U."""
    if changes.kinds is None:
        return changes
    updates = (changes.kinds == ChangeKind.UPDATE_AFTER).arg_true().to_numpy()
    old, new = changes.rows[pl.Series(updates - 1)], changes.rows[pl.Series(updates)]
    same = np.ones(len(updates), np.bool_)
    for name in old.columns:
        same &= old[name].eq_missing(new[name]).to_numpy()
    if not same.any():
        return changes
    shown = np.ones(len(changes), np.bool_)
    shown[updates[same]] = shown[updates[same] - 1] = False
    return changes.filter(pl.Series(shown))
