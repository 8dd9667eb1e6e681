"""Finds the values of JSON texts without building them: a cell is a start, an end and a kind."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.connectors.formats.kernels.lanes import (
    LANES,
    below,
    equal,
    first,
    load_word,
)
from sameriver.connectors.formats.kernels.types import (
    BYTES,
    FLAG_TABLE,
    FLAGS,
    INDEX,
    INDEX_TABLE,
)

_ABSENT, _NULL, _TEXT, _ESCAPED, _NUMBER, _TRUE, _FALSE, _OBJECT, _ARRAY, _BROKEN = range(10)
_TOKEN = types.UniTuple(types.int64, 2)
_PLAIN = np.array([byte >= 32 and byte not in (34, 92) for byte in range(256)])
"""Which bytes say nothing within a string."""
_TURNS = 64
"""How many keys of an object are remembered."""
_DEPTH = 256
"""How many brackets may be open at once."""


@helper
def blank(data: np.ndarray, at: int, end: int) -> int:
    """Position of the first byte that is not white space."""
    while at < end and (data[at] == 32 or data[at] == 9 or data[at] == 10 or data[at] == 13):
        at += 1
    return at


@helper
def string(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """Past the string that opens at ``at``, and its kind; -1 if it is malformed."""
    kind = _TEXT
    at += 1
    while at < end:
        if at + LANES <= data.size:
            found = equal(data, at, 34) | equal(data, at, 92) | below(data, at, 32)
            if not found:
                at += LANES
                continue
            at += first(found)
            if at >= end:
                break
        byte = data[at]
        if _PLAIN[byte]:
            at += 1
            continue
        if byte == 34:
            return at + 1, kind
        if byte < 32:
            return -1, kind
        if byte == 92:
            kind = _ESCAPED
            at += 1
            if at >= end:
                return -1, kind
            byte = data[at]
            if byte == 117:
                if at + 4 >= end:
                    return -1, kind
                for k in range(at + 1, at + 5):
                    c = data[k] | 32
                    if not (48 <= data[k] <= 57 or 97 <= c <= 102):
                        return -1, kind
            elif not (
                byte == 34 or byte == 92 or byte == 47 or byte == 98 or byte == 102
                or byte == 110 or byte == 114 or byte == 116
            ):  # fmt: skip
                return -1, kind
        at += 1
    return -1, kind


@helper
def digits(data: np.ndarray, at: int, end: int) -> int:
    """Past the digits at ``at``; -1 if there are none."""
    begin = at
    while at < end and 48 <= data[at] <= 57:
        at += 1
    return at if at > begin else -1


@helper
def number(data: np.ndarray, at: int, end: int) -> int:
    """Past the number at ``at``; -1 if it is malformed."""
    if data[at] == 45:
        at += 1
    begin = at
    at = digits(data, at, end)
    if at < 0 or (data[begin] == 48 and at > begin + 1):
        return -1
    if at < end and data[at] == 46:
        at = digits(data, at + 1, end)
        if at < 0:
            return -1
    if at < end and (data[at] == 101 or data[at] == 69):
        at += 1
        if at < end and (data[at] == 43 or data[at] == 45):
            at += 1
        at = digits(data, at, end)
    return at


@helper
def nested(data: np.ndarray, at: int, end: int, stack: np.ndarray) -> int:
    """Past the object or array at ``at``, its brackets matched; -1 if they don't.

    ``stack`` has room for those that are open.
    """
    depth = 0
    while at < end:
        if at + LANES <= data.size:
            found = equal(data, at, 34) | equal(data, at, 123) | equal(data, at, 125)
            found |= equal(data, at, 91) | equal(data, at, 93)
            if not found:
                at += LANES
                continue
            at += first(found)
            if at >= end:
                break
        byte = data[at]
        if byte == 34:
            at, _ = string(data, at, end)
            if at < 0:
                return -1
            continue
        if byte == 123 or byte == 91:
            if depth == stack.size:
                return -1
            stack[depth] = byte
            depth += 1
        elif byte == 125 or byte == 93:
            depth -= 1
            if stack[depth] != byte - 2:
                return -1
            if depth == 0:
                return at + 1
        at += 1
    return -1


@helper
def value(data: np.ndarray, at: int, end: int, stack: np.ndarray) -> tuple[int, int]:
    """Past the value at ``at``, and its kind; -1 if it is malformed."""
    if at >= end:
        return -1, _ABSENT
    byte = data[at]
    if byte == 34:
        return string(data, at, end)
    if byte == 123:
        return nested(data, at, end, stack), _OBJECT
    if byte == 91:
        return nested(data, at, end, stack), _ARRAY
    if byte == 45 or 48 <= byte <= 57:
        return number(data, at, end), _NUMBER
    if at + 4 <= end and data[at + 1] == 114 and data[at + 2] == 117 and data[at + 3] == 101:
        return (at + 4 if byte == 116 else -1), _TRUE
    if at + 4 <= end and data[at + 1] == 117 and data[at + 2] == 108 and data[at + 3] == 108:
        return (at + 4 if byte == 110 else -1), _NULL
    if (
        at + 5 <= end and byte == 102 and data[at + 1] == 97 and data[at + 2] == 108
        and data[at + 3] == 115 and data[at + 4] == 101
    ):  # fmt: skip
        return at + 5, _FALSE
    return -1, _ABSENT


@helper
def alike(data: np.ndarray, one: int, other: int, size: int) -> bool:
    """Whether the same ``size`` bytes stand at two places."""
    k = 0
    while k + 8 <= size:
        if load_word(data, one + k) != load_word(data, other + k):
            return False
        k += 8
    while k < size:
        if data[one + k] != data[other + k]:
            return False
        k += 1
    return True


@helper
def find_name(
    data: np.ndarray,
    at: int,
    end: int,
    names: np.ndarray,
    bounds: np.ndarray,
    over: np.ndarray,
    low: int,
    high: int,
) -> int:
    """Which field from ``low`` up to ``high`` has the name ``data[at:end]``; -1: none."""
    field = low
    while field < high:
        place = bounds[field]
        if bounds[field + 1] - place == end - at:
            k = 0
            while k < end - at and names[place + k] == data[at + k]:
                k += 1
            if k == end - at:
                return field
        field = over[field]
    return -1


@helper
def find_key(
    data: np.ndarray,
    at: int,
    to: int,
    parent: int,
    turn: int,
    names: np.ndarray,
    bounds: np.ndarray,
    over: np.ndarray,
    seen: np.ndarray,
) -> tuple[int, int]:
    """Where the value of the key at ``at`` begins, -1 if that is malformed, and its field, or -1.

    ``seen`` holds of each key of an object before, in turn: where it stands, its size up to the
    value, its parent and its field. Objects are often alike: then nothing else is looked up.
    """
    known = turn < seen.shape[0]
    if known and seen[turn, 2] == parent:
        size = seen[turn, 1]
        if at + size < to and alike(data, seen[turn, 0], at, size):
            return at + size, seen[turn, 3]
    if at >= to or data[at] != 34:
        return -1, -1
    past, _ = string(data, at, to)
    if past < 0:
        return -1, -1
    low, high = (0, over.size) if parent < 0 else (parent + 1, over[parent])
    field = find_name(data, at + 1, past - 1, names, bounds, over, low, high)
    past = blank(data, past, to)
    if past >= to or data[past] != 58:
        return -1, -1
    past = blank(data, past + 1, to)
    if known:
        seen[turn, 0], seen[turn, 1], seen[turn, 2], seen[turn, 3] = at, past - at, parent, field
    return past, field


@helper
def put(
    field: int,
    row: int,
    what: int,
    at: int,
    past: int,
    over: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
) -> None:
    """Notes the value of a field. If there was one before, it and its fields are forgotten."""
    if kind[field, row] == _OBJECT:
        for inner in range(field + 1, over[field]):
            kind[inner, row] = _ABSENT
    quote = 1 if what in (_TEXT, _ESCAPED) else 0
    start[field, row], end[field, row], kind[field, row] = at + quote, past - quote, what


@helper
def scan_object(
    data: np.ndarray,
    at: int,
    to: int,
    row: int,
    names: np.ndarray,
    bounds: np.ndarray,
    over: np.ndarray,
    up: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    seen: np.ndarray,
    stack: np.ndarray,
) -> bool:
    """Finds the wanted fields of one object and of objects in it; False if it is malformed."""
    at = blank(data, at, to)
    if at >= to or data[at] != 123:
        return False
    parent, turn, opened = -1, 0, True
    at = blank(data, at + 1, to)
    while True:
        past = at
        if not (opened and at < to and data[at] == 125):
            at, field = find_key(data, at, to, parent, turn, names, bounds, over, seen)
            turn += 1
            if at >= 0 and field >= 0 and over[field] > field + 1 and at < to and data[at] == 123:
                put(field, row, _OBJECT, at, at, over, start, end, kind)
                parent, opened = field, True
                at = blank(data, at + 1, to)
                continue
            past = -1
            if at >= 0:
                past, what = value(data, at, to, stack)
            if past >= 0:
                if field >= 0:
                    put(field, row, what, at, past, over, start, end, kind)
                past = blank(data, past, to)
        while past < 0 or past >= to or data[past] != 44:
            # The object ends here, or is malformed.
            if past >= 0 and past < to and data[past] == 125:
                past += 1
            else:
                parent, past = blame(data, to, row, parent, over, up, start, kind, stack)
            if parent < 0:
                return past >= 0 and blank(data, past, to) == to
            end[parent, row] = past
            parent = up[parent]
            past = blank(data, past, to)
        at, opened = blank(data, past + 1, to), False


@helper
def blame(
    data: np.ndarray,
    to: int,
    row: int,
    parent: int,
    over: np.ndarray,
    up: np.ndarray,
    start: np.ndarray,
    kind: np.ndarray,
    stack: np.ndarray,
) -> tuple[int, int]:
    """The innermost object around a malformed one whose brackets match, and past it.

    It is broken, and none of its fields is known. -1, -1: there is none.
    """
    while parent >= 0:
        past = nested(data, start[parent, row], to, stack)
        if past >= 0:
            for inner in range(parent + 1, over[parent]):
                kind[inner, row] = _ABSENT
            kind[parent, row] = _BROKEN
            return parent, past
        parent = up[parent]
    return -1, -1


@kernel(
    types.void(
        BYTES,
        INDEX,
        INDEX,
        FLAGS,
        BYTES,
        INDEX,
        INDEX,
        INDEX,
        INDEX_TABLE,
        INDEX_TABLE,
        FLAG_TABLE,
        FLAGS,
    )
)
def scan_objects(
    data: np.ndarray,
    from_: np.ndarray,
    to: np.ndarray,
    what: np.ndarray,
    names: np.ndarray,
    bounds: np.ndarray,
    over: np.ndarray,
    up: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    bad: np.ndarray,
) -> None:
    """Finds the wanted fields of cells that are objects; others stay absent.

    Fields are numbered with those within them right after each: ``over`` is the number after
    these, ``up`` the field that they are in, or -1. ``names[bounds[i]:bounds[i + 1]]`` is the name
    of field i. ``bad[i]`` is set for an object that is malformed.
    """
    seen = np.full((_TURNS, 4), -2, dtype=np.int64)
    stack = np.empty(_DEPTH, dtype=np.uint8)
    for row in range(from_.size):
        if what[row] == _OBJECT and not scan_object(
            data, from_[row], to[row], row, names, bounds, over, up, start, end, kind, seen, stack
        ):
            bad[row] = 1


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
        quote = 1 if what in (_TEXT, _ESCAPED) else 0
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
    stack = np.empty(_DEPTH, dtype=np.uint8)
    wanted = _OBJECT if pairs else _ARRAY
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


@helper
def hexadecimal(data: np.ndarray, at: int) -> int:
    """The number that four hexadecimal digits write."""
    code = 0
    for k in range(at, at + 4):
        byte = data[k]
        code = code * 16 + (byte - 48 if byte <= 57 else (byte | 32) - 87)
    return code


@helper
def put_utf8(code: int, out: np.ndarray, used: int) -> int:
    """Writes one character; gives how many bytes are used then."""
    if code < 0x80:
        out[used] = code
        return used + 1
    if code < 0x800:
        out[used] = 0xC0 | (code >> 6)
        out[used + 1] = 0x80 | (code & 0x3F)
        return used + 2
    if code < 0x10000:
        out[used] = 0xE0 | (code >> 12)
        out[used + 1] = 0x80 | ((code >> 6) & 0x3F)
        out[used + 2] = 0x80 | (code & 0x3F)
        return used + 3
    out[used] = 0xF0 | (code >> 18)
    out[used + 1] = 0x80 | ((code >> 12) & 0x3F)
    out[used + 2] = 0x80 | ((code >> 6) & 0x3F)
    out[used + 3] = 0x80 | (code & 0x3F)
    return used + 4


@helper
def unescape_string(data: np.ndarray, at: int, end: int, out: np.ndarray, used: int) -> int:
    """Writes one string without its escapes; gives how many bytes are used then."""
    while at < end:
        byte = data[at]
        at += 1
        if byte != 92:
            out[used] = byte
            used += 1
            continue
        byte = data[at]
        at += 1
        if byte == 117:
            code = hexadecimal(data, at)
            at += 4
            if 0xD800 <= code < 0xDC00 and at + 6 <= end and data[at] == 92:
                low = hexadecimal(data, at + 2) if data[at + 1] == 117 else 0
                if 0xDC00 <= low < 0xE000:
                    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                    at += 6
            if 0xD800 <= code < 0xE000:
                code = 0xFFFD
            used = put_utf8(code, out, used)
            continue
        if byte == 110:
            byte = 10
        elif byte == 116:
            byte = 9
        elif byte == 114:
            byte = 13
        elif byte == 98:
            byte = 8
        elif byte == 102:
            byte = 12
        out[used] = byte
        used += 1
    return used


@kernel(types.int64(BYTES, INDEX, INDEX, FLAGS, FLAGS, INDEX, INDEX))
def unescape_strings(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    out: np.ndarray,
    new_start: np.ndarray,
    new_end: np.ndarray,
) -> int:
    """Writes every escaped string plainly, bounds into ``new_*`` past the end of ``data``."""
    used = 0
    for row in range(start.size):
        if kind[row] == _ESCAPED:
            new_start[row] = data.size + used
            used = unescape_string(data, start[row], end[row], out, used)
            new_end[row] = data.size + used
    return used
