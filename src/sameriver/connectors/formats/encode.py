"""Typed columns to text, as Flink's text formats write them."""

from __future__ import annotations

from decimal import Decimal
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
from sameriver.functions.distinct import by_distinct
from sameriver.functions.render import text

_FRACTION = r"\.?0+$"


def scalar(value: pl.Expr, type: DataType, iso: bool, plain_decimals: bool) -> pl.Expr:
    """The text of a value that isn't nested, unquoted; NULL stays NULL."""
    match type.root:
        case Root.BOOLEAN:
            return value.cast(pl.String)
        case Root.DECIMAL:
            return decimal(value, plain_decimals, type.scale or 0)
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


def decimal(value: pl.Expr, plain: bool, scale: int) -> pl.Expr:
    """Without zeros at the end, and unless ``plain`` with an exponent where Java puts one."""
    shown = value.cast(pl.String)
    if scale:
        shown = shown.str.strip_chars_end("0").str.strip_chars_end(".")
    if plain:
        return shown
    odd = shown.str.contains(r"^-?[1-9]\d*0$|^-?0\.000000")
    power = by_distinct(_powered, pl.String, pl.when(odd).then(shown))
    return power.fill_null(shown)


def _powered(shown: str) -> str:
    """Java's text of a decimal whose scale is negative or whose first digit is far behind."""
    return str(Decimal(shown).normalize())
