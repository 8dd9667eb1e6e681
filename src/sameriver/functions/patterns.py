"""Java's date and time patterns (``yyyy-MM-dd HH:mm:ss.SSS``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import lru_cache

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.functions.calendar import add_months
from sameriver.functions.failure import failure
from sameriver.functions.julian import FIRST_GREGORIAN, julian
from sameriver.functions.kernels.runs import runs
from sameriver.functions.staged import else_by, let


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of one pattern letter, or literal text (``letter`` is empty)."""

    letter: str
    text: str

    @property
    def width(self) -> int:
        return len(self.text)


_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")


@lru_cache(maxsize=256)
def pieces(pattern: str) -> tuple[Piece, ...]:
    """The pattern taken apart."""
    return tuple(_pieces(pattern))


def _pieces(pattern: str) -> Iterator[Piece]:
    for match in _TOKEN.finditer(pattern):
        if match.group(2):
            yield Piece(match.group(2), match.group(0))
        elif match.group(1) is not None:
            yield Piece("", match.group(1).replace("''", "'") or "'")
        else:
            yield Piece("", match.group(0))


_FORMATS = {
    "y": ("%Y", "%y"), "u": ("%Y", "%y"), "M": ("%-m", "%m", "%b", "%B"),
    "L": ("%-m", "%m", "%b", "%B"), "d": ("%-d", "%d"), "D": ("%-j", "%j", "%j"),
    "H": ("%-H", "%H"), "h": ("%-I", "%I"), "m": ("%-M", "%M"), "s": ("%-S", "%S"),
    "a": ("%p",), "E": ("%a", "%a", "%a", "%A"), "e": ("e",), "Q": ("Q", "0Q"), "q": ("Q", "0Q"),
}  # fmt: skip


_SECONDS = {"s": 1, "m": 60, "H": 3600, "h": 3600, "a": 3600}
"""How long what a letter shows stays the same; a day for all others but S."""
_DAY = 86_400
_TICKS = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def formatted(value: pl.Expr, pattern: str) -> pl.Expr:
    """Naive timestamps as text.

    Times mostly come in order: those of a run that show the same are made text once.

    Raises:
        EvaluationError: BAD_PATTERN for a letter that is not known.
    """
    letters = {piece.letter for piece in pieces(pattern)}
    if "S" in letters:
        return _formatted(value, pattern)
    seconds = min([_SECONDS.get(letter, _DAY) for letter in letters], default=_DAY)
    text = _formatted(pl.col("value"), pattern)

    def run(times: pl.Series) -> pl.Series:
        heads, of = _runs(times, seconds)
        shown = heads.to_frame("value").select(text).to_series()
        return shown if of is None else shown.gather(of)

    return value.map_batches(run, return_dtype=pl.String)


def _runs(times: pl.Series, seconds: int) -> tuple[pl.Series, pl.Series | None]:
    """The first time of each run within so many seconds, and the run of each row.

    Where runs are short, or there are NULLs, the times themselves.
    """
    if times.null_count():
        return times, None
    size = seconds * _TICKS[getattr(times.dtype, "time_unit", "us")]
    heads, of = (np.empty(len(times), np.uint32) for _ in range(2))
    count = runs(times.cast(pl.Int64).rechunk().to_numpy(), size, heads, of)
    if 2 * count > len(times):
        return times, None
    return times.gather(heads[:count]), pl.Series(of)


def _formatted(value: pl.Expr, pattern: str) -> pl.Expr:
    parts: list[pl.Expr] = []
    run = ""
    for piece in pieces(pattern):
        if piece.letter == "S":
            parts += [*_flushed(value, run), _fraction(value, piece.width)]
            run = ""
        elif piece.letter in "eQq" and piece.letter:
            parts += [*_flushed(value, run), _number(value, piece)]
            run = ""
        else:
            run += _format(pattern, piece)
    parts += _flushed(value, run)
    if not parts:
        return pl.when(value.is_not_null()).then(pl.lit(""))
    return parts[0] if len(parts) == 1 else pl.concat_str(parts)


def _flushed(value: pl.Expr, run: str) -> list[pl.Expr]:
    """Years have as many digits as they need, without a sign."""
    shown = value.dt.strftime(run)
    if "%Y" in run:
        far = pl.when(value.dt.year() > 9999).then(value).dt.strftime(run)
        shown = pl.coalesce(far.str.replace(r"\+(\d{5,})", "${1}"), shown)
    return [shown] if run else []


def _fraction(value: pl.Expr, width: int) -> pl.Expr:
    digits = value.dt.nanosecond().cast(pl.String).str.zfill(9)
    return digits.str.head(width)


def _number(value: pl.Expr, piece: Piece) -> pl.Expr:
    number = value.dt.weekday() % 7 + 1 if piece.letter == "e" else value.dt.quarter()
    return number.cast(pl.String).str.zfill(piece.width)


def _format(pattern: str, piece: Piece) -> str:
    if not piece.letter:
        return piece.text.replace("%", "%%")
    known = _FORMATS.get(piece.letter)
    if known is None or (piece.letter not in "yuE" and piece.width > len(known)):
        raise failure("BAD_PATTERN", f"'{piece.text}' of pattern '{pattern}' is not supported")
    if piece.letter in "yu":
        return known[1] if piece.width == 2 else known[0]
    return known[min(piece.width, len(known)) - 1]


_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_NAMES = {
    "a": "AM|PM",
    "E": "[A-Za-z]+",
}


def parsed(value: pl.Expr, pattern: str, *, lenient: bool) -> pl.Expr:
    """Naive timestamps (us since 1970, Int64) of text; NULL where it does not match.

    ``lenient``: numbers may have fewer digits, text may follow (Java's SimpleDateFormat), a
    pattern need not hold anything that tells a time, and days before 1582 are Julian ones.

    Raises:
        EvaluationError: BAD_PATTERN for a letter that can't be read.
    """
    regex = "^" + "".join(_group(pattern, piece, lenient) for piece in pieces(pattern))
    regex += "" if lenient else "$"

    if not any(piece.letter for piece in pieces(pattern)):
        start = pl.when(value.str.contains(regex)).then(pl.lit(0, dtype=pl.Int64))
        return start if lenient else pl.lit(None, dtype=pl.Int64)

    def slow(text: pl.Expr) -> pl.Expr:
        return let(pl.Int64(), _fields(pattern, lenient), text.str.extract_groups(regex))

    quick = _quick(value, pattern, lenient)
    if lenient and quick is not None:
        quick = pl.when(quick >= FIRST_GREGORIAN * 86_400_000_000).then(quick)
    return slow(value) if quick is None else else_by(pl.Int64(), quick, slow, value)


def _fields(pattern: str, lenient: bool) -> Callable[[pl.Expr], pl.Expr]:
    """Reads the groups of the pattern's regular expression."""

    def read(groups: pl.Expr) -> pl.Expr:
        lettered = [piece for piece in pieces(pattern) if piece.letter]
        return _assembled(
            {
                piece.letter: _value(groups.struct.field(str(number)), piece, lenient)
                for number, piece in enumerate(lettered, start=1)
            },
            lenient,
        )

    return read


_QUICK = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}


def _quick(text: pl.Expr, pattern: str, lenient: bool) -> pl.Expr | None:
    """By Polars' own parser, where the pattern is a full date and time of fixed width."""
    found = [piece for piece in pieces(pattern) if piece.letter]
    if {piece.text for piece in found} != set(_QUICK) or len(found) != len(_QUICK):
        return None
    shape = "".join(
        _QUICK[p.text] if p.letter else p.text.replace("%", "%%") for p in pieces(pattern)
    )
    width = sum(piece.width for piece in pieces(pattern))
    exact = text if lenient else pl.when(text.str.len_bytes() == width).then(text)
    read = exact.str.to_datetime(shape, time_unit="ms", strict=False, ambiguous="null")
    return read.cast(pl.Int64) * 1000


def _group(pattern: str, piece: Piece, lenient: bool) -> str:
    match piece.letter, piece.width:
        case "", _:
            return re.escape(piece.text)
        case (("M" | "L"), width) if width >= 3:
            return "([A-Za-z]+)"
        case ("a" | "E") as letter, _:
            return f"({_NAMES[letter]})"
        case "S", width:
            return rf"(\d{{1,{width}}})" if lenient else rf"(\d{{{width}}})"
        case (("y" | "u"), width):
            return r"(\d{2})" if width == 2 else r"(\d{1,4})" if lenient else r"(\d{4})"
        case (("X" | "x" | "Z"), _):
            return r"(Z|[+-]\d{2}(?::?\d{2})?)"
        case "D", width:
            return rf"(\d{{{1 if lenient else width},3}})"
        case (("d" | "H" | "h" | "m" | "s" | "M" | "L"), width):
            least = 1 if lenient or width == 1 else width
            return rf"(\d{{{least},{max(2, width)}}})"
    raise failure("BAD_PATTERN", f"'{piece.text}' of pattern '{pattern}' can't be read")


def _value(text: pl.Expr, piece: Piece, lenient: bool) -> pl.Expr:
    if piece.letter in "ML" and piece.width >= 3:
        short = text.str.to_titlecase().str.head(3)
        return short.replace_strict(_MONTHS, range(1, 13), default=None, return_dtype=pl.Int64)
    if piece.letter == "a":
        return (text == "PM").cast(pl.Int64)
    if piece.letter == "E":
        return pl.lit(0, dtype=pl.Int64)
    if piece.letter == "S":
        # SimpleDateFormat, which is lenient, reads milliseconds, however many digits there are.
        if lenient:
            return text.cast(pl.Int64) * 1000
        return text.str.pad_end(6, "0").str.head(6).cast(pl.Int64)
    if piece.letter in _OFFSETS:
        return _offset(text)
    number = text.cast(pl.Int64, strict=False)
    if piece.letter in "yu" and piece.width == 2:
        past = lenient & (number > (datetime.now(UTC).year + 20) % 100)
        return number + 2000 - 100 * past.cast(pl.Int64)
    return number


_OFFSETS = "XxZ"


def has_offset(pattern: str) -> bool:
    """Whether text of this pattern tells its offset from UTC."""
    return any(piece.letter in _OFFSETS for piece in pieces(pattern) if piece.letter)


def _offset(text: pl.Expr) -> pl.Expr:
    """``Z``, ``+08``, ``+0800``, ``+08:00``: seconds east of Greenwich."""
    digits = text.str.replace_all("[^0-9]", "").str.pad_end(4, "0").cast(pl.Int64, strict=False)
    size = (digits // 100) * 3600 + (digits % 100) * 60
    east = pl.when(text.str.starts_with("-")).then(-size).otherwise(size)
    return pl.when(text == "Z").then(0).otherwise(east)


def _assembled(found: dict[str, pl.Expr], lenient: bool) -> pl.Expr:
    """Nanoseconds of the parts; what a part exceeds rolls over if ``lenient``.

    Otherwise it is NULL, but that a day up to 31 is cut to the last of its month.
    """

    def part(letters: str, default: int) -> pl.Expr:
        held = [found[letter] for letter in letters if letter in found]
        return held[0] if held else pl.lit(default, dtype=pl.Int64)

    hour = part("H", 0)
    if "h" in found:
        hour = found["h"] % 12 + 12 * part("a", 0)
    minute, second, day, month = part("m", 0), part("s", 0), part("d", 1), part("ML", 1)
    year = pl.format("{}-01-01", part("yu", 1970).cast(pl.String).str.zfill(4))
    start = add_months(year.str.to_date("%Y-%m-%d", strict=False), month - 1)
    if not lenient:
        day = pl.min_horizontal(day, start.dt.days_in_month().cast(pl.Int64))
    days = start.cast(pl.Int32).cast(pl.Int64) + found.get("D", day) - 1
    days = julian(days, start) if lenient else days
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - part(_OFFSETS, 0)
    total = seconds * 1_000_000 + part("S", 0)
    if lenient:
        return total
    within = (hour < 24) & (minute < 60) & (second < 60) & month.is_between(1, 12)
    return pl.when(within & part("d", 1).is_between(1, 31)).then(total)
