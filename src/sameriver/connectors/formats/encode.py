"""Typed columns to text, as Flink's text formats write them."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.types import (
    APPROXIMATE,
    BINARIES,
    DOUBLE,
    INTERVALS,
    TIMESTAMPS,
    DataType,
    Root,
)
from sameriver.functions.render import text

_FRACTION = r"\.?0+$"


def scalar(value: pl.Expr, type: DataType, iso: bool, plain_decimals: bool) -> pl.Expr:
    """The text of a value that isn't nested, unquoted; NULL stays NULL."""
    match type.root:
        case Root.BOOLEAN:
            return value.cast(pl.String)
        case Root.DECIMAL:
            return decimal(value, plain_decimals)
        case root if root in APPROXIMATE:
            return _floating(value)
        case root if root in BINARIES:
            return value.bin.encode("base64")
        case Root.DATE:
            return value.dt.strftime("%Y-%m-%d")
        case Root.TIME:
            return value.dt.strftime("%H:%M:%S%.9f").str.replace(_FRACTION, "")
        case root if root in TIMESTAMPS:
            between = "T" if iso else " "
            written = value.dt.replace_time_zone(None).dt.strftime(f"%Y-%m-%d{between}%H:%M:%S%.9f")
            written = written.str.replace(_FRACTION, "")
            return written + "Z" if type.root is Root.TIMESTAMP_LTZ else written
        case root if root in INTERVALS:
            return value.cast(pl.Int64).cast(pl.String)
    return value.cast(pl.String)


def _floating(value: pl.Expr) -> pl.Expr:
    """As Java writes it; the renderer needs no zone for numbers."""
    return text(value, DOUBLE, ZoneInfo("UTC"))


def decimal(value: pl.Expr, plain: bool) -> pl.Expr:
    """Without zeros at the end, and unless ``plain`` with an exponent where Java puts one."""
    shown = value.cast(pl.String)
    pointed = shown.str.contains(".", literal=True)
    cut = pl.when(pointed).then(shown.str.replace(_FRACTION, "")).otherwise(shown)
    cut = pl.when(cut.is_in(["-0", "-", ""])).then(pl.lit("0")).otherwise(cut)
    if plain:
        return cut
    figures = (
        cut.str.strip_prefix("-").str.replace(".", "", literal=True).str.strip_chars_start("0")
    )
    figures = figures.str.strip_chars_end("0")
    sign = pl.when(cut.str.starts_with("-")).then(pl.lit("-")).otherwise(pl.lit(""))
    mantissa = (
        pl.when(figures.str.len_bytes() == 1)
        .then(figures)
        .otherwise(figures.str.head(1) + "." + figures.str.slice(1))
    )
    whole = cut.str.strip_prefix("-")
    high = (whole.str.len_bytes().cast(pl.Int64) - 1).cast(pl.String)
    leading = whole.str.extract(r"^0\.(0*)", 1).str.len_bytes().cast(pl.Int64) + 1
    large = cut.str.contains(r"^-?[1-9]\d*0$")
    small = (leading > 6).fill_null(False)
    return (
        pl.when(large)
        .then(sign + mantissa + "E+" + high)
        .when(small)
        .then(sign + mantissa + "E-" + leading.cast(pl.String))
        .otherwise(cut)
    )
