"""Which cells have a value, as Arrow wants it."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import kernel
from sameriver.common.kernels.lanes import LANES, below, equal, how_many
from sameriver.common.kernels.text_views import FLAGS


@kernel(types.int64(FLAGS, FLAGS, FLAGS))
def valid_bits(kind: np.ndarray, odd: np.ndarray, bits: np.ndarray) -> int:
    """Sets the bit of each cell whose kind says that it is filled and that is not odd.

    ``bits`` has ``LANES`` bits for each as many cells, the last of them too. Counts the others.
    """
    filled, at = 0, 0
    while at < kind.size:
        found = np.uint64(0)
        if at + LANES <= kind.size:
            found = equal(odd, at, 0) & ~below(kind, at, 2)
        else:
            for rest in range(at, kind.size):
                valid = kind[rest] > 1 and odd[rest] == 0
                found |= np.uint64(valid) << np.uint64(rest - at)
        filled += how_many(found)
        for byte in range(LANES // 8):
            bits[(at >> 3) + byte] = found >> np.uint64(8 * byte) & np.uint64(255)
        at += LANES
    return kind.size - filled
