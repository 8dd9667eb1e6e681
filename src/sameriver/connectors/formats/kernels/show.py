"""Numbers and points in time as text, each in a field of fixed width, up to the field's end."""

from __future__ import annotations

import numpy as np
from numba import int64, types, uint64

from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.copying import copy
from sameriver.connectors.formats.kernels.types import FLAGS, INDEX

INTEGER_WIDTH = 20
"""Bytes of the longest integer."""
TIME_WIDTH = 40
"""Bytes of the longest point in time, and some more."""
_READ = types.Array(types.int64, 1, "C", readonly=True)
_ZERO = np.uint64(48)


@helper
def _digits(out: np.ndarray, at: int, value: int, least: int) -> int:
    """Puts the digits of a number that isn't negative before ``at``; gives where they start."""
    rest, count = uint64(value), 0
    while rest > uint64(0) or count < least:
        at -= 1
        out[at] = _ZERO + rest % uint64(10)
        rest //= uint64(10)
        count += 1
    return at


@kernel((_READ, FLAGS, INDEX, INDEX))
def show_integers(values: np.ndarray, out: np.ndarray, start: np.ndarray, end: np.ndarray) -> None:
    """The text of each number stands at ``out[start[i]:end[i]]``."""
    for i in range(values.size):
        at = end[i] = (i + 1) * INTEGER_WIDTH
        value = values[i]
        # As an unsigned number, since the least one has no opposite.
        at = _digits(out, at, -value if value < 0 else value, 1)
        if value < 0:
            at -= 1
            out[at] = 45
        start[i] = at


@helper
def _date(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 1970; years start in March in between."""
    days += 719_468
    era = days // 146_097
    rest = days - era * 146_097
    year = (rest - rest // 1460 + rest // 36_524 - rest // 146_096) // 365
    rest -= 365 * year + year // 4 - year // 100
    month = (5 * rest + 2) // 153
    day = rest - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return year + era * 400 + (1 if month <= 2 else 0), month, day


@helper
def _minute(out: np.ndarray, at: int, minutes: int, between: int) -> int:
    """Puts ``2024-01-31 10:20:`` before ``at``; gives where it starts."""
    days = minutes // 1440
    minutes -= days * 1440
    at -= 1
    out[at] = 58
    at = _digits(out, at, minutes % 60, 2) - 1
    out[at] = 58
    at = _digits(out, at, minutes // 60, 2) - 1
    out[at] = between
    year, month, day = _date(days)
    at = _digits(out, at, day, 2) - 1
    out[at] = 45
    at = _digits(out, at, month, 2) - 1
    out[at] = 45
    at = _digits(out, at, -year if year < 0 else year, 4)
    if year < 0 or year > 9999:
        at -= 1
        out[at] = 45 if year < 0 else 43
    return at


@kernel((_READ, int64, int64, int64, FLAGS, INDEX, INDEX))
def show_times(
    values: np.ndarray,
    digits: int,
    between: int,
    suffix: int,
    out: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
) -> None:
    """``2024-01-31 10:20:30.5`` of each time since 1970, without zeros at the end.

    Args:
        values: the times.
        digits: decimal places of a second that a unit of ``values`` is: 3 for ms.
        between: byte between date and time.
        suffix: byte after the time; 0: none.
        out: has ``TIME_WIDTH`` bytes a time.
        start: where each text starts.
        end: where each text ends.
    """
    unit = 1
    for _ in range(digits):
        unit *= 10
    # What goes before the seconds is taken from the row above, if it shows the same minute.
    span, minutes, known, size = 60 * unit, int64(0), 0, 0
    for i in range(values.size):
        at = end[i] = (i + 1) * TIME_WIDTH
        own = values[i] // span
        same = size > 0 and own == minutes
        minutes, passed = own, values[i] - own * span
        seconds = int64(uint64(passed) // uint64(unit))
        fraction = passed - seconds * unit
        if suffix != 0:
            at -= 1
            out[at] = suffix
        if fraction != 0:
            places = digits
            while fraction % 10 == 0:
                fraction //= 10
                places -= 1
            at = _digits(out, at, fraction, places) - 1
            out[at] = 46
        at = _digits(out, at, seconds, 2)
        if same:
            at -= size
            copy(out, at, out.ctypes.data + known, size)
        else:
            stop = at
            at = _minute(out, at, minutes, between)
            size = stop - at
        start[i] = known = at
