"""Places within lists of rows."""

from __future__ import annotations

from numba import void

from sameriver.common.kernel import kernel
from sameriver.state.kernels.types import INTS, READ_INTS, Ints


@kernel(void(READ_INTS, INTS, INTS))
def positions(slots: Ints, counts: Ints, out: Ints) -> None:
    """How many rows of its slot there are up to each row; ``counts`` are zeros, and stay so."""
    for i in range(len(slots)):
        counts[slots[i]] += 1
        out[i] = counts[slots[i]]
    for i in range(len(slots)):
        counts[slots[i]] = 0
