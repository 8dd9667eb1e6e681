"""JSON values in their shortest form, with the keys of objects in order; text without escapes."""

from __future__ import annotations

import numpy as np
from numba import boolean, int8, int64, types, uint8

from sameriver.common.kernel import helper, kernel
from sameriver.functions.kernels.charsets import decoded, encoded
from sameriver.functions.kernels.json_path import (
    DECIMAL,
    DEPTH,
    ESCAPED,
    NESTED,
    ODD,
    TEXT,
    blank,
    scalar,
)
from sameriver.functions.kernels.octets import hex_value

_OCTETS = types.Array(uint8, 1, "C", readonly=True)
_PLACES = types.Array(int64, 1, "C", readonly=True)
_DIGITS = 38
"""A longer number of a VARIANT is no DECIMAL."""
_KEYS = 256
"""More are not put in order here."""


@helper
def _copied(data: np.ndarray, start: int, stop: int, out: np.ndarray, size: int) -> int:
    for at in range(start, stop):
        out[size + at - start] = data[at]
    return size + stop - start


@helper
def _unit(data: np.ndarray, at: int) -> int:
    """The number that four hexadecimal digits tell."""
    value = 0
    for place in range(at, at + 4):
        value = value * 16 + hex_value(int64(data[place]))
    return value


@helper
def _letter(data: np.ndarray, at: int, stop: int) -> tuple[int, int]:
    """The letter of an escape, whose mark is ``at``, and what follows; half a letter is ``?``."""
    sign = data[at]
    if sign != 117:
        code = int64(sign)
        if sign == 98 or sign == 102:
            code = 8 if sign == 98 else 12
        elif sign == 110 or sign == 114 or sign == 116:
            code = 10 if sign == 110 else 13 if sign == 114 else 9
        return code, at + 1
    code, at = _unit(data, at + 1), at + 5
    if code & 0xF800 != 0xD800:
        return code, at
    if code >= 0xDC00 or at + 6 > stop or data[at] != 92 or data[at + 1] != 117:
        return 63, at
    low = _unit(data, at + 2)
    if low & 0xFC00 != 0xDC00:
        return 63, at
    return 0x10000 + ((code & 0x3FF) << 10 | low & 0x3FF), at + 6


@helper
def _escape(code: int, out: np.ndarray, size: int) -> int:
    """Writes a letter as JSON text needs it."""
    if code >= 32 and code != 34 and code != 92:
        return encoded(code, out, size)
    out[size] = 92
    short = code >= 32 or 8 <= code <= 10 or 12 <= code <= 13
    if short:
        sign = 98 if code == 8 else 116 if code == 9 else 110 if code == 10 else code
        out[size + 1] = 102 if code == 12 else 114 if code == 13 else sign
        return size + 2
    out[size + 1], out[size + 2], out[size + 3], out[size + 4] = 117, 48, 48, 48 + (code >> 4)
    low = code & 15
    out[size + 5] = low + 48 if low < 10 else low + 87
    return size + 6


@helper
def _spelled(
    data: np.ndarray, start: int, stop: int, bare: bool, out: np.ndarray, size: int
) -> int:
    """Writes what stands between quotes, ``bare`` or with the escapes that it needs."""
    at = start
    while at < stop:
        if data[at] != 92:
            out[size] = data[at]
            at, size = at + 1, size + 1
            continue
        code, at = _letter(data, at + 1, stop)
        size = encoded(code, out, size) if bare else _escape(code, out, size)
    return size


@helper
def _scalar_text(
    data: np.ndarray, at: int, stop: int, kind: int, variant: bool, out: np.ndarray, size: int
) -> int:
    """Writes what is no array or object; -1 if odd."""
    if kind == ESCAPED:
        out[size] = 34
        size = _spelled(data, at + 1, stop - 1, False, out, size + 1)
        out[size] = 34
        return size + 1
    digits = data[at] == 45 or 48 <= data[at] <= 57
    if variant and digits and stop - at > _DIGITS:
        return -1
    if variant and kind == DECIMAL:
        while data[stop - 1] == 48:
            stop -= 1
        stop -= data[stop - 1] == 46
    return _copied(data, at, stop, out, size)


@helper
def _rank(octet: int) -> int:
    """Orders letters as UTF-16 does, where those beyond 16 bits come before the last ones."""
    return 8 * 0xED + 1 + octet - 0xF0 if octet >= 0xF0 else 8 * octet


@helper
def _compared(out: np.ndarray, one: int, one_end: int, two: int, two_end: int) -> int:
    """Below, at or above 0, as the first key comes before the second one, is it, or comes later."""
    while one < one_end and two < two_end and out[one] == out[two]:
        one, two = one + 1, two + 1
    if one == one_end or two == two_end:
        return (one_end - one) - (two_end - two)
    return _rank(int64(out[one])) - _rank(int64(out[two]))


@helper
def _ordered(
    out: np.ndarray, size: int, marks: np.ndarray, first: int, top: int, unique: bool,
    spare: np.ndarray,
) -> int:  # fmt: skip
    """Puts members ``first`` to ``top`` in the order of their keys; of equal ones the last stays.

    A row of ``marks`` tells where a member starts, where its key ends, and gets which member comes
    at its place. -1: they are too many, or two are equal and must not be (``unique``).
    """
    rising = True
    for at in range(first, top):
        place = at
        while place > first:
            before = marks[place - 1, 2]
            way = _compared(
                out, marks[before, 0], marks[before, 1], marks[at, 0], marks[at, 1]
            )  # fmt: skip
            rising = rising and way < 0
            if (way == 0 and unique) or (way >= 0 and top - first > _KEYS):
                return -1
            if way <= 0:
                break
            marks[place, 2] = before
            place -= 1
        marks[place, 2] = at
    if rising:
        return size
    start, held = marks[first, 0], 0
    for place in range(first, top):
        at = marks[place, 2]
        if place + 1 < top:
            after = marks[place + 1, 2]
            if not _compared(out, marks[at, 0], marks[at, 1], marks[after, 0], marks[after, 1]):
                continue
        held = _copied(
            out, marks[at, 0], marks[at + 1, 0] - 1 if at + 1 < top else size, spare, held
        )
        spare[held] = 44
        held += 1
    return _copied(spare, 0, held - 1, out, start)


@helper
def _key(
    data: np.ndarray, at: int, end: int, out: np.ndarray, size: int, marks: np.ndarray, top: int
) -> tuple[int, int]:
    """Writes the key of a member and its colon: where its value starts, and the size; -1 if odd."""
    if at >= end or data[at] != 34:
        return -1, size
    kind, stop = scalar(data, at, end)
    colon = blank(data, stop, end)
    if kind != TEXT or colon >= end or data[colon] != 58:
        return -1, size
    marks[top, 0], marks[top, 1] = size, size + stop - at - 1
    size = _copied(data, at, stop, out, size)
    out[size] = 58
    return blank(data, colon + 1, end), size + 1


@helper
def _written(
    data: np.ndarray, start: int, end: int, variant: bool, unique: bool, bases: np.ndarray,
    marks: np.ndarray, spare: np.ndarray, out: np.ndarray, size: int,
) -> int:  # fmt: skip
    """Writes a value; -1 if it is odd. ``bases`` tells by depth the first member, -1 in arrays."""
    at, depth, top = blank(data, start, end), 0, 0
    while at < end:
        opened = data[at] == 123 or data[at] == 91
        if opened:
            if depth == DEPTH:
                return -1
            bases[depth] = top if data[at] == 123 else -1
            size = _copied(data, at, at + 1, out, size)
            depth, at = depth + 1, blank(data, at + 1, end)
        else:
            kind, stop = scalar(data, at, end)
            if kind != ODD and kind <= ESCAPED:
                size = _scalar_text(data, at, stop, kind, variant, out, size)
            if kind == ODD or kind > ESCAPED or size < 0:
                return -1
            at = blank(data, stop, end)
        while depth > 0 and at < end and data[at] == (93 if bases[depth - 1] < 0 else 125):
            depth -= 1
            if bases[depth] >= 0:
                size = _ordered(out, size, marks, bases[depth], top, unique, spare)
                top = bases[depth]
            if size < 0:
                return -1
            size = _copied(data, at, at + 1, out, size)
            at, opened = blank(data, at + 1, end), False
        if depth == 0:
            return size if at == end or not variant else -1
        if at >= end or (not opened and data[at] != 44):
            return -1
        if not opened:
            size = _copied(data, at, at + 1, out, size)
            at = blank(data, at + 1, end)
        if bases[depth - 1] >= 0:
            at, size = _key(data, at, end, out, size, marks, top)
            top += 1
            if at < 0:
                return -1
    return -1


@kernel((_OCTETS, _PLACES, _PLACES, boolean, boolean, int64[:, ::1], uint8[::1], uint8[::1],
         int64[::1]))  # fmt: skip
def canonical(
    data: np.ndarray, starts: np.ndarray, ends: np.ndarray, variant: bool, unique: bool,
    marks: np.ndarray, spare: np.ndarray, out: np.ndarray, out_ends: np.ndarray,
) -> None:  # fmt: skip
    """The value that starts at each start, in its shortest form; -1 as the end of an odd one.

    Of a ``variant`` numbers lose the zeros behind them, and nothing else follows it. With
    ``unique`` equal keys are odd. ``marks`` and ``spare`` are room for the longest text: a row for
    each four octets and two more, and as many octets and one. What starts at -1 is left out.
    """
    bases = np.empty(DEPTH, np.int64)
    size = 0
    for row in range(len(starts)):
        after = -1
        if starts[row] >= 0:
            after = _written(
                data, starts[row], ends[row], variant, unique, bases, marks, spare, out, size
            )  # fmt: skip
        out_ends[row] = after
        size = max(size, after)


@kernel((_OCTETS, _PLACES, _PLACES, uint8[::1], int64[::1]))
def spelled_out(
    data: np.ndarray, starts: np.ndarray, stops: np.ndarray, out: np.ndarray, out_ends: np.ndarray
) -> None:
    """What stands between quotes, without escapes."""
    size = 0
    for row in range(len(starts)):
        size = _spelled(data, starts[row], stops[row], True, out, size)
        out_ends[row] = size


@helper
def _numbered(code: int, out: np.ndarray, size: int) -> int:
    """Writes a number as an escape, of four digits at least."""
    out[size], out[size + 1] = 92, 117
    digits = 4 if code < 0x10000 else 5 if code < 0x100000 else 6
    for place in range(digits):
        digit = code >> 4 * (digits - 1 - place) & 15
        out[size + 2 + place] = digit + 48 if digit < 10 else digit + 87
    return size + 2 + digits


@kernel((_OCTETS, _PLACES, uint8[::1], int64[::1]))
def quote(data: np.ndarray, ends: np.ndarray, out: np.ndarray, out_ends: np.ndarray) -> None:
    """Texts between quotes, with an escape for each slash and each letter beyond ASCII.

    Of a letter beyond 16 bits Flink writes the whole number, then the second half. Control
    characters that have no short escape stay.
    """
    at, size = 0, 0
    for row in range(len(ends)):
        out[size] = 34
        size += 1
        while at < ends[row]:
            code, at = decoded(data, at)
            if code >= 0x10000:
                size = _numbered(code, out, size)
                size = _numbered(0xDC00 | code & 0x3FF, out, size)
            elif code == 47:
                out[size], out[size + 1] = 92, 47
                size += 2
            elif code >= 0x80:
                size = _numbered(code, out, size)
            elif code >= 32 or 8 <= code <= 10 or 12 <= code <= 13:
                size = _escape(code, out, size)
            else:
                size = encoded(code, out, size)
        out[size] = 34
        size += 1
        out_ends[row] = size


@helper
def _behind(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """Kind of a value in its shortest form, and what follows it."""
    if data[at] != 123 and data[at] != 91:
        return scalar(data, at, end)
    depth = 0
    while True:
        if data[at] == 34:
            at = scalar(data, at, end)[1] - 1
        depth += (data[at] == 123 or data[at] == 91) - (data[at] == 125 or data[at] == 93)
        at += 1
        if depth == 0:
            return NESTED, at


@kernel((_OCTETS, _PLACES, boolean, int8[::1], int64[::1], int64[::1], int64[::1]))
def split(
    data: np.ndarray, ends: np.ndarray, keep: bool, kinds: np.ndarray, starts: np.ndarray,
    stops: np.ndarray, out_ends: np.ndarray,
) -> None:  # fmt: skip
    """Where the items of arrays in their shortest form end; their kinds and places if to ``keep``.

    What is no array has none.
    """
    start, size = 0, 0
    for row in range(len(ends)):
        at, end = start, ends[row]
        start = end
        if at < end and data[at] == 91 and data[at + 1] != 93:
            while data[at] != 93:
                kind, stop = _behind(data, at + 1, end)
                if keep:
                    kinds[size], starts[size], stops[size] = kind, at + 1, stop
                size += 1
                at = stop
        out_ends[row] = size
