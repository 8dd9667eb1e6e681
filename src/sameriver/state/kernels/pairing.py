"""Which row a row takes back."""

from __future__ import annotations

from numba import void

from sameriver.common.kernel import kernel
from sameriver.state.kernels.types import INTS, READ_INTS, READ_SIGN, Ints, Signs


@kernel(void(READ_INTS, READ_SIGN, INTS, INTS, INTS, INTS))
def taken_back(groups: Ints, signs: Signs, top: Ints, below: Ints, before: Ints, out: Ints) -> None:
    """Pairs each row that takes back with the last row of its group that is still there.

    ``out`` of such a row is the row it takes back, or -n: the n-th last that was there before the
    batch. ``out`` of a row that adds is the row that takes it back, or -1. ``top`` (-1) and
    ``before`` (0) have a place for each group, ``below`` for each row.
    """
    for i in range(len(groups)):
        group = groups[i]
        out[i] = -1
        if signs[i] > 0:
            below[i] = top[group]
            top[group] = i
        elif top[group] >= 0:
            out[i] = top[group]
            out[top[group]] = i
            top[group] = below[top[group]]
        else:
            before[group] += 1
            out[i] = -before[group]
