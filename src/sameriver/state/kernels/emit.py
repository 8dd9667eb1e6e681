"""What a changed result emits."""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types, uint8

from sameriver.common.kernel import kernel
from sameriver.state.kernels.types import INTS, READ_INTS

_KINDS = uint8[::1]
_READ_FLAGS = types.Array(boolean, 1, "C", readonly=True)


@kernel(int64(READ_INTS, _READ_FLAGS, _READ_FLAGS, _READ_FLAGS, _KINDS, INTS))
def keep(
    ends: np.ndarray,
    fresh: np.ndarray,
    alive: np.ndarray,
    changed: np.ndarray,
    kinds: np.ndarray,
    places: np.ndarray,
) -> int:
    """Columns of a history (see ``touch``) that are emitted; gives how many.

    A new result gives +I, a changed one -U and +U, one that is gone -D, as ``kinds`` then says.
    """
    count = 0
    for i in range(ends.shape[0]):
        end = ends[i]
        if not fresh[i] and (changed[i] or not alive[i]):
            places[count] = end - 1
            count += 1
            if not alive[i]:
                kinds[end - 1] = 3
        if alive[i] and (fresh[i] or changed[i]):
            places[count] = end
            count += 1
    return count
