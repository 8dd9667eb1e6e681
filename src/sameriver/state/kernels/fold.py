"""Running accumulators: one row of words a slot, changed by a small program of steps.

A step is (operation, first word, column, column of signs). Words of a step by operation:

- COUNT: count
- SUM: sum, count;           values are integers that wrap
- FLOATS: sum, count;        values are the bits of floats
- DECIMALS: low, high, count; values are digits, of one column, or of two where ``second`` is set
- MOMENTS: sum, squares, count; values are the bits of floats
- LEAST, GREATEST, FIRST, LAST, SET: value, present

Signs are +1, -1 or 0 (the row passes by); sign column -1 stands for +1 everywhere.
"""

from __future__ import annotations

import numpy as np
from numba import int64, void

from sameriver.common.kernel import helper, kernel
from sameriver.state.kernels.prefetch import AHEAD, prefetch
from sameriver.state.kernels.types import (
    FLOATS,
    INTS,
    READ_FLOATS,
    READ_INTS,
    READ_SIGN,
    READ_SIGNS,
    READ_TABLE,
    TABLE,
)

COUNT, SUM, FLOATS_SUM, DECIMALS, MOMENTS, LEAST, GREATEST, FIRST, LAST, SET = range(10)
WIDTHS = (1, 2, 2, 3, 3, 2, 2, 2, 2, 2)
"""Words of each operation."""
_NUMBER = 0xFFFFFFFF
OVERFLOW = 2**63 - 1
"""High word of a sum that overflowed: more than any DECIMAL(38, s) holds."""


@helper
def _add_wide(words: np.ndarray, slot: int, at: int, low: int, high: int) -> None:
    """Adds 128 bits to the words ``at`` and ``at + 1``; what overflows stays out of range."""
    before = words[slot, at + 1]
    if before == OVERFLOW or before == -OVERFLOW:
        return
    total = words[slot, at] + low
    carry = np.uint64(total) < np.uint64(low)
    after = before + high + (1 if carry else 0)
    if (before >= 0) == (high >= 0) and (before >= 0) != (after >= 0):
        after = OVERFLOW if high >= 0 else -OVERFLOW
    words[slot, at] = total
    words[slot, at + 1] = after


@kernel(
    void(
        TABLE,
        FLOATS,
        READ_INTS,
        int64,
        int64,
        READ_TABLE,
        READ_TABLE,
        READ_FLOATS,
        READ_SIGNS,
        TABLE,
        int64,
    )
)
def fold(
    words: np.ndarray,
    floats: np.ndarray,
    slots: np.ndarray,
    start: int,
    stop: int,
    program: np.ndarray,
    columns: np.ndarray,
    column_floats: np.ndarray,
    signs: np.ndarray,
    trace: np.ndarray,
    numbered: int,
) -> None:
    """Folds rows from ``start`` to ``stop`` in order.

    ``floats`` and ``column_floats`` are the memory of ``words`` and ``columns``, seen as floats.

    ``trace``, unless empty, gets the words of the row's slot after each row: at the row, or, where
    ``numbered``, at the number that ``touch`` gave the slot, so that its last words stay.
    """
    traced = trace.shape[0] > 0
    for i in range(start, stop):
        slot = slots[i]
        for step in range(program.shape[0]):
            operation, at, column = program[step, 0], program[step, 1], program[step, 2]
            sign = int64(1)
            if program[step, 3] >= 0:
                sign = int64(signs[program[step, 3], i])
                if sign == 0:
                    continue
            if operation == COUNT:
                words[slot, at] += sign
            elif operation == SUM:
                words[slot, at] += sign * columns[column, i]
                words[slot, at + 1] += sign
            elif operation == FLOATS_SUM:
                words[slot, at + 1] += sign
                floats[slot, at] += sign * column_floats[column, i]
                if words[slot, at + 1] == 0:
                    words[slot, at] = 0
            elif operation == DECIMALS:
                low = columns[column, i]
                second = program[step, 4]
                high = columns[second, i] if second >= 0 else low >> 63
                if sign < 0:
                    high = ~high + (1 if low == 0 else 0)
                    low = -low
                _add_wide(words, slot, at, low, high)
                words[slot, at + 2] += sign
            elif operation == MOMENTS:
                value = column_floats[column, i]
                words[slot, at + 2] += sign
                floats[slot, at] += sign * value
                floats[slot, at + 1] += sign * value * value
                if words[slot, at + 2] == 0:
                    words[slot, at] = 0
                    words[slot, at + 1] = 0
            elif operation == LEAST:
                if words[slot, at + 1] == 0 or columns[column, i] < words[slot, at]:
                    words[slot, at] = columns[column, i]
                    words[slot, at + 1] = 1
            elif operation == GREATEST:
                if words[slot, at + 1] == 0 or columns[column, i] > words[slot, at]:
                    words[slot, at] = columns[column, i]
                    words[slot, at + 1] = 1
            elif operation == FIRST:
                if words[slot, at + 1] == 0:
                    words[slot, at] = columns[column, i]
                    words[slot, at + 1] = 1
            else:
                words[slot, at] = columns[column, i]
                words[slot, at + 1] = 1 if sign > 0 else 0
        if traced:
            place = words[slot, 0] & _NUMBER if numbered else i
            for word in range(trace.shape[1]):
                trace[place, word] = words[slot, word]


@kernel(void(TABLE, FLOATS, READ_INTS, READ_TABLE, READ_TABLE, READ_FLOATS))
def merge(
    words: np.ndarray,
    floats: np.ndarray,
    into: np.ndarray,
    program: np.ndarray,
    others: np.ndarray,
    other_floats: np.ndarray,
) -> None:
    """Adds row i of ``others`` to the words of slot ``into[i]``, in order."""
    for i in range(into.shape[0]):
        slot = into[i]
        for step in range(program.shape[0]):
            operation, at = program[step, 0], program[step, 1]
            if operation == COUNT:
                words[slot, at] += others[i, at]
            elif operation == SUM:
                words[slot, at] += others[i, at]
                words[slot, at + 1] += others[i, at + 1]
            elif operation == FLOATS_SUM:
                floats[slot, at] += other_floats[i, at]
                words[slot, at + 1] += others[i, at + 1]
            elif operation == DECIMALS:
                _add_wide(words, slot, at, others[i, at], others[i, at + 1])
                words[slot, at + 2] += others[i, at + 2]
            elif operation == MOMENTS:
                floats[slot, at] += other_floats[i, at]
                floats[slot, at + 1] += other_floats[i, at + 1]
                words[slot, at + 2] += others[i, at + 2]
            elif others[i, at + 1] != 0:
                better = words[slot, at + 1] == 0 or operation >= LAST
                if operation == LEAST:
                    better = better or others[i, at] < words[slot, at]
                elif operation == GREATEST:
                    better = better or others[i, at] > words[slot, at]
                if better:
                    words[slot, at] = others[i, at]
                    words[slot, at + 1] = 1


@kernel(int64(TABLE, READ_INTS, int64, int64, int64, int64, int64, int64, INTS, INTS, INTS, TABLE))
def touch(
    words: np.ndarray,
    slots: np.ndarray,
    start: int,
    stop: int,
    stamp: int,
    access: int,
    now: int,
    count: int,
    touched: np.ndarray,
    rows: np.ndarray,
    fresh: np.ndarray,
    before: np.ndarray,
) -> int:
    """The distinct slots of the rows from ``start`` to ``stop`` in order of appearance.

    ``count`` is how many slots of the batch were touched before; gives how many are after.

    Word 0 of a slot is 0 until it is first touched; after that ``stamp`` and the slot's number in
    the batch. For each: the row where it appears, whether it is fresh (1) or known (0), its
    words as they were. The outputs have room for one more. Word ``access`` (-1: none) becomes
    ``now``.
    """
    for i in range(start, stop):
        if i + AHEAD < slots.shape[0]:
            prefetch(words, slots[i + AHEAD])
        slot = slots[i]
        mark = words[slot, 0]
        new = int64(mark >> 32 != stamp)
        touched[count] = slot
        rows[count] = i
        fresh[count] = int64(mark == 0)
        for word in range(before.shape[1]):
            before[count, word] = words[slot, word]
        words[slot, 0] = ((stamp << 32) | count) * new + mark * (1 - new)
        if access >= 0:
            words[slot, access] = now
        count += new
    return count


@kernel(void(READ_TABLE, READ_INTS, TABLE))
def take(words: np.ndarray, slots: np.ndarray, out: np.ndarray) -> None:
    """Copies the words of slots."""
    for i in range(slots.shape[0]):
        for word in range(out.shape[1]):
            out[i, word] = words[slots[i], word]


@kernel(void(READ_TABLE, READ_INTS, INTS))
def numbers(words: np.ndarray, slots: np.ndarray, out: np.ndarray) -> None:
    """Number of each slot in the batch that was last touched."""
    for i in range(slots.shape[0]):
        out[i] = words[slots[i], 0] & _NUMBER


@kernel(int64(TABLE, READ_INTS, int64, int64, INTS))
def expire(words: np.ndarray, slots: np.ndarray, access: int, oldest: int, out: np.ndarray) -> int:
    """Slots last written at or before ``oldest``, each once, now marked as new; gives how many."""
    count = 0
    for slot in slots:
        if words[slot, 0] != 0 and words[slot, access] <= oldest:
            words[slot, 0] = 0
            out[count] = slot
            count += 1
    return count


@kernel(int64(TABLE, int64, int64, int64, int64, INTS, INTS))
def sweep(
    words: np.ndarray,
    start: int,
    stop: int,
    access: int,
    oldest: int,
    out: np.ndarray,
    earliest: np.ndarray,
) -> int:
    """As ``expire``, for the slots from ``start`` to ``stop``.

    ``earliest`` (one word) falls to the earliest access of those that stay.
    """
    count = 0
    for slot in range(start, stop):
        if words[slot, 0] != 0:
            if words[slot, access] <= oldest:
                words[slot, 0] = 0
                out[count] = slot
                count += 1
            else:
                earliest[0] = min(earliest[0], words[slot, access])
    return count


@kernel(void(READ_INTS, READ_TABLE, READ_INTS, READ_TABLE, int64, TABLE, INTS))
def previous(
    numbers: np.ndarray,
    before: np.ndarray,
    fresh: np.ndarray,
    trace: np.ndarray,
    live: int,
    old: np.ndarray,
    new: np.ndarray,
) -> None:
    """Words of each row's slot before the row, and whether the slot had no rows then.

    ``numbers`` is each slot's number in the batch, ``live`` the word that counts rows (-1: none).
    """
    last = np.full(before.shape[0], -1, np.int64)
    for i in range(numbers.shape[0]):
        number = numbers[i]
        for word in range(trace.shape[1]):
            old[i, word] = before[number, word] if last[number] < 0 else trace[last[number], word]
        new[i] = fresh[number] if last[number] < 0 else 0
        if live >= 0 and old[i, live] <= 0:
            new[i] = 1
        last[number] = i


@kernel(int64(TABLE, int64, READ_INTS, READ_SIGN, INTS))
def accept(
    words: np.ndarray, live: int, slots: np.ndarray, signs: np.ndarray, rows: np.ndarray
) -> int:
    """Rows but those that take back from a slot that has none; gives how many."""
    count = 0
    for i in range(slots.shape[0]):
        slot = slots[i]
        if signs[i] > 0 or words[slot, live] > 0:
            words[slot, live] += signs[i]
            rows[count] = i
            count += 1
    for j in range(count):
        words[slots[rows[j]], live] -= signs[rows[j]]
    return count
