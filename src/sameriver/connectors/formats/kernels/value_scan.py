"""Reads whole numbers, dates and times from cells."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.connectors.formats.kernels.types import BYTES, FLAGS, INDEX

_PAIR = types.UniTuple(types.int64, 2)


@helper
def whole(data: np.ndarray, at: int, stop: int) -> tuple[int, bool]:
    """The number that digits write, negative, for the range is one longer on that side.

    True if they aren't digits, or too many.
    """
    total, odd = 0, 0
    if stop - at <= 18:
        for k in range(at, stop):
            digit = int(np.int64(data[k])) - 48
            odd |= digit < 0 or digit > 9
            total = total * 10 - digit
        return total, odd > 0
    for k in range(at, stop):
        digit = int(np.int64(data[k])) - 48
        odd |= digit < 0 or digit > 9 or total < -922337203685477580
        odd |= total == -922337203685477580 and digit > 8
        total = total * 10 - digit
    return total, odd > 0


@kernel(types.void(BYTES, INDEX, INDEX, FLAGS, types.int64, types.int64, INDEX, FLAGS))
def parse_integers(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    low: int,
    high: int,
    out: np.ndarray,
    bad: np.ndarray,
) -> None:
    """Whole numbers between ``low`` and ``high``, blanks around them allowed."""
    for row in range(start.size):
        if kind[row] <= 1:
            continue
        at, stop = start[row], end[row]
        while at < stop and data[at] <= 32:
            at += 1
        while at < stop and data[stop - 1] <= 32:
            stop -= 1
        negative = at < stop and data[at] == 45
        if at < stop and (data[at] == 45 or data[at] == 43):
            at += 1
        if at == stop:
            bad[row] = 1
            continue
        total, odd = whole(data, at, stop)
        bad[row] = odd or (total == -(2**63) and not negative)
        if bad[row]:
            continue
        if not negative:
            total = -total
        if total < low or total > high:
            bad[row] = 1
        else:
            out[row] = total


@helper
def fixed(data: np.ndarray, at: int, width: int) -> int:
    """The number that ``width`` digits write; -1 if they aren't digits."""
    total = 0
    for k in range(at, at + width):
        byte = data[k]
        if byte < 48 or byte > 57:
            return -1
        total = total * 10 + (byte - 48)
    return total


@helper
def day_number(year: int, month: int, day: int) -> int:
    """Days since 1970 of a date of the Gregorian calendar; -2**62 if there is no such date."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if month < 1 or month > 12 or day < 1:
        return -(2**62)
    if month == 2:
        longest = 29 if leap else 28
    else:
        longest = 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31
    if day > longest:
        return -(2**62)
    shifted = year - 1 if month <= 2 else year
    era = shifted // 400
    of_era = shifted - era * 400
    of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


@helper
def date_at(data: np.ndarray, at: int, stop: int) -> int:
    """Days since 1970 of ``YYYY-MM-DD`` at ``at``; -2**62 if there is none."""
    if stop - at < 10 or data[at + 4] != 45 or data[at + 7] != 45:
        return -(2**62)
    year, month, day = fixed(data, at, 4), fixed(data, at + 5, 2), fixed(data, at + 8, 2)
    if year < 0 or month < 0 or day < 0:
        return -(2**62)
    return day_number(year, month, day)


@helper
def time_at(data: np.ndarray, at: int, stop: int, short: bool) -> tuple[int, int]:
    """Second of the day and nanosecond of ``HH:MM:SS[.f]`` that fills ``at`` to ``stop``.

    ``short``: seconds may be left out. (-1, 0) if there is no such time.
    """
    if stop - at < 5 or data[at + 2] != 58:
        return -1, 0
    hour, minute, second, nanos = fixed(data, at, 2), fixed(data, at + 3, 2), 0, 0
    if stop - at == 5:
        if not short:
            return -1, 0
    else:
        if stop - at < 8 or data[at + 5] != 58:
            return -1, 0
        second = fixed(data, at + 6, 2)
    if stop - at > 8:
        width = stop - at - 9
        if data[at + 8] != 46 or width > 9:
            return -1, 0
        nanos = fixed(data, at + 9, width)
        if nanos < 0:
            return -1, 0
        for _ in range(9 - width):
            nanos *= 10
    if hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return -1, 0
    return hour * 3600 + minute * 60 + second, nanos


@kernel(types.void(BYTES, INDEX, INDEX, FLAGS, INDEX, FLAGS))
def parse_dates(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    out: np.ndarray,
    bad: np.ndarray,
) -> None:
    """Days since 1970."""
    for row in range(start.size):
        if kind[row] <= 1:
            continue
        days = date_at(data, start[row], end[row])
        if days == -(2**62) or end[row] - start[row] != 10:
            bad[row] = 1
        else:
            out[row] = days


@kernel(types.void(BYTES, INDEX, INDEX, FLAGS, types.boolean, types.int64, INDEX, FLAGS))
def parse_times(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    short: bool,
    grain: int,
    out: np.ndarray,
    bad: np.ndarray,
) -> None:
    """Nanoseconds of the day, cut to multiples of ``grain`` nanoseconds."""
    for row in range(start.size):
        if kind[row] <= 1:
            continue
        seconds, nanos = time_at(data, start[row], end[row], short)
        if seconds < 0:
            bad[row] = 1
        else:
            out[row] = seconds * 1_000_000_000 + nanos // grain * grain


@kernel(
    types.void(
        BYTES, INDEX, INDEX, FLAGS, types.uint8, types.boolean, types.int64, types.int64,
        INDEX, FLAGS,
    )
)  # fmt: skip
def parse_timestamps(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    separator: int,
    zulu: bool,
    grain: int,
    unit: int,
    out: np.ndarray,
    bad: np.ndarray,
) -> None:
    """Units of ``unit`` nanoseconds since 1970, cut to multiples of ``grain`` nanoseconds.

    ``separator`` stands between date and time; ``zulu``: a ``Z`` must follow.
    """
    most = 9_223_372_036  # seconds that still fit in nanoseconds
    for row in range(start.size):
        if kind[row] <= 1:
            continue
        at, stop = start[row], end[row]
        if zulu and stop > at:
            if data[stop - 1] != 90:
                bad[row] = 1
                continue
            stop -= 1
        days = date_at(data, at, stop)
        if days == -(2**62) or stop - at < 11 or data[at + 10] != separator:
            bad[row] = 1
            continue
        seconds, nanos = time_at(data, at + 11, stop, separator == 84)
        total = days * 86400 + seconds
        if seconds < 0 or (unit == 1 and (total >= most or total <= -most)):
            bad[row] = 1
        else:
            out[row] = total * (1_000_000_000 // unit) + nanos // grain * grain // unit
