"""Which shard gets which rows."""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, uint32

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.types import READ_INTS

_FIRST, _SECOND, _LAST = (
    np.uint64(0xE7037ED1A0B428DB),
    np.uint64(0xA0761D6478BD642F),
    np.uint64(0x9E3779B97F4A7C15),
)
_HALF = np.uint64(32)


@helper
def _hash(first: int, second: int) -> np.uint64:
    """Another hash than those of the indexes, which would have their keys in one part only."""
    mixed = np.uint64(first) * _FIRST ^ np.uint64(second) * _SECOND
    mixed = (mixed ^ (mixed >> _HALF)) * _LAST
    return mixed ^ (mixed >> _HALF)


@kernel(int64(READ_INTS, READ_INTS, boolean, int64, int64, uint32[::1]))
def own(
    firsts: np.ndarray,
    seconds: np.ndarray,
    hashed: bool,
    shard: int,
    shards: int,
    rows: np.ndarray,
) -> int:
    """Numbers of the rows of a shard; gives how many.

    Rows go by keys of two words, or of one (no seconds), which may be a hash already. The high half
    of a hash, scaled to the number of shards, is the shard.
    """
    paired = seconds.shape[0] > 0
    count = 0
    for i in range(firsts.shape[0]):
        rows[count] = i
        hash = np.uint64(firsts[i])
        if not hashed:
            hash = _hash(firsts[i], seconds[i] if paired else int64(0))
        owner = int64(((hash >> _HALF) * np.uint64(shards)) >> _HALF)
        count += 1 if owner == shard else 0
    return count
