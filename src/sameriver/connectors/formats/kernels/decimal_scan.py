"""Reads decimals from cells, exactly."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.connectors.formats.kernels.types import BYTES, FLAGS, INDEX
from sameriver.connectors.formats.kernels.value_scan import unsigned

READ, BAD, OVERFLOW, LONG = range(4)
_MOST = 10**18
_TRIPLE = types.UniTuple(types.int64, 3)


@helper
def exponent_at(data: np.ndarray, at: int, stop: int) -> tuple[int, int, int]:
    """The exponent that fills ``at`` (past the E) to ``stop``: how it was read, and its value."""
    negative = at < stop and data[at] == 45
    if at < stop and (data[at] == 45 or data[at] == 43):
        at += 1
    if at == stop:
        return BAD, 0, 0
    value = np.int64(0)
    for k in range(at, stop):
        digit = np.int64(data[k]) - 48
        if digit < 0 or digit > 9:
            return BAD, 0, 0
        value = value * 10 + digit if value < 10_000 else value
    return READ, int(-value if negative else value), 0


@helper
def decimal_at(data: np.ndarray, at: int, stop: int) -> tuple[int, int, int]:
    """How the number that fills ``at`` to ``stop`` was read, its digits, its power of ten."""
    digits, fraction, seen, pointed = np.int64(0), 0, False, False
    while at < stop:
        byte = np.int64(data[at])
        if byte == 46 and not pointed:
            pointed = True
        elif 48 <= byte <= 57:
            if digits >= _MOST // 10:
                return LONG, 0, 0
            digits = digits * 10 + (byte - 48)
            seen = True
            fraction += 1 if pointed else 0
        elif (byte | 32) == 101 and seen:
            how, power, _ = exponent_at(data, at + 1, stop)
            return how, int(digits), power - fraction
        else:
            return BAD, 0, 0
        at += 1
    return READ if seen else BAD, int(digits), -fraction


@helper
def scaled(digits: int, power: int, precision: int) -> tuple[int, int, int]:
    """``digits * 10**power`` as a whole number, halves away from zero."""
    while power > 0 and 0 < digits < _MOST // 10:
        digits *= 10
        power -= 1
    if power > 0 and digits > 0:
        digits = _MOST  # or more: too many for any precision that is read here
    if power < 0:
        if power < -18:
            return READ, 0, 0
        unit = 1
        for _ in range(-power):
            unit *= 10
        rest = digits % unit
        digits = digits // unit + (1 if rest >= unit - rest else 0)
    limit = 1
    for _ in range(min(precision, 18)):
        limit *= 10
    if digits >= limit:
        return (OVERFLOW if precision <= 18 else LONG), 0, 0
    return READ, digits, 0


@kernel(types.void(BYTES, INDEX, INDEX, FLAGS, types.int64, types.int64, INDEX, FLAGS))
def parse_decimals(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    precision: int,
    scale: int,
    out: np.ndarray,
    how: np.ndarray,
) -> None:
    """Units of ``10**-scale``; ``how`` tells what is no number, what overflows, what is LONG."""
    for row in range(start.size):
        if kind[row] <= 1:
            continue
        at, stop, negative = unsigned(data, start[row], end[row])
        found, digits, power = decimal_at(data, at, stop)
        if found == READ:
            found, digits, _ = scaled(digits, power + scale, precision)
        how[row] = found
        out[row] = -digits if negative else digits
