"""The first row of each group, by words."""

from __future__ import annotations

import numpy as np
from numba import void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.types import INTS, READ_INTS, READ_TABLE


@helper
def _before(words: np.ndarray, row: int, other: int) -> bool:
    for word in range(words.shape[0]):
        if words[word, row] != words[word, other]:
            return bool(words[word, row] < words[word, other])
    return False


@kernel(void(READ_INTS, READ_TABLE, INTS))
def first(groups: np.ndarray, words: np.ndarray, best: np.ndarray) -> None:
    """Puts the number of each group's least row into ``best`` (-1: none yet); of equal ones the
    earliest. ``words`` has a row a word, of which the first counts most."""
    for row in range(groups.shape[0]):
        group = groups[row]
        if best[group] < 0 or _before(words, row, best[group]):
            best[group] = row
