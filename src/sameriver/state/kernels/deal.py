"""Which shard gets which rows."""

from __future__ import annotations

import numpy as np
from numba import int64, types, uint32, uint64, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.types import INTS

_HASHES = types.Array(uint64, 1, "C", readonly=True)


@helper
def _shard(hashed: int, shards: int) -> int:
    """The high half of a hash, scaled to the number of shards."""
    shard: int = int64(((hashed >> np.uint64(32)) * np.uint64(shards)) >> np.uint64(32))
    return shard


@kernel(void(_HASHES, INTS, uint32[::1]))
def deal(hashes: np.ndarray, ends: np.ndarray, rows: np.ndarray) -> None:
    """Numbers of the rows, those of the first shard first; ``ends`` gets where each shard ends."""
    shards = ends.shape[0]
    counts = np.zeros(shards + 1, np.int64)
    for i in range(hashes.shape[0]):
        counts[_shard(hashes[i], shards) + 1] += 1
    for shard in range(shards):
        counts[shard + 1] += counts[shard]
        ends[shard] = counts[shard]
    for i in range(hashes.shape[0]):
        shard = _shard(hashes[i], shards)
        rows[ends[shard]] = i
        ends[shard] += 1
