"""Rows that wait for the watermark, in batches in which it moves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.state.kernels.types import Ints


def parts(
    changes: Changes, times: Ints, watermark: int
) -> Iterator[tuple[pl.DataFrame, pl.Series]]:
    """A batch in parts of which the first row alone may be late, and their watermarks.

    Whether a late row counts may depend on what was given before it came.

    Args:
        changes: with a watermark after each row.
        times: of the rows.
        watermark: before the batch.
    """
    assert changes.watermarks is not None
    late = np.flatnonzero(times <= np.append(watermark, changes.watermarks.to_numpy()[:-1]))
    start = 0
    for end in (*late[late > 0].tolist(), len(times)):
        yield changes.rows[start:end], changes.watermarks[start:end]
        start = end


def released_at(times: Ints, watermark: int, watermarks: pl.Series) -> Ints:
    """The row of a batch whose watermark releases each waiting row.

    What waited since before the watermark came as far goes with its next step.

    Args:
        times: of rows that the last watermark passes, ascending.
        watermark: before the batch; the last one is later.
        watermarks: after each row of the batch.
    """
    moved = watermarks.to_numpy()
    next_step = np.searchsorted(moved, watermark, side="right")
    return np.maximum(np.searchsorted(moved, times, side="left"), next_step)
