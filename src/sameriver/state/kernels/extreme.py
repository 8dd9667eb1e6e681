"""The running least value by rank, for values that fit no word."""

from __future__ import annotations

import numpy as np
from numba import void

from sameriver.common.kernel import kernel
from sameriver.state.kernels.types import INTS, READ_INTS


@kernel(void(INTS, INTS, READ_INTS, READ_INTS, INTS))
def least(
    ranks: np.ndarray, best: np.ndarray, groups: np.ndarray, row_ranks: np.ndarray, ids: np.ndarray
) -> None:
    """Per row, the id of its group's least value so far.

    ``ranks`` and ``best`` are rank and id of each group's least value (id -1: none). ``ids`` comes
    with the id of each row's own value and leaves with that of the least.
    """
    for i in range(groups.shape[0]):
        group = groups[i]
        if best[group] < 0 or row_ranks[i] < ranks[group]:
            ranks[group] = row_ranks[i]
            best[group] = ids[i]
        ids[i] = best[group]
