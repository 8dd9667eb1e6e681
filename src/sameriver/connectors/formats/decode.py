"""Cells of text to typed columns, as Flink's text formats convert them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.number_column import number_column
from sameriver.common.types import (
    APPROXIMATE,
    BINARIES,
    CHARACTERS,
    INTEGERS,
    INTERVALS,
    TIMESTAMPS,
    DataType,
    Root,
    time_unit,
    to_polars,
)
from sameriver.connectors.formats.cells import Cells, Index, Kind, Mask
from sameriver.connectors.formats.kernels.decimal_scan import BAD, LONG, READ, parse_decimals
from sameriver.connectors.formats.kernels.value_scan import (
    MOMENT,
    WHOLE,
    parse_dates,
    parse_integers,
    parse_times,
    parse_timestamps,
)

Decoded = tuple[pl.Series, Mask]
"""A column, NULL where a cell could not be read, and where that was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRules:
    """How a format writes what SQL types leave open.

    Attributes:
        iso: ``T`` between date and time (``timestamp-format.standard``).
        nested: reads ROW, ARRAY, MAP and MULTISET cells.
    """

    iso: bool = False
    nested: Callable[[Cells, DataType, TextRules], Decoded]


def decode(cells: Cells, type: DataType, rules: TextRules) -> Decoded:
    """Reads a column. Cells must not be escaped any more."""
    match type.root:
        case Root.BOOLEAN:
            return _booleans(cells)
        case root if root in INTEGERS or root in INTERVALS:
            return _integers(cells, type)
        case root if root in APPROXIMATE:
            return _floats(cells, type)
        case Root.DECIMAL:
            return _decimals(cells, type)
        case root if root in CHARACTERS:
            return cells.strings()
        case root if root in BINARIES:
            return _binaries(cells)
        case Root.DATE | Root.TIME:
            return _dates(cells) if type.root is Root.DATE else _times(cells, type, rules)
        case root if root in TIMESTAMPS:
            return _timestamps(cells, type, rules)
    return rules.nested(cells, type, rules)


def _column(values: np.ndarray, valid: Mask, dtype: pl.DataType | type[pl.DataType]) -> pl.Series:
    """A column of ``values``, NULL where not ``valid``."""
    series = pl.Series(values)
    if not valid.all():
        series = series.zip_with(pl.Series(valid), pl.Series([None], dtype=series.dtype))
    return series.cast(dtype)


def _booleans(cells: Cells) -> Decoded:
    """Anything but ``true`` is false, as Java's parseBoolean has it."""
    truth = cells.are(Kind.TRUE)
    text = cells.are(Kind.TEXT)
    if text.any():
        strings, _ = cells.strings()
        said = strings.str.strip_chars().str.to_lowercase() == "true"
        truth |= said.fill_null(False).to_numpy() & text
    return _column(truth, cells.filled, pl.Boolean), np.zeros(len(cells), dtype=np.bool_)


_RANGES: dict[Root, tuple[int, int]] = {
    Root.TINYINT: (-(2**7), 2**7 - 1),
    Root.SMALLINT: (-(2**15), 2**15 - 1),
    Root.INT: (-(2**31), 2**31 - 1),
    Root.BIGINT: (-(2**63), 2**63 - 1),
    Root.INTERVAL_YEAR_MONTH: (-(2**31), 2**31 - 1),
    Root.INTERVAL_DAY_TIME: (-(2**63), 2**63 - 1),
}


def _integers(cells: Cells, type: DataType) -> Decoded:
    low, high = _RANGES[type.root]
    if cells.read:
        out, bad = cells.read
    else:
        out, bad = np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=np.uint8)
        parse_integers(cells.data, cells.start, cells.end, cells.kind, low, high, out, bad)
    failed = bad.view(np.bool_)
    # A JSON number with a fraction is cut, as Jackson does it; a string with one is refused.
    for row in np.flatnonzero(failed & cells.are(Kind.NUMBER)) if failed.any() else ():
        number = int(Decimal(cells.text(int(row))))
        if low <= number <= high:
            out[row], bad[row] = number, 0
    return number_column(out, cells.kind, bad, to_polars(type)), failed


def _floats(cells: Cells, type: DataType) -> Decoded:
    text, _ = cells.strings()
    text = text.str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    odd = cells.filled & (numbers.is_null() | ~numbers.is_finite()).to_numpy()
    failed = np.zeros(len(cells), dtype=np.bool_)
    if odd.any():
        words = {"NaN", "Infinity", "-Infinity", "+Infinity"}
        digits = text.str.contains(r"\d").fill_null(False) & numbers.is_not_null()
        failed = odd & ~(text.is_in(list(words)).fill_null(False) | digits).to_numpy()
    valid = pl.Series(cells.filled & ~failed)
    return numbers.cast(to_polars(type)).zip_with(
        valid, pl.Series([None], dtype=to_polars(type))
    ), failed


def _decimals(cells: Cells, type: DataType) -> Decoded:
    """Exact, rounded HALF_UP; what has too many digits is NULL, as in Flink."""
    out, how = np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=np.uint8)
    precision, scale = type.precision or 10, type.scale or 0
    parse_decimals(cells.data, cells.start, cells.end, cells.kind, precision, scale, out, how)
    units = _column(out, cells.filled & (how == READ), pl.Int128)
    numbers, failed = units.reinterpret(dtype=to_polars(type)), how == BAD
    rows = np.flatnonzero(how == LONG)
    if len(rows):
        long, bad = _long_decimals(cells.take(rows), type)
        numbers, failed[rows] = numbers.scatter(rows, long), bad
    return numbers, failed


def _long_decimals(cells: Cells, type: DataType) -> Decoded:
    """Decimals of more than 18 digits."""
    text, _ = cells.strings()
    text, scale = text.str.strip_chars(), type.scale or 0
    # Polars rounds halves to even: one digit more decides every tie upwards.
    text = text.str.replace(rf"(\.\d{{{scale + 1}}})\d*$", "${1}1")
    numbers = text.cast(to_polars(type), strict=False)
    odd = numbers.is_null() | text.str.contains("[eE]").fill_null(False)
    return _odd_decimals(cells, numbers, np.flatnonzero(odd.to_numpy()), type)


def _odd_decimals(cells: Cells, numbers: pl.Series, rows: Index, type: DataType) -> Decoded:
    """Cells that Polars doesn't read, one by one: exponents, overflow, and what is no number."""
    failed = np.zeros(len(cells), dtype=np.bool_)
    values: list[Decimal | None] = []
    for row in rows:
        number = _number(cells.text(int(row)).strip())
        failed[row] = number is None
        values.append(None if number is None else _rounded(number, type))
    fixed = pl.Series(values, dtype=numbers.dtype)
    return numbers.scatter(rows, fixed), failed


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and "_" not in text else None


def _rounded(number: Decimal, type: DataType) -> Decimal | None:
    """At the scale of the type; None if it has too many digits."""
    precision, scale = type.precision or 10, type.scale or 0
    if number.adjusted() >= precision - scale + 1:
        return None
    with localcontext(prec=100):
        rounded = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    return rounded if abs(rounded).scaleb(scale) < 10**precision else None


def _binaries(cells: Cells) -> Decoded:
    text, _ = cells.strings()
    values = text.str.decode("base64", strict=False)
    return values, cells.filled & values.is_null().to_numpy()


def _dates(cells: Cells) -> Decoded:
    out, bad = np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=np.uint8)
    parse_dates(cells.data, cells.start, cells.end, cells.kind, out, bad)
    return number_column(out, cells.kind, bad, pl.Date), bad.view(np.bool_)


def _times(cells: Cells, type: DataType, rules: TextRules) -> Decoded:
    out, bad = np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=np.uint8)
    places = type.precision or 0
    parse_times(cells.data, cells.start, cells.end, cells.kind, rules.iso, places, out, bad)
    return number_column(out, cells.kind, bad, pl.Time), bad.view(np.bool_)


_PLACES = {"ms": 3, "us": 6, "ns": 9}


def _timestamps(cells: Cells, type: DataType, rules: TextRules) -> Decoded:
    if cells.read:
        out, bad = cells.read
    else:
        out, bad = np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=np.uint8)
        parse_timestamps(
            cells.data, cells.start, cells.end, cells.kind, *_moments(type, rules), out, bad
        )
    return number_column(out, cells.kind, bad, to_polars(type)), bad.view(np.bool_)


def _moments(type: DataType, rules: TextRules) -> tuple[int, bool, int, int]:
    """What says how timestamps are read: separator, a Z, places of a second kept and held."""
    return (
        ord("T" if rules.iso else " "),
        type.root is Root.TIMESTAMP_LTZ,
        6 if type.precision is None else type.precision,
        _PLACES[time_unit(type)],
    )


def reading(type: DataType, rules: TextRules) -> tuple[int, ...] | None:
    """How ``read_cells`` reads the cells of a type; None: it can't."""
    if type.root in _RANGES:
        return (WHOLE, *_RANGES[type.root], 0, 0)
    return (MOMENT, *_moments(type, rules)) if type.root in TIMESTAMPS else None
