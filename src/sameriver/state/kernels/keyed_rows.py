"""Which row of a key stays."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import kernel
from sameriver.state.kernels.types import INTS, READ_INTS

ANY, LATEST, EARLIEST = 0, 1, 2
"""Which row replaces the one that is kept: any, one of the same time or a later, an earlier."""


@kernel(types.void(INTS, READ_INTS, types.int64, INTS, INTS, INTS, INTS))
def replace(
    slots: np.ndarray,
    times: np.ndarray,
    rule: int,
    kept_times: np.ndarray,
    places: np.ndarray,
    before: np.ndarray,
    previous: np.ndarray,
) -> None:
    """Offers rows to their keys, in order.

    Args:
        slots: of each row.
        times: of each row.
        rule: see above.
        kept_times: of the kept row of each slot.
        places: where the kept row of each slot is: 0 nowhere, above 0 in the store, ``-1 - row``
            in this batch.
        before: where the kept row of each changed slot was before the batch.
        previous: out: place of the row that each row replaces; the least int64 if it is not
            kept.
    """
    for row in range(len(slots)):
        slot, time = slots[row], times[row]
        place = places[slot]
        if place != 0 and (
            (rule == LATEST and time < kept_times[slot])
            or (rule == EARLIEST and time >= kept_times[slot])
        ):
            previous[row] = np.iinfo(np.int64).min
            continue
        if place >= 0:
            before[slot] = place
        previous[row] = place
        places[slot] = -1 - row
        kept_times[slot] = time
