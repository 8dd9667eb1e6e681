"""Finds where values of JSON end, and what they are."""

from __future__ import annotations

import numpy as np

from sameriver.common.kernel import helper
from sameriver.common.kernels.lanes import (
    LANES,
    below,
    brackets,
    equal,
    first,
    load_word,
    not_digits,
    special,
)

ABSENT, NULL, TEXT, ESCAPED, NUMBER, TRUE, FALSE, OBJECT, ARRAY, BROKEN = range(10)
"""What stands in a cell."""
_PLAIN = np.array([byte >= 32 and byte not in (34, 92) for byte in range(256)])
"""Which bytes say nothing within a string."""
DEPTH = 256
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
    kind = TEXT
    at += 1
    while at < end:
        if at + LANES <= data.size:
            found = special(data, at)
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
            kind = ESCAPED
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
    while at + 8 <= end:
        odd = not_digits(load_word(data, at))
        if odd:
            at += first(odd) >> 3
            return at if at > begin else -1
        at += 8
    while at < end and 48 <= data[at] <= 57:
        at += 1
    return at if at > begin else -1


@helper
def number(data: np.ndarray, at: int, end: int) -> int:
    """Past the number at ``at``; -1 if it is malformed."""
    if at < end and data[at] == 45:
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

    It is all in one line. ``stack`` has room for brackets that are open.
    """
    depth, inside = 0, np.uint64(0)
    while at < end:
        upto = min(at + LANES, end)
        if at + LANES <= data.size and not below(data, at, 32) | equal(data, at, 92):
            quoted = odd_so_far(equal(data, at, 34)) ^ inside
            found = (brackets(data, at) & ~quoted) << np.uint64(64 - upto + at)
            found >>= np.uint64(64 - upto + at)
            while found:
                depth, past = bracket(data, at + first(found), depth, stack)
                if depth <= 0:
                    return past
                found &= found - np.uint64(1)
            inside = np.uint64(0) - (quoted >> np.uint64(LANES - 1) & np.uint64(1))
            at = upto
            continue
        # White space, escapes or the end are near.
        if inside:
            at, _ = string(data, at - 1, end)
            inside = np.uint64(0)
        while 0 <= at < upto:
            byte = data[at]
            if byte == 34:
                at, _ = string(data, at, end)
            elif byte == 10:
                return -1
            elif byte | 32 == 123 or byte | 32 == 125:
                depth, at = bracket(data, at, depth, stack)
                if depth <= 0:
                    return at
            else:
                at += 1
        if at < 0:
            return -1
    return -1


@helper
def odd_so_far(found: np.uint64) -> np.uint64:
    """Where the number of bits up to there, it included, is odd."""
    found ^= found << np.uint64(1)
    found ^= found << np.uint64(2)
    found ^= found << np.uint64(4)
    found ^= found << np.uint64(8)
    found ^= found << np.uint64(16)
    return np.uint64(found)


@helper
def bracket(data: np.ndarray, at: int, depth: int, stack: np.ndarray) -> tuple[int, int]:
    """How many brackets are open after the one at ``at``, and past it; 0, -1: it doesn't fit."""
    byte = data[at]
    if byte == 123 or byte == 91:
        if depth == stack.size:
            return 0, -1
        stack[depth] = byte
        return depth + 1, at + 1
    if depth == 0 or stack[depth - 1] != byte - 2:
        return 0, -1
    return depth - 1, at + 1


@helper
def value(data: np.ndarray, at: int, end: int, stack: np.ndarray) -> tuple[int, int]:
    """Past the value at ``at``, and its kind; -1 if it is malformed."""
    if at >= end:
        return -1, ABSENT
    byte = data[at]
    if byte == 34:
        return string(data, at, end)
    if byte == 123:
        return nested(data, at, end, stack), OBJECT
    if byte == 91:
        return nested(data, at, end, stack), ARRAY
    if byte == 45 or 48 <= byte <= 57:
        return number(data, at, end), NUMBER
    if at + 4 <= end and data[at + 1] == 114 and data[at + 2] == 117 and data[at + 3] == 101:
        return (at + 4 if byte == 116 else -1), TRUE
    if at + 4 <= end and data[at + 1] == 117 and data[at + 2] == 108 and data[at + 3] == 108:
        return (at + 4 if byte == 110 else -1), NULL
    if (
        at + 5 <= end and byte == 102 and data[at + 1] == 97 and data[at + 2] == 108
        and data[at + 3] == 115 and data[at + 4] == 101
    ):  # fmt: skip
        return at + 5, FALSE
    return -1, ABSENT
