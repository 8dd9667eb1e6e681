"""COUNT, SUM, AVG, and the moments of STDDEV and VARIANCE: words that add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from sameriver.common.types import APPROXIMATE, DataType, Root, to_polars
from sameriver.operators.accumulators.accumulator import Rows, Step, Words
from sameriver.operators.accumulators.moments import deviation, round_half_up
from sameriver.state.kernels import fold
from sameriver.state.kernels.types import Ints
from sameriver.state.words import SHORT_DECIMAL, encode, float_bits, join, mask, split, to_decimal


class _Total:
    """Nothing but words, and they add up."""

    operation: int
    resident = True
    running = True

    def __init__(self, at: int) -> None:
        self.at = at

    def reserve(self, capacity: int) -> None:
        pass

    def absorb(self, words: Words, into: Ints, other: object, slots: Ints, theirs: Words) -> None:
        pass

    def clear(self, slots: Ints) -> None:
        pass

    def tidy(self, words: Words, slots: Callable[[], Ints]) -> None:
        pass


class Count(_Total):
    """COUNT: rows that don't pass by."""

    operation = fold.COUNT

    def fold(self, words: Words, rows: Rows) -> Step:
        return Step(self.operation, self.at, (), rows.signs)

    def result(self, words: Words, slots: Ints) -> pl.Series:
        return pl.Series(np.ascontiguousarray(words[:, self.at]))

    def save(self, words: Words) -> list[pl.Series]:
        return [self.result(words, words[:, 0])]

    def load(self, columns: Sequence[pl.Series], words: Words) -> None:
        words[:, self.at] = columns[0].to_numpy()


class Sum(_Total):
    """SUM, and AVG, which divides it; NULL without values.

    Args:
        at: first word.
        argument: type of the values.
        result: type of the call.
        mean: whether it is AVG.
        counted: whether the table has the count too.
    """

    def __init__(
        self, at: int, argument: DataType, result: DataType, *, mean: bool, counted: bool
    ) -> None:
        super().__init__(at)
        self._argument, self._result = argument, result
        self._mean, self._counted = mean, counted
        self._floats = argument.root in APPROXIMATE
        self._decimal = argument.root is Root.DECIMAL
        decimals = fold.MEAN if mean else fold.DECIMALS
        self.operation = (
            fold.FLOATS_SUM if self._floats else decimals if self._decimal else fold.SUM
        )
        self._count = at + (2 if self._decimal else 1)

    def fold(self, words: Words, rows: Rows) -> Step:
        return Step(self.operation, self.at, self._columns(rows.values.to_series(0)), rows.signs)

    def _columns(self, values: pl.Series) -> tuple[Ints, ...]:
        if self._decimal and (self._argument.precision or 38) > SHORT_DECIMAL:
            return split(values)
        if self._decimal:
            return (encode(values),)
        if self._floats:
            return (float_bits(values),)
        return (encode(values),)

    def result(self, words: Words, slots: Ints) -> pl.Series:
        count = words[:, self._count]
        if self._mean:
            return mask(self._average(words, np.where(count == 0, 1, count)), count != 0)
        return mask(self._total(words, self._result), count != 0)

    def _total(self, words: Words, type: DataType) -> pl.Series:
        dtype = to_polars(type)
        if isinstance(dtype, pl.Decimal):
            return to_decimal(self._digits(words), dtype)
        total = np.ascontiguousarray(words[:, self.at])
        if self._floats:
            return pl.Series(total.view(np.float64)).cast(dtype)
        return pl.Series(total).cast(dtype, wrap_numerical=True)

    def _digits(self, words: Words) -> pl.Series:
        low, high = (np.ascontiguousarray(words[:, self.at + i]) for i in (0, 1))
        return join(low, high)

    def _average(self, words: Words, count: Ints) -> pl.Series:
        dtype = to_polars(self._result)
        if isinstance(dtype, pl.Decimal):
            scale = (self._result.scale or 0) - (self._argument.scale or 0)
            return to_decimal(round_half_up(self._digits(words), 10**scale, count), dtype)
        total = np.ascontiguousarray(words[:, self.at])
        if self._floats:
            return pl.Series(total.view(np.float64) / count).cast(dtype)
        quotient = total // count
        quotient += (total % count != 0) & ((total < 0) != (count < 0))
        return pl.Series(quotient).cast(dtype, wrap_numerical=True)

    def save(self, words: Words) -> list[pl.Series]:
        count = words[:, self._count]
        if self._decimal:
            dtype = pl.Decimal(38, self._argument.scale or 0)
            total = to_decimal(self._digits(words), dtype)
        else:
            total = pl.Series(np.ascontiguousarray(words[:, self.at]))
            total = pl.Series(total.to_numpy().view(np.float64)) if self._floats else total
        if not self._counted:
            return [mask(total, count != 0)]
        # With the count beside it, a sum over as many rows as were taken back need not be 0.
        return [total, pl.Series(np.ascontiguousarray(count))]

    def load(self, columns: Sequence[pl.Series], words: Words) -> None:
        total = columns[0]
        if self._decimal:
            words[:, self.at], words[:, self.at + 1] = split(total)
            words[total.is_null().to_numpy(), self.at + 1] = fold.OVERFLOW
        elif self._floats:
            words[:, self.at] = float_bits(total)
        else:
            words[:, self.at] = encode(total)
        counted = columns[1] if self._counted else total.is_not_null().cast(pl.Int64)
        words[:, self._count] = counted.to_numpy()


class Moments(_Total):
    """STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP, from the sum and the sum of squares."""

    operation = fold.MOMENTS

    def __init__(self, at: int, function: str, result: DataType) -> None:
        super().__init__(at)
        self._function, self._result = function, result

    def fold(self, words: Words, rows: Rows) -> Step:
        return Step(self.operation, self.at, (float_bits(rows.values.to_series(0)),), rows.signs)

    def result(self, words: Words, slots: Ints) -> pl.Series:
        total, squares = self._floats(words)
        return deviation(self._function, total, squares, words[:, self.at + 2], self._result)

    def _floats(self, words: Words) -> tuple[np.ndarray, np.ndarray]:
        total, squares = (
            np.ascontiguousarray(words[:, self.at + i]).view(np.float64) for i in (0, 1)
        )
        return total, squares

    def save(self, words: Words) -> list[pl.Series]:
        count = np.ascontiguousarray(words[:, self.at + 2])
        return [*map(pl.Series, self._floats(words)), pl.Series(count)]

    def load(self, columns: Sequence[pl.Series], words: Words) -> None:
        for i in (0, 1):
            words[:, self.at + i] = columns[i].to_numpy().view(np.int64)
        words[:, self.at + 2] = columns[2].to_numpy()
