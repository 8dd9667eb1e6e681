"""Finds the items of arrays, and the keys and values of objects."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.connectors.formats.kernels.json_tokens import (
    ARRAY,
    DEPTH,
    ESCAPED,
    OBJECT,
    TEXT,
    blank,
    value,
)
from sameriver.connectors.formats.kernels.types import BYTES, FLAGS, INDEX


@helper
def scan_items(
    data: np.ndarray,
    at: int,
    stop: int,
    pairs: bool,
    used: int,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    stack: np.ndarray,
) -> int:
    """Finds the items of one array, or key, value, key, ... of one object.

    Gives how many cells are filled then, -1 if it is malformed.
    """
    close = 125 if pairs else 93
    at = blank(data, at + 1, stop)
    if at < stop and data[at] == close:
        return used
    key = pairs
    while True:
        past, what = value(data, at, stop, stack)
        if past < 0 or (key and data[at] != 34):
            return -1
        quote = 1 if what in (TEXT, ESCAPED) else 0
        start[used] = at + quote
        end[used] = past - quote
        kind[used] = what
        used += 1
        at = blank(data, past, stop)
        if at >= stop:
            return -1
        if not key and data[at] == close:
            return used
        if data[at] != (58 if key else 44):
            return -1
        key = pairs and not key
        at = blank(data, at + 1, stop)


@kernel(types.int64(BYTES, INDEX, INDEX, FLAGS, types.boolean, INDEX, INDEX, FLAGS, INDEX, FLAGS))
def scan_lists(
    data: np.ndarray,
    from_: np.ndarray,
    to: np.ndarray,
    what: np.ndarray,
    pairs: bool,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    bounds: np.ndarray,
    bad: np.ndarray,
) -> int:
    """Finds the items of every array (``pairs``: of every object), one after the other.

    Items of cell i are ``bounds[i]`` to ``bounds[i + 1]``. Gives how many there are.
    """
    used = 0
    stack = np.empty(DEPTH, dtype=np.uint8)
    wanted = OBJECT if pairs else ARRAY
    for row in range(from_.size):
        bounds[row] = used
        if what[row] != wanted:
            continue
        now = scan_items(data, from_[row], to[row], pairs, used, start, end, kind, stack)
        if now < 0:
            bad[row] = 1
        else:
            used = now
    bounds[from_.size] = used
    return used
