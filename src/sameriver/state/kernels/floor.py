"""Times rounded down."""

from __future__ import annotations

from numba import int64, void

from sameriver.common.kernel import kernel
from sameriver.state.kernels.types import INTS, READ_INTS, Ints


@kernel(void(READ_INTS, int64, int64, INTS))
def floor(times: Ints, offset: int, unit: int, out: Ints) -> None:
    """The latest multiple of ``unit``, counted from ``offset``, at or before each time.

    Times that follow each other are mostly near: they share a multiple, and nothing is divided.
    """
    low = int64(0)
    known = False
    for i in range(len(times)):
        time = times[i]
        if not known or time < low or time - low >= unit:
            low = (time - offset) // unit * unit + offset
            known = True
        out[i] = low
