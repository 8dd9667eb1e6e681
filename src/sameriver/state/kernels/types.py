"""Names of array types for kernel signatures."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import float64, int8, int64, types

Ints = npt.NDArray[np.int64]
"""A NumPy array of int64: slots, words, encoded values."""
Signs = npt.NDArray[np.int8]
"""A NumPy array of int8: +1 adds, -1 takes back, 0 passes by."""

INTS = int64[::1]
TABLE = int64[:, ::1]
FLOATS = float64[:, ::1]
READ_INTS = types.Array(int64, 1, "C", readonly=True)
READ_TABLE = types.Array(int64, 2, "C", readonly=True)
READ_FLOATS = types.Array(float64, 2, "C", readonly=True)
READ_SIGNS = types.Array(int8, 2, "C", readonly=True)
SIGNS = int8[::1]
READ_SIGN = types.Array(int8, 1, "C", readonly=True)

NO_INTS = np.zeros(0, np.int64)
