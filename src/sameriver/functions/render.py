"""Values as text, as Flink's CAST to STRING prints them."""

from __future__ import annotations

from decimal import Decimal
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.types import (
    APPROXIMATE,
    BINARIES,
    CHARACTERS,
    FIELDED,
    DataType,
    Root,
)
from sameriver.functions.distinct import by_distinct
from sameriver.functions.octets import decoded
from sameriver.functions.staged import else_by, let
from sameriver.functions.zones import to_wall


def text(value: pl.Expr, type: DataType, zone: ZoneInfo) -> pl.Expr:
    """``value`` as Flink prints it."""
    match type.root:
        case root if root in CHARACTERS:
            return value
        case Root.BOOLEAN:
            return pl.when(value).then(pl.lit("TRUE")).when(~value).then(pl.lit("FALSE"))
        case root if root in APPROXIMATE:
            return _floating(value)
        case root if root in BINARIES:
            return decoded(value)
        case Root.DATE:
            return _dated(value, "%Y-%m-%d")
        case Root.TIME:
            shown = _fraction(value, "%H:%M:%S", type.precision or 0)
            return shown.str.replace(r"(\.\d+?)0+$", "$1") if type.precision else shown
        case Root.TIMESTAMP:
            return _fraction(value, _DATED, _digits(type))
        case Root.TIMESTAMP_LTZ:
            return _fraction(to_wall(value, zone), _DATED, _digits(type))
        case Root.INTERVAL_YEAR_MONTH:
            return _months(value)
        case Root.INTERVAL_DAY_TIME:
            return _duration(value)
        case Root.BITMAP:
            return numbers_text(value)
        case Root.ARRAY | Root.MAP | Root.MULTISET | Root.ROW | Root.STRUCTURED:
            return _nested(value, type, zone)
    return value.cast(pl.String)


def numbers_text(bitmap: pl.Expr) -> pl.Expr:
    """``{1,2}``."""
    return pl.format("{{{}}}", bitmap.cast(pl.List(pl.String)).list.join(","))


def _digits(type: DataType) -> int:
    return 6 if type.precision is None else type.precision


def _fraction(value: pl.Expr, pattern: str, digits: int) -> pl.Expr:
    """Time with exactly ``digits`` digits of a second."""
    held = next(width for width in (0, 3, 6, 9) if digits <= width)
    shown = _dated(value, f"{pattern}%.{held}f" if held else pattern)
    return shown if held == digits else shown.str.head(digits - held)


_DATED = "%Y-%m-%d %H:%M:%S"


def _dated(value: pl.Expr, pattern: str) -> pl.Expr:
    """By the pattern; of a year above 9999 Flink shows the last four digits."""
    shown = value.dt.strftime(pattern)
    return pl.when(shown.str.starts_with("+")).then(shown.str.slice(2)).otherwise(shown)


def _floating(value: pl.Expr) -> pl.Expr:
    """As Java: 1.5, 1.0E10, 1.0E-5, NaN, Infinity."""
    size = value.abs()
    plain = (size == 0) | ((size >= 1e-3) & (size < 1e7))
    shown = pl.when(plain).then(value.cast(pl.String))
    return else_by(pl.String, shown, _scientific, value)


_FIGURES = r"^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$"
_TINY = 1e-37
"""Below, Java shows two digits where one would do."""


def _scientific(value: pl.Expr) -> pl.Expr:
    """Numbers outside 0.001 to 10 million."""

    def spelled(groups: pl.Expr) -> pl.Expr:
        sign, whole, fraction, exponent = (groups.struct.field(str(n)) for n in (1, 2, 3, 4))
        digits = whole + fraction.fill_null("")
        figures = digits.str.strip_chars_start("0")
        zeros = digits.str.len_bytes() - figures.str.len_bytes()
        power = exponent.cast(pl.Int64).fill_null(0) + whole.str.len_bytes() - zeros - 1
        figures = figures.str.strip_chars_end("0").str.pad_end(2, "0")
        return pl.format("{}{}.{}E{}", sign, figures.str.head(1), figures.str.slice(1), power)

    shown = value.cast(pl.String)
    usual = pl.when(value.abs() >= _TINY).then(shown)
    quick = let(pl.String(), spelled, usual.str.extract_groups(_FIGURES))
    args = (shown, value.cast(pl.Float64))
    return else_by(pl.String, quick, lambda *odd: by_distinct(_java, pl.String, *odd), *args)


def java_text(value: float) -> str:
    """A DOUBLE as Java prints it."""
    size = abs(value)
    return repr(value) if size == 0 or 1e-3 <= size < 1e7 else _java(repr(value), value)


def _java(shown: str, exact: float) -> str:
    """Java's text of a number outside 0.001 to 10 million: two digits at least."""
    if "inf" in shown:
        return "-Infinity" if shown.startswith("-") else "Infinity"
    if "nan" in shown.lower():
        return "NaN"
    sign, digits, exponent = Decimal(shown).normalize().as_tuple()
    figures = "".join(map(str, digits))
    power = int(exponent) + len(figures) - 1
    if len(figures) == 1:
        figures = f"{abs(exact):.1e}".replace(".", "")[:2]
    return f"{'-' if sign else ''}{figures[0]}.{figures[1]}{figures[2:]}E{power}"


def _months(value: pl.Expr) -> pl.Expr:
    sign = pl.when(value < 0).then(pl.lit("-")).otherwise(pl.lit("+"))
    months = (value.abs() % 12).cast(pl.String).str.zfill(2)
    return pl.format("{}{}-{}", sign, value.abs() // 12, months)


def _duration(value: pl.Expr) -> pl.Expr:
    total = value.cast(pl.Int64)
    size = total.abs()
    sign = pl.when(total < 0).then(pl.lit("-")).otherwise(pl.lit("+"))
    parts = [
        ((size // unit) % wrap).cast(pl.String).str.zfill(width)
        for unit, wrap, width in ((3_600_000, 24, 2), (60_000, 60, 2), (1000, 60, 2), (1, 1000, 3))
    ]
    return pl.format("{}{} {}:{}:{}.{}", sign, size // 86_400_000, *parts)


def _nested(value: pl.Expr, type: DataType, zone: ZoneInfo) -> pl.Expr:
    if type.root in FIELDED:
        pairs = zip(type.names, type.children, strict=True)
        parts = [_or_null(value.struct.field(name), child, zone) for name, child in pairs]
        if type.root is Root.STRUCTURED:
            named = zip(type.names, parts, strict=True)
            parts = [pl.lit(f"{name}=") + part for name, part in named]
        shown = pl.format("({})", pl.concat_str(parts, separator=", "))
        return pl.when(value.is_not_null()).then(shown)
    if type.root is Root.ARRAY:
        items = value.list.eval(_or_null(pl.element(), type.children[0], zone))
        return pl.format("[{}]", items.list.join(", "))
    counted = DataType(root=Root.INT)
    key, content = (*type.children, counted)[:2]
    entry = pl.format(
        "{}={}",
        _or_null(pl.element().struct.field("key"), key, zone),
        _or_null(pl.element().struct.field("value"), content, zone),
    )
    return pl.format("{{{}}}", value.list.eval(entry).list.join(", "))


def _or_null(value: pl.Expr, type: DataType, zone: ZoneInfo) -> pl.Expr:
    return text(value, type, zone).fill_null("NULL")


def fitted(value: pl.Expr, type: DataType) -> pl.Expr:
    """Text cut to the length of CHAR(n) or VARCHAR(n); CHAR(n) is padded with blanks."""
    length = type.precision or 1
    cut = value.str.head(length) if length < _LONG else value
    return cut.str.pad_end(length) if type.root is Root.CHAR else cut


_LONG = 2**31 - 1
