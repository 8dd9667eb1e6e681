"""Running accumulators: one row of words a slot, changed by a small program of steps.

A step is (operation, first word, column, column of signs, second column). Words of a step by
operation:

- COUNT: count
- SUM: sum, count;           values are integers that wrap
- FLOATS: sum, count;        values are the bits of floats
- DECIMALS: low, high, count; values are digits, of one column, or of two where there is a second.
  A sum that has overflowed goes on with the next value, as Flink's does
- MEAN: the same, but what has overflowed stays so
- MOMENTS: sum, squares, count; values are the bits of floats
- LEAST, GREATEST, FIRST, LAST, SET: value, present

Signs are +1, -1 or 0 (the row passes by); sign column -1 stands for +1 everywhere.
"""

from __future__ import annotations

import numpy as np
from numba import int64, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.types import (
    FLOATS,
    READ_FLOATS,
    READ_INTS,
    READ_SIGNS,
    READ_TABLE,
    TABLE,
)

COUNT, SUM, FLOATS_SUM, DECIMALS, MOMENTS, LEAST, GREATEST, FIRST, LAST, SET, MEAN = range(11)
WIDTHS = (1, 2, 2, 3, 3, 2, 2, 2, 2, 2, 3)
"""Words of each operation."""
OVERFLOW = 2**63 - 1
"""High word of a sum that overflowed: more than any DECIMAL(38, s) holds."""
_BEYOND_HIGH, _BEYOND_LOW = 10**38 >> 64, np.uint64(10**38 % 2**64)
"""The least number of 39 digits."""
_BELOW_HIGH, _BELOW_LOW = -(10**38) >> 64, np.uint64(-(10**38) % 2**64)
"""The same below zero."""
BLOCK = 512
"""Rows that go through a program together, while their words are in the cache."""


@helper
def _has_39_digits(low: int, high: int) -> bool:
    rest = np.uint64(low)
    if high >= 0:
        return high > _BEYOND_HIGH or (high == _BEYOND_HIGH and bool(rest >= _BEYOND_LOW))
    return high < _BELOW_HIGH or (high == _BELOW_HIGH and bool(rest <= _BELOW_LOW))


@helper
def _add_wide(words: np.ndarray, slot: int, at: int, operation: int, low: int, high: int) -> None:
    """Adds 128 bits to the words ``at`` and ``at + 1``; a sum of 39 digits is out of range."""
    before = words[slot, at + 1]
    if before == OVERFLOW or before == -OVERFLOW:
        if operation == DECIMALS:
            words[slot, at] = low
            words[slot, at + 1] = high
        return
    total = words[slot, at] + low
    carry = np.uint64(total) < np.uint64(low)
    after = before + high + (1 if carry else 0)
    wrapped = (before >= 0) == (high >= 0) and (before >= 0) != (after >= 0)
    if wrapped or _has_39_digits(total, after):
        after = OVERFLOW if high >= 0 else -OVERFLOW
    words[slot, at] = total
    words[slot, at + 1] = after


@helper
def _add_signed(
    words: np.ndarray, slot: int, at: int, operation: int, low: int, high: int, sign: int
) -> None:
    """Adds 128 bits, or takes them away."""
    if sign < 0:
        high = ~high + (1 if low == 0 else 0)
        low = -low
    _add_wide(words, slot, at, operation, low, high)


@helper
def _offer(words: np.ndarray, slot: int, at: int, operation: int, value: int, sign: int) -> None:
    """Takes a value that is better than the slot's."""
    better = words[slot, at + 1] == 0 or operation >= LAST
    if operation == LEAST:
        better = better or value < words[slot, at]
    elif operation == GREATEST:
        better = better or value > words[slot, at]
    if better:
        words[slot, at] = value
        words[slot, at + 1] = 1 if sign > 0 else 0


@helper
def _alike(slots: np.ndarray, start: int, stop: int) -> bool:
    """Whether all rows have the same slot, as without keys: words need not be written each time."""
    i = start + 1
    while i < stop and slots[i] == slots[start]:
        i += 1
    return i >= stop


@helper
def _count(
    words: np.ndarray,
    slots: np.ndarray,
    start: int,
    stop: int,
    at: int,
    signs: np.ndarray,
    signed: int,
    alike: bool,
) -> None:
    if alike:
        total = int64(stop - start)
        if signed >= 0:
            total = int64(0)
            for i in range(start, stop):
                total += int64(signs[signed, i])
        words[slots[start], at] += total
        return
    for i in range(start, stop):
        words[slots[i], at] += int64(signs[signed, i]) if signed >= 0 else int64(1)


@helper
def _sum(
    words: np.ndarray,
    slots: np.ndarray,
    start: int,
    stop: int,
    at: int,
    columns: np.ndarray,
    column: int,
    alike: bool,
) -> None:
    if alike:
        total = int64(0)
        for i in range(start, stop):
            total += columns[column, i]
        words[slots[start], at] += total
        words[slots[start], at + 1] += stop - start
        return
    for i in range(start, stop):
        words[slots[i], at] += columns[column, i]
        words[slots[i], at + 1] += 1


@helper
def fold_rows(
    words: np.ndarray,
    floats: np.ndarray,
    slots: np.ndarray,
    start: int,
    stop: int,
    program: np.ndarray,
    columns: np.ndarray,
    column_floats: np.ndarray,
    signs: np.ndarray,
) -> None:
    """Folds rows from ``start`` to ``stop``, in order, step by step."""
    alike = _alike(slots, start, stop)
    for step in range(program.shape[0]):
        operation, at, column = program[step, 0], program[step, 1], program[step, 2]
        signed, second = program[step, 3], program[step, 4]
        # Loops of their own for what is asked for most: they decide nothing row by row.
        if operation == COUNT:
            _count(words, slots, start, stop, at, signs, signed, alike)
            continue
        if operation == SUM and signed < 0:
            _sum(words, slots, start, stop, at, columns, column, alike)
            continue
        if operation == LEAST and signed < 0:
            for i in range(start, stop):
                _offer(words, slots[i], at, LEAST, columns[column, i], int64(1))
            continue
        if operation == GREATEST and signed < 0:
            for i in range(start, stop):
                _offer(words, slots[i], at, GREATEST, columns[column, i], int64(1))
            continue
        for i in range(start, stop):
            slot = slots[i]
            sign = int64(signs[signed, i]) if signed >= 0 else int64(1)
            if sign == 0:
                continue
            if operation == SUM:
                words[slot, at] += sign * columns[column, i]
                words[slot, at + 1] += sign
            elif operation == FLOATS_SUM:
                floats[slot, at] += sign * column_floats[column, i]
                words[slot, at + 1] += sign
                if words[slot, at + 1] == 0:
                    words[slot, at] = 0
            elif operation in (DECIMALS, MEAN):
                low = columns[column, i]
                high = columns[second, i] if second >= 0 else low >> 63
                _add_signed(words, slot, at, operation, low, high, sign)
                words[slot, at + 2] += sign
            elif operation == MOMENTS:
                value = column_floats[column, i]
                floats[slot, at] += sign * value
                floats[slot, at + 1] += sign * value * value
                words[slot, at + 2] += sign
                if words[slot, at + 2] == 0:
                    words[slot, at] = 0
                    words[slot, at + 1] = 0
            else:
                _offer(words, slot, at, operation, columns[column, i], sign)


@kernel(
    void(
        TABLE, FLOATS, READ_INTS, READ_TABLE, READ_TABLE, READ_FLOATS, READ_SIGNS,
    )
)  # fmt: skip
def fold(
    words: np.ndarray,
    floats: np.ndarray,
    slots: np.ndarray,
    program: np.ndarray,
    columns: np.ndarray,
    column_floats: np.ndarray,
    signs: np.ndarray,
) -> None:
    """Folds rows in order.

    ``floats`` and ``column_floats`` are the memory of ``words`` and ``columns``, seen as floats.
    """
    for start in range(0, slots.shape[0], BLOCK):
        stop = min(start + BLOCK, slots.shape[0])
        fold_rows(words, floats, slots, start, stop, program, columns, column_floats, signs)


@kernel(void(TABLE, FLOATS, READ_INTS, READ_TABLE, READ_TABLE, READ_FLOATS))
def merge(
    words: np.ndarray,
    floats: np.ndarray,
    into: np.ndarray,
    program: np.ndarray,
    others: np.ndarray,
    other_floats: np.ndarray,
) -> None:
    """Adds column i of ``others`` (a row a word) to the words of slot ``into[i]``, in order."""
    for i in range(into.shape[0]):
        slot = into[i]
        for step in range(program.shape[0]):
            operation, at = program[step, 0], program[step, 1]
            if operation == COUNT:
                words[slot, at] += others[at, i]
            elif operation == SUM:
                words[slot, at] += others[at, i]
                words[slot, at + 1] += others[at + 1, i]
            elif operation == FLOATS_SUM:
                floats[slot, at] += other_floats[at, i]
                words[slot, at + 1] += others[at + 1, i]
            elif operation in (DECIMALS, MEAN):
                high = others[at + 1, i]
                if operation == MEAN or (high != OVERFLOW and high != -OVERFLOW):
                    _add_wide(words, slot, at, operation, others[at, i], high)
                words[slot, at + 2] += others[at + 2, i]
            elif operation == MOMENTS:
                floats[slot, at] += other_floats[at, i]
                floats[slot, at + 1] += other_floats[at + 1, i]
                words[slot, at + 2] += others[at + 2, i]
            elif others[at + 1, i] != 0:
                _offer(words, slot, at, operation, others[at, i], 1)
