"""ROUND and TRUNCATE of floating numbers."""

from __future__ import annotations

import math

import numpy as np
from numba import boolean, float64, int64, types

from sameriver.common.kernel import helper, kernel

_READ = types.Array(float64, 1, "C", readonly=True)


@helper
def _at(units: float, point: int, single: bool) -> float:
    """The number nearest to a decimal of so many places."""
    by = 10.0 ** abs(point)
    value = units / by if point >= 0 else units * by
    return float(np.float32(value)) if single else value


@helper
def _units(size: float, places: int, single: bool, half: bool) -> float:
    """Size in units of the last place kept."""
    units = math.floor(size / 10.0**-places if places < 0 else size * 10.0**places)
    if _at(units + 1, places, single) <= size:
        units += 1
    elif _at(units, places, single) > size:
        units -= 1
    if half and _at(units * 10 + 5, places + 1, single) <= size:
        units += 1
    return units


@kernel((_READ, int64, boolean, boolean, float64[::1], boolean[::1]))
def round_reals(
    values: np.ndarray,
    places: int,
    half: bool,
    single: bool,
    rounded: np.ndarray,
    known: np.ndarray,
) -> None:
    """Rounds the decimals that are the shortest texts of numbers.

    Numbers are compared with those nearest to decimals of few digits. Each such decimal is its
    number's shortest text, so the order of numbers is the order of their texts. Not ``known`` is
    what has more digits.
    """
    most = 10.0 ** (4 if single else 13)
    for row in range(len(values)):
        size = abs(values[row])
        known[row] = size * 10.0**places < most
        if not known[row]:
            continue
        found = _at(_units(size, places, single, half), places, single)
        rounded[row] = -found if values[row] < 0 and found != 0 else found
