"""How totals become averages, variances and deviations."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.types import INTEGERS, DataType, Root, to_polars
from sameriver.functions.parse import exact_text
from sameriver.state.kernels.types import Ints
from sameriver.state.words import mask, wide

_SAMPLES = ("STDDEV", "STDDEV_SAMP", "VARIANCE", "VAR_SAMP")
_ROOTS = ("STDDEV", "STDDEV_POP", "STDDEV_SAMP")


def round_half_up(digits: pl.Series, factor: int, divisor: Ints) -> pl.Series:
    """Int128 digits times a factor over whole numbers above 0, halves away from zero.

    NULL where the digits or the result are more than 38.
    """
    by = pl.lit(pl.Series(divisor)).cast(pl.Int128)
    size = pl.lit(digits).abs()
    whole, rest = size // by, size % by
    quotient = whole * wide(factor) + (rest * wide(2 * factor) + by) // (by * wide(2))
    signed = pl.when(pl.lit(digits) < wide(0)).then(wide(0) - quotient).otherwise(quotient)
    fits = (size < wide(10**38)) & (whole < wide(10**38 // factor))
    return pl.select(v=pl.when(fits).then(signed)).to_series()


@np.errstate(invalid="ignore", over="ignore")
def deviation(
    function: str, total: np.ndarray, squares: np.ndarray, count: Ints, type: DataType
) -> pl.Series:
    """Variance or standard deviation; NULL of no values, and of one where it is a sample's.

    Flink reckons ``(SUM(x * x) - SUM(x) * SUM(x) / n) / n`` in the result's type: of integers
    each division truncates.
    """
    whole = np.trunc if type.root in INTEGERS else np.asarray
    freedom = count - 1 if function in _SAMPLES else count
    defined = (count > 0) & (freedom > 0)
    one = np.where(count == 0, 1, count)
    spread = np.maximum(squares - whole(total * total / one), 0.0)
    result = whole(spread / np.where(defined, freedom, 1))
    if function in _ROOTS:
        result = whole(np.sqrt(result))
    values = pl.Series(result)
    if type.root is Root.DECIMAL:
        return mask(pl.select(v=exact_text(pl.lit(values), type)).to_series(), defined)
    if type.root in INTEGERS:
        values = values.cast(pl.Int64)
    return mask(values.cast(to_polars(type), wrap_numerical=True), defined)
