"""Values as 64-bit words that sort as the values do, where their type allows it."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.state.kernels.types import Ints

SHORT_DECIMAL = 18
"""Digits of a decimal that fit a word."""

_LOW = 2**64
_SIGN = np.int64(2**63 - 1)


def fits_word(dtype: pl.DataType) -> bool:
    """Whether every value of the type is one word."""
    if isinstance(dtype, pl.Decimal):
        return dtype.precision is not None and dtype.precision <= SHORT_DECIMAL
    return (
        (dtype.is_numeric() and dtype not in (pl.UInt64, pl.Int128, pl.UInt128))
        or dtype.is_temporal()
        or dtype == pl.Boolean
    )


def encode(values: pl.Series) -> Ints:
    """The words of values (int64, often without a copy); the word of a NULL means nothing."""
    if values.dtype.is_float():
        bits = float_bits(values)
        return np.where(bits < 0, bits ^ _SIGN, bits)
    if isinstance(values.dtype, pl.Decimal):
        values = values.to_physical()
    return filled(values.cast(pl.Int64))


def float_bits(values: pl.Series) -> Ints:
    """The bits of floats; those of a NULL mean nothing."""
    return filled(values.cast(pl.Float64)).view(np.int64)


def filled(values: pl.Series) -> np.ndarray:
    """Numbers as NumPy has them, without a copy if there are no NULLs; 0 for a NULL."""
    if values.null_count():
        values = values.fill_null(0)
    return values.rechunk().to_numpy()


def decode(words: Ints, dtype: pl.DataType, valid: np.ndarray | None = None) -> pl.Series:
    """Values of words; NULL where ``valid`` is false."""
    if dtype.is_float():
        bits = np.where(words < 0, words ^ _SIGN, words)
        values = pl.Series(bits.view(np.float64)).cast(dtype)
    elif isinstance(dtype, pl.Decimal):
        values = _reinterpret(pl.Series(words).cast(pl.Int128), dtype)
    elif dtype == pl.Date:
        values = pl.Series(words).cast(pl.Int32).cast(dtype)
    else:
        values = pl.Series(words).cast(dtype)
    return values if valid is None else mask(values, valid)


def mask(values: pl.Series, valid: np.ndarray) -> pl.Series:
    """NULL where ``valid`` is false."""
    if valid.all():
        return values
    frame = pl.DataFrame([values.alias("v"), pl.Series("ok", valid, dtype=pl.Boolean)])
    return frame.select(pl.when("ok").then("v").alias("v")).to_series()


def split(values: pl.Series) -> tuple[Ints, Ints]:
    """Low and high word of each decimal's digits; those of a NULL are 0."""
    digits = pl.lit(values.to_physical()).fill_null(0)
    halves = pl.select(
        low=(digits & wide(_LOW - 1)).cast(pl.UInt64), high=(digits // wide(_LOW)).cast(pl.Int64)
    )
    return halves["low"].to_numpy().view(np.int64), halves["high"].to_numpy()


def wide(number: int) -> pl.Expr:
    """An Int128 literal."""
    return pl.lit(number, dtype=pl.Int128)


def join(low: Ints, high: Ints) -> pl.Series:
    """Int128 digits of low and high words."""
    lows = pl.lit(pl.Series(low.view(np.uint64))).cast(pl.Int128)
    return pl.select(v=pl.lit(pl.Series(high)).cast(pl.Int128) * wide(_LOW) + lows).to_series()


def to_decimal(digits: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Decimals of their Int128 digits; NULL where there are more than the type has."""
    limit = 10 ** (getattr(dtype, "precision", None) or 38)
    value = pl.lit(digits)
    fits = (value > wide(-limit)) & (value < wide(limit))
    return _reinterpret(pl.select(v=pl.when(fits).then(value)).to_series(), dtype)


def _reinterpret(digits: pl.Series, dtype: pl.DataType) -> pl.Series:
    return pl.select(v=pl.lit(digits).reinterpret(dtype=dtype)).to_series()
