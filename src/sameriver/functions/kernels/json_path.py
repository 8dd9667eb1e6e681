"""Walks along a path through JSON texts."""

from __future__ import annotations

import numpy as np
from numba import boolean, int8, int64, types, uint8

from sameriver.common.kernel import helper, kernel
from sameriver.functions.kernels.octets import hex_value

ODD, MISSING, NULL, TEXT, WHOLE, DECIMAL, TRUTH, NESTED, ESCAPED = range(9)
"""What is at the end of a path; ODD: to be looked at more closely, or no JSON at all.

ESCAPED is a text with escapes.
"""
_LOOSE = 9
"""A number that is printed otherwise than it is written."""
DEPTH = 64
"""Deeper texts are odd."""

_OCTETS = types.Array(uint8, 1, "C", readonly=True)
_ENDS = types.Array(int64, 1, "C", readonly=True)


@helper
def blank(data: np.ndarray, at: int, end: int) -> int:
    """Where blanks end."""
    while at < end and (data[at] == 32 or 9 <= data[at] <= 10 or data[at] == 13):
        at += 1
    return at


@helper
def _digits(data: np.ndarray, at: int, end: int) -> int:
    while at < end and 48 <= data[at] <= 57:
        at += 1
    return at


@helper
def _escape(data: np.ndarray, at: int, end: int) -> int:
    """Behind an escape, whose letter is ``at``; -1 if it is none."""
    if at >= end:
        return -1
    letter = data[at]
    if letter == 117:
        for place in range(at + 1, at + 5):
            if place >= end or hex_value(int64(data[place])) < 0:
                return -1
        return at + 5
    short = letter == 98 or letter == 102 or letter == 110 or letter == 114 or letter == 116
    return at + 1 if short or letter == 34 or letter == 92 or letter == 47 else -1


@helper
def _text(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """Kind of a text, and behind the quote that closes it."""
    kind = TEXT
    while at < end and data[at] != 34:
        if data[at] < 32:
            return ODD, at
        if data[at] == 92:
            kind, at = ESCAPED, _escape(data, at + 1, end)
            if at < 0:
                return ODD, at
        else:
            at += 1
    return (kind, at + 1) if at < end else (ODD, at)


@helper
def _number(data: np.ndarray, start: int, end: int) -> tuple[int, int]:
    """Kind and end of a number."""
    at = start + 1 if data[start] == 45 else start
    whole = _digits(data, at, end)
    if whole == at or (data[at] == 48 and whole > at + 1):
        return ODD, whole
    stop, kind = whole, WHOLE
    if whole < end and data[whole] == 46:
        stop, kind = _digits(data, whole + 1, end), DECIMAL
        if stop == whole + 1:
            return ODD, stop
    zeros = at
    while zeros < stop and (data[zeros] == 48 or data[zeros] == 46):
        zeros += 1
    tiny = kind == DECIMAL and data[at] == 48 and (zeros == stop or zeros > whole + 5)
    negative = at > start and zeros == stop
    if stop < end and (data[stop] == 69 or data[stop] == 101):
        signed = stop + 1 < end and (data[stop + 1] == 43 or data[stop + 1] == 45)
        power = stop + 2 if signed else stop + 1
        stop = _digits(data, power, end)
        return (_LOOSE if stop > power else ODD), stop
    return (_LOOSE if tiny or negative else kind), stop


@helper
def _word(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """Kind and end of ``true``, ``false`` or ``null``."""
    if at + 4 <= end and data[at + 1] == 114 and data[at + 2] == 117 and data[at + 3] == 101:
        return (TRUTH if data[at] == 116 else ODD), at + 4
    if at + 4 <= end and data[at + 1] == 117 and data[at + 2] == 108 and data[at + 3] == 108:
        return (NULL if data[at] == 110 else ODD), at + 4
    if at + 5 <= end and data[at] == 102 and data[at + 1] == 97 and data[at + 2] == 108:
        return (TRUTH if data[at + 3] == 115 and data[at + 4] == 101 else ODD), at + 5
    return ODD, at


@helper
def scalar(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """Kind and end of what is no array or object."""
    if data[at] == 34:
        return _text(data, at + 1, end)
    if data[at] == 45 or 48 <= data[at] <= 57:
        return _number(data, at, end)
    return _word(data, at, end)


@helper
def _is_key(
    data: np.ndarray, start: int, stop: int, keys: np.ndarray, first: int, last: int
) -> bool:
    size = last - first
    if stop - start != size:
        return False
    same = 0
    while same < size and data[start + same] == keys[first + same]:
        same += 1
    return same == size


@helper
def _close(
    data: np.ndarray, at: int, end: int, counts: np.ndarray, depth: int, empty: bool
) -> tuple[int, int]:
    """Behind a value: where the next member starts, and the depth left; (-1, 0) if odd.

    ``empty`` tells that the last array or object was opened and has no members.
    """
    while depth > 0:
        if at >= end:
            return -1, 0
        if data[at] == (125 if counts[depth - 1] < 0 else 93):
            depth -= 1
        elif data[at] == 44 and not empty:
            return blank(data, at + 1, end), depth
        else:
            return -1, 0
        at, empty = blank(data, at + 1, end), False
    return at, 0


@helper
def _enter(
    data: np.ndarray, at: int, end: int, depth: int, keys: np.ndarray, key_ends: np.ndarray,
    places: np.ndarray, along: np.ndarray, counts: np.ndarray,
) -> int:  # fmt: skip
    """Where the value of a member starts, -1 if odd; tells whether it is on the path."""
    step = depth - 1
    inside = along[step] and step < len(places)
    if counts[step] >= 0:
        along[depth] = inside and places[step] == counts[step]
        counts[step] += 1
        return at
    if at >= end or data[at] != 34:
        return -1
    kind, stop = _text(data, at + 1, end)
    asked = inside and places[step] < 0
    if kind == ODD or (asked and kind == ESCAPED):
        return -1
    along[depth] = False
    if asked:
        first = key_ends[step - 1] if step > 0 else 0
        along[depth] = _is_key(data, at + 1, stop - 1, keys, first, key_ends[step])
    at = blank(data, stop, end)
    return blank(data, at + 1, end) if at < end and data[at] == 58 else -1


@helper
def _walk(
    data: np.ndarray, start: int, end: int, keys: np.ndarray, key_ends: np.ndarray,
    places: np.ndarray, along: np.ndarray, counts: np.ndarray, found: np.ndarray,
) -> int:  # fmt: skip
    """Kind of what the path leads to; ``found`` gets where it is. Of equal keys the last counts.

    ``along`` tells by depth whether the value there is on the path, ``counts`` how many members
    of an array were seen, -1 for an object.
    """
    kind, depth, at = MISSING, 0, blank(data, start, end)
    along[0] = True
    while at < end:
        aim = along[depth] and depth == len(places)
        if data[at] == 123 or data[at] == 91:
            if aim:
                kind, found[0] = NESTED, at
            counts[depth] = -1 if data[at] == 123 else 0
            depth += 1
            at = blank(data, at + 1, end)
            if depth == DEPTH or at >= end:
                return ODD
            if data[at] == (125 if counts[depth - 1] < 0 else 93):
                at, depth = _close(data, at, end, counts, depth, True)
        else:
            here, stop = scalar(data, at, end)
            if here == ODD or (aim and here == _LOOSE):
                return ODD
            if aim:
                kind, found[0], found[1] = here, at, stop
            at, depth = _close(data, blank(data, stop, end), end, counts, depth, False)
        if depth == 0:
            return kind if at == end else ODD
        at = _enter(data, at, end, depth, keys, key_ends, places, along, counts)
        if at < 0:
            return ODD
        if along[depth]:
            kind = MISSING
    return ODD


@kernel((_OCTETS, _ENDS, _OCTETS, _ENDS, _ENDS, boolean[::1], int64[::1], int8[::1], int64[::1],
         int64[::1]))  # fmt: skip
def walk(
    data: np.ndarray,
    ends: np.ndarray,
    keys: np.ndarray,
    key_ends: np.ndarray,
    places: np.ndarray,
    along: np.ndarray,
    counts: np.ndarray,
    kinds: np.ndarray,
    starts: np.ndarray,
    stops: np.ndarray,
) -> None:
    """Kind, start and end of what a path leads to in each text; no end of what is nested.

    Step n of the path is a place in an array, or, where ``places[n]`` is -1, the key whose octets
    end at ``key_ends[n]``. ``along`` and ``counts`` are room for ``DEPTH`` levels.
    """
    found = np.zeros(2, np.int64)
    start = 0
    for row in range(len(ends)):
        found[:] = start
        kinds[row] = _walk(
            data, start, ends[row], keys, key_ends, places, along, counts, found
        )  # fmt: skip
        starts[row], stops[row] = found[0], found[1]
        start = ends[row]
