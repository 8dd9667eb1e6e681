"""Runs of rows whose times lie in the same stretch."""

from __future__ import annotations

import numpy as np
from numba import int64, types, uint32

from sameriver.common.kernel import kernel

_READ = types.Array(types.int64, 1, "C", readonly=True)


@kernel(int64(_READ, int64, uint32[::1], uint32[::1]))
def runs(times: np.ndarray, size: int, heads: np.ndarray, of: np.ndarray) -> int:
    """Cuts rows where a time leaves the stretch of ``size`` that the one before is in.

    Args:
        times: of each row.
        size: of a stretch; the first starts at 0.
        heads: gets the first row of each run.
        of: gets the number of each row's run.

    Returns:
        How many runs there are.
    """
    count = 0
    low = high = int64(0)
    for row in range(times.shape[0]):
        time = times[row]
        if time < low or time >= high:
            low = time // size * size
            high = low + size
            heads[count] = row
            count += 1
        of[row] = count - 1
    return count
