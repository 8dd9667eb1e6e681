"""Reads whole numbers, dates and times from cells."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.common.kernels.lanes import first, load_word, not_digits
from sameriver.connectors.formats.kernels.types import BYTES, FLAGS, INDEX

_TEXT, _ESCAPED, _NUMBER = 2, 3, 4
WHOLE, MOMENT = range(2)
"""How a cell is read: as a whole number or as a timestamp."""
_TENS = 10 ** np.arange(10)
_EIGHTH = np.uint64(1 << 56)
READ = 6
"""Numbers that say how the cells of a field are read."""


@helper
def eight(word: np.uint64) -> int:
    """The number that eight digits write, the first of them in the lowest byte."""
    pairs = (word & np.uint64(0x0F0F0F0F0F0F0F0F)) * np.uint64(2561) >> np.uint64(8)
    fours = (pairs & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601) >> np.uint64(16)
    total = (fours & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001) >> np.uint64(32)
    return int(np.int64(total))


@helper
def few(data: np.ndarray, at: int, count: int) -> int:
    """The number that one to eight digits write; -1 if they aren't digits."""
    if at + 8 <= data.size:
        rest = np.uint64(8 * (8 - count))
        word = load_word(data, at) << rest
        return -1 if not_digits(word) >> rest else eight(word)
    total = 0
    for k in range(at, at + count):
        byte = data[k]
        if byte < 48 or byte > 57:
            return -1
        total = total * 10 + (byte - 48)
    return total


@helper
def some(data: np.ndarray, at: int, count: int) -> int:
    """The number that up to 16 digits write; -1 if they aren't digits."""
    if count <= 0:
        return 0
    if count <= 8:
        return few(data, at, count)
    high, low = few(data, at, count - 8), few(data, at + count - 8, 8)
    return high * 100_000_000 + low if high >= 0 and low >= 0 else -1


@helper
def whole(data: np.ndarray, at: int, stop: int) -> tuple[int, bool]:
    """The number that digits write, negative, for the range is one longer on that side.

    True if they aren't digits, or too many.
    """
    if stop - at <= 16:
        total = some(data, at, stop - at)
        return -total, total < 0
    total, odd = 0, 0
    for k in range(at, stop):
        digit = int(np.int64(data[k])) - 48
        odd |= digit < 0 or digit > 9 or total < -922337203685477580
        odd |= total == -922337203685477580 and digit > 8
        total = total * 10 - digit
    return total, odd > 0


@helper
def unsigned(data: np.ndarray, at: int, stop: int) -> tuple[int, int, bool]:
    """A number's bounds without the blanks around it and its sign; whether that is a minus."""
    while at < stop and data[at] <= 32:
        at += 1
    while at < stop and data[stop - 1] <= 32:
        stop -= 1
    negative = at < stop and data[at] == 45
    if at < stop and (data[at] == 45 or data[at] == 43):
        at += 1
    return at, stop, negative


@helper
def integer_of(data: np.ndarray, at: int, stop: int, low: int, high: int) -> tuple[int, bool]:
    """The whole number of a cell, blanks around it allowed; True if it is none within bounds."""
    if at < stop <= at + 16:
        total = some(data, at, stop - at)
        if total >= 0:
            return (total, False) if low <= total <= high else (0, True)
    at, stop, negative = unsigned(data, at, stop)
    if at == stop:
        return 0, True
    total, odd = whole(data, at, stop)
    if odd or (total == -(2**63) and not negative):
        return 0, True
    if not negative:
        total = -total
    return (total, False) if low <= total <= high else (0, True)


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
    """Whole numbers between ``low`` and ``high``."""
    for row in range(start.size):
        if kind[row] > 1:
            out[row], bad[row] = integer_of(data, start[row], end[row], low, high)


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
    year, month, day = few(data, at, 4), few(data, at + 5, 2), few(data, at + 8, 2)
    if year < 0 or month < 0 or day < 0:
        return -(2**62)
    return day_number(year, month, day)


@helper
def fraction(data: np.ndarray, at: int, stop: int, places: int) -> int:
    """What a point and at most nine digits write, cut to so many places and without the point.

    -1 if they don't.
    """
    width = stop - at - 1
    if data[at] != 46 or width > 9:
        return -1
    kept = min(width, places)
    value, rest = some(data, at + 1, kept), some(data, at + 1 + kept, width - kept)
    return value * _TENS[places - kept] if value >= 0 and rest >= 0 else -1


@helper
def second_at(data: np.ndarray, at: int, stop: int, places: int) -> tuple[int, int]:
    """Second and fraction of ``:SS[.f]`` that fills ``at`` to ``stop``; (-1, 0): there is none."""
    if stop - at < 3 or data[at] != 58:
        return -1, 0
    second = few(data, at + 1, 2)
    part = fraction(data, at + 3, stop, places) if stop - at > 3 else 0
    if second < 0 or second > 59 or part < 0:
        return -1, 0
    return second, part


@helper
def time_at(data: np.ndarray, at: int, stop: int, short: bool, places: int) -> tuple[int, int]:
    """Second of the day and fraction of ``HH:MM:SS[.f]`` that fills ``at`` to ``stop``.

    ``short``: seconds may be left out. (-1, 0) if there is no such time.
    """
    if stop - at < 5 or data[at + 2] != 58:
        return -1, 0
    hour, minute, second, part = few(data, at, 2), few(data, at + 3, 2), 0, 0
    if stop - at > 5 or not short:
        second, part = second_at(data, at + 5, stop, places)
    if hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0:
        return -1, 0
    return hour * 3600 + minute * 60 + second, part


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
    places: int,
    out: np.ndarray,
    bad: np.ndarray,
) -> None:
    """Nanoseconds of the day, cut to so many places of a second."""
    for row in range(start.size):
        if kind[row] <= 1:
            continue
        seconds, part = time_at(data, start[row], end[row], short, places)
        if seconds < 0:
            bad[row] = 1
        else:
            out[row] = seconds * 1_000_000_000 + part * _TENS[9 - places]


@helper
def timestamp_of(
    data: np.ndarray,
    at: int,
    stop: int,
    separator: int,
    zulu: bool,
    places: int,
    unit: int,
    minute: np.ndarray,
) -> tuple[int, bool]:
    """Units since 1970 of a cell, of which a second has 10**``unit``, cut to so many places.

    ``separator`` stands between date and time; ``zulu``: a ``Z`` must follow. True if it is no
    timestamp. ``minute`` remembers the text of a minute and its seconds, zeros before there is one:
    neighbours are often of the same one.
    """
    if zulu and stop > at:
        if data[stop - 1] != 90:
            return 0, True
        stop -= 1
    long = stop - at >= 19
    known = long and minute[0] != 0
    if known and load_word(data, at) == minute[0] and load_word(data, at + 8) == minute[1]:
        seconds, part = second_at(data, at + 16, stop, places)
        total = int(np.int64(minute[2])) + seconds
    else:
        days = date_at(data, at, stop)
        if days == -(2**62) or stop - at < 11 or data[at + 10] != separator:
            return 0, True
        seconds, part = time_at(data, at + 11, stop, separator == 84, places)
        total = days * 86400 + seconds
        if long and seconds >= 0:
            minute[0], minute[1] = load_word(data, at), load_word(data, at + 8)
            minute[2] = np.uint64(total - seconds % 60)
    most = 9_223_372_036  # seconds that still fit in nanoseconds
    if seconds < 0 or (unit == 9 and (total >= most or total <= -most)):
        return 0, True
    return total * _TENS[unit] + part * _TENS[unit - places], False


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
    places: int,
    unit: int,
    out: np.ndarray,
    bad: np.ndarray,
) -> None:
    """Timestamps, as ``timestamp_of`` reads them."""
    minute = np.zeros(3, dtype=np.uint64)
    for row in range(start.size):
        if kind[row] > 1:
            out[row], bad[row] = timestamp_of(
                data, start[row], end[row], separator, zulu, places, unit, minute
            )


@helper
def read_cell(
    data: np.ndarray, at: int, stop: int, turn: int, reads: np.ndarray, minutes: np.ndarray
) -> tuple[int, bool]:
    """Reads a cell that isn't escaped, as ``reads[turn]`` says; True if it can't be read.

    That is a field, ``WHOLE`` or ``MOMENT``, and what ``integer_of`` or ``timestamp_of`` takes.
    """
    if reads[turn, 1] == WHOLE:
        return integer_of(data, at, stop, reads[turn, 2], reads[turn, 3])
    return timestamp_of(
        data, at, stop, reads[turn, 2], reads[turn, 3] > 0, reads[turn, 4], reads[turn, 5],
        minutes[turn],
    )  # fmt: skip


@helper
def read_known(
    data: np.ndarray,
    at: int,
    stop: int,
    what: int,
    count: int,
    whole: int,
    turn: int,
    reads: np.ndarray,
    minutes: np.ndarray,
) -> tuple[int, bool]:
    """As ``read_cell``, of a cell of any kind; if ``count``, ``short_number`` has read it."""
    if what == _NUMBER and count and reads[turn, 1] == WHOLE:
        return whole, whole < reads[turn, 2] or whole > reads[turn, 3]
    if what in (_TEXT, _NUMBER):
        return read_cell(data, at, stop, turn, reads, minutes)
    return 0, what > _ESCAPED


@helper
def read_cells(
    data: np.ndarray,
    row: int,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    reads: np.ndarray,
    values: np.ndarray,
    bad: np.ndarray,
    minutes: np.ndarray,
) -> None:
    """Reads cells of one row while they are at hand, but for those that are escaped."""
    for turn in range(reads.shape[0]):
        field = reads[turn, 0]
        at, stop, what = start[field, row], end[field, row], kind[field, row]
        value, odd = 0, False
        if what > 1 and what != _ESCAPED:
            value, odd = read_cell(data, at, stop, turn, reads, minutes)
        values[turn, row], bad[turn, row] = value, odd


@helper
def short_number(data: np.ndarray, at: int) -> tuple[int, int]:
    """How many digits write the number at ``at``, at most seven, and the number.

    0, 0: it is longer, no number at all, or something but a comma or a brace follows.
    """
    if at + 8 > data.size:
        return 0, 0
    word = load_word(data, at)
    count = first(not_digits(word) | _EIGHTH) >> 3
    after = data[at + count]
    if count == 0 or (after != 44 and after != 125) or (data[at] == 48 and count > 1):
        return 0, 0
    return count, eight(word << np.uint64(64 - 8 * count))
