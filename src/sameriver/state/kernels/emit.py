"""What a changed result emits."""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types, uint8, uint32, void

from sameriver.common.kernel import kernel
from sameriver.state.kernels.types import INTS, READ_INTS, TABLE

_KINDS = uint8[::1]
_ROWS = uint32[::1]
_READ_ROWS = types.Array(uint32, 1, "C", readonly=True)
_READ_FLAGS = types.Array(boolean, 1, "C", readonly=True)
_READ_HISTORY = types.Array(int64, 3, "C", readonly=True)


@kernel(int64(_READ_ROWS, _READ_FLAGS, _READ_FLAGS, _READ_FLAGS, _KINDS, _ROWS, INTS))
def plan(
    rows: np.ndarray,
    fresh: np.ndarray,
    alive: np.ndarray,
    changed: np.ndarray,
    kinds: np.ndarray,
    shown: np.ndarray,
    places: np.ndarray,
) -> int:
    """Kinds of the rows to emit, and the input row that shows the key of each; gives how many.

    ``rows`` are the input rows of the results. A new result gives +I, a changed one -U and +U, one
    that is gone -D. ``places`` has the number of the result for its old row, and that plus the
    number of results for its new row.
    """
    count = 0
    size = fresh.shape[0]
    for i in range(size):
        if fresh[i]:
            if alive[i]:
                kinds[count], shown[count], places[count] = 0, rows[i], size + i
                count += 1
        elif not alive[i]:
            kinds[count], shown[count], places[count] = 3, rows[i], i
            count += 1
        elif changed[i]:
            kinds[count], shown[count], places[count] = 1, rows[i], i
            kinds[count + 1], shown[count + 1], places[count + 1] = 2, rows[i], size + i
            count += 2
    return count


@kernel(void(READ_INTS, int64, _READ_HISTORY, int64, TABLE))
def weave(places: np.ndarray, size: int, history: np.ndarray, first: int, out: np.ndarray) -> None:
    """Old and new words of the rows to emit, as ``plan`` places those of ``size`` results.

    ``history`` has the words of results before and after; ``out`` has a row a word, of which those
    from ``first`` on are filled.
    """
    for word in range(first, out.shape[0]):
        for i in range(places.shape[0]):
            after = int64(places[i] >= size)
            out[word, i] = history[after, word, places[i] - after * size]
