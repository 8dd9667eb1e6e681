"""What functions of strings do to letters and positions, in columns."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl

from sameriver.functions.distinct import by_distinct, in_full
from sameriver.functions.failure import failure
from sameriver.functions.kernels import charsets
from sameriver.functions.kernels.places import nth_place
from sameriver.functions.octets import decoded, octets, rewritten
from sameriver.functions.staged import else_by, let

_LATIN = pl.Series([chr(code) for code in range(256)])


def first_octet(value: pl.Expr) -> pl.Expr:
    """As Java's byte, from -128 to 127; 0 of empty text."""
    octet = value.cast(pl.Binary).bin.slice(0, 1).bin.reinterpret(dtype=pl.Int8)
    return pl.when(value == "").then(0).otherwise(octet).cast(pl.Int32)


def letter(code: pl.Expr) -> pl.Expr:
    """The letter of the code's last octet; empty for a negative one."""
    found = pl.lit(_LATIN).gather(code.cast(pl.Int64) % 256)
    return pl.when(code < 0).then(pl.lit("")).otherwise(found)


def separator(code: pl.Expr, literal: object) -> pl.Expr:
    """The letter of a code as a separator; NULL unless it is positive."""
    if isinstance(literal, int):
        return pl.lit(chr(literal) if literal > 0 else None, dtype=pl.String)
    quick = pl.when(code.is_between(1, 255)).then(letter(code))
    rest = by_distinct(lambda n: chr(n) if n > 0 else None, pl.String, pl.col("$0"))
    return else_by(pl.String, quick, lambda _: rest, code)


def repeated(value: pl.Expr, count: pl.Expr) -> pl.Expr:
    return pl.when(value.is_not_null()).then(value.repeat_by(count.clip(0)).list.join(""))


def padded(value: pl.Expr, length: pl.Expr, fill: pl.Expr, *, left: bool) -> pl.Expr:
    """Of exactly ``length`` letters; NULL for a negative length, or nothing to fill with."""

    def pad(text: pl.Expr, size: pl.Expr, by: pl.Expr) -> pl.Expr:
        missing = (size - text.str.len_chars().cast(pl.Int64)).clip(0)
        filler = repeated(by, missing).str.head(missing)
        whole = pl.concat_str([filler, text] if left else [text, filler])
        fits = pl.when((size >= 0) & (by != ""))
        return fits.then(pl.when(missing > 0).then(whole).otherwise(text.str.head(size.clip(0))))

    return let(pl.String(), pad, value, length.cast(pl.Int64), fill)


def position(needle: pl.Expr, value: pl.Expr, start: pl.Expr | None = None) -> pl.Expr:
    """1-based; 0 if absent. Empty text is found at the start, wherever the search begins."""
    if start is None:
        before = value.str.splitn(needle, 2).struct.field("field_0").str.len_chars()
        inside = value.str.contains(needle, literal=True)
        place = pl.when(inside & (needle != "")).then(before + 1).when(inside).then(1)
        return place.when(~inside).then(0).cast(pl.Int32)
    skipped = (start.cast(pl.Int64) - 1).clip(0)

    def from_start(wanted: pl.Expr, text: pl.Expr, after: pl.Expr) -> pl.Expr:
        place = position(wanted, text.str.slice(after))
        known = pl.all_horizontal(one.is_not_null() for one in (wanted, text, after))
        found = pl.when(wanted == "").then(1).when(place > 0).then(place + after).otherwise(0)
        return pl.when(known).then(found).cast(pl.Int32)

    return let(pl.Int32(), from_start, needle, value, skipped)


def nth_position(value: pl.Expr, needle: pl.Expr, *more: pl.Expr) -> pl.Expr:
    """The n-th place from a start on; from a negative start, counted from the end, backward.

    From 0 on nothing is found.

    Raises:
        EvaluationError: BAD_POSITION, when evaluated.
    """
    if not more:
        return position(needle, value)
    start, occurrence = (*more, pl.lit(1))[:2]
    return pl.map_batches([value, needle, start, occurrence], _places, return_dtype=pl.Int32)


def _places(series: Sequence[pl.Series]) -> pl.Series:
    value, needle, *numbers = in_full(series)
    start, occurrence = (number.cast(pl.Int64) for number in numbers)
    known = value.is_not_null() & needle.is_not_null()
    known &= start.is_not_null() & occurrence.is_not_null()
    if (known & (occurrence < 1)).any():
        raise failure("BAD_POSITION", "'INSTR' counts occurrences from 1")
    texts, needles = octets(value), octets(needle)
    found = np.empty(len(value), np.int64)
    begins, counts = (number.fill_null(1).to_numpy() for number in (start, occurrence))
    nth_place(texts.data, texts.ends, needles.data, needles.ends, begins, counts, found)
    places = pl.Series(found, dtype=pl.Int32)
    return places.zip_with(known, places.clear(len(places)))


def overlaid(value: pl.Expr, by: pl.Expr, start: pl.Expr, length: pl.Expr | None = None) -> pl.Expr:
    """The same where the start is outside."""
    count = by.str.len_chars() if length is None else length

    def lay(text: pl.Expr, over: pl.Expr, first: pl.Expr, size: pl.Expr) -> pl.Expr:
        inside = (first > 0) & (first <= text.str.len_chars().cast(pl.Int64))
        rest = text.str.slice((first - 1 + size).clip(0))
        rest = pl.when(size > 0).then(rest).otherwise(pl.lit(""))
        whole = pl.concat_str([text.str.head((first - 1).clip(0)), over, rest])
        known = pl.all_horizontal(one.is_not_null() for one in (over, first, size))
        return pl.when(known).then(pl.when(inside).then(whole).otherwise(text))

    return let(pl.String(), lay, value, by, start.cast(pl.Int64), count.cast(pl.Int64))


def replaced(value: pl.Expr, needle: pl.Expr, by: pl.Expr, literals: Sequence[object]) -> pl.Expr:
    """Each occurrence; an empty needle is found around each letter, as in Java."""
    constant, new_constant = literals
    if isinstance(constant, str) and constant and isinstance(new_constant, str):
        return value.str.replace_all(constant, new_constant, literal=True)

    def replace(text: pl.Expr, old: pl.Expr, new: pl.Expr) -> pl.Expr:
        joined = text.str.split(old).list.join(new)
        around = pl.concat_str([new, joined, pl.when(text != "").then(new).otherwise(pl.lit(""))])
        known = old.is_not_null() & new.is_not_null()
        return pl.when(known).then(pl.when(old == "").then(around).otherwise(joined))

    return let(pl.String(), replace, value, needle, by)


def translated(
    value: pl.Expr, source: pl.Expr, target: pl.Expr, literals: Sequence[object]
) -> pl.Expr:
    """Letters for letters; those of the source without a letter in the target go.

    A NULL source changes nothing, a NULL target is empty.
    """
    old, new = ("" if literal is None else literal for literal in literals)
    if isinstance(old, str) and isinstance(new, str):
        table = {one: new[n : n + 1] for n, one in reversed(list(enumerate(old)))}
        return value.str.replace_many(list(table), list(table.values())) if table else value
    return by_distinct(_translate, pl.String, value, source.fill_null(""), target.fill_null(""))


def _translate(value: str, source: str, target: str) -> str:
    table: dict[int, int | None] = {}
    for place, one in enumerate(source):
        table.setdefault(ord(one), ord(target[place]) if place < len(target) else None)
    return value.translate(table)


def from_base64(value: pl.Expr) -> pl.Expr:
    """The decoded text; padding may be left out.

    Raises:
        EvaluationError: BAD_BASE64, when evaluated.
    """
    missing = (-value.str.len_bytes().cast(pl.Int64)) % 4
    whole = pl.concat_str([value, pl.lit("===").str.head(missing)])
    quick = decoded(whole.str.decode("base64", strict=False))
    return else_by(pl.String, quick, lambda odd: by_distinct(_decoded64, pl.String, odd), value)


def _decoded64(value: str) -> str:
    try:
        padded = value if value.endswith("=") else value + "=" * (-len(value) % 4)
        return base64.b64decode(padded, validate=True).decode("utf-8", errors="replace")
    except ValueError:
        raise failure("BAD_BASE64", f"'{value}' is no base64 text") from None


_KERNELS = {
    "ascii": (
        partial(charsets.to_narrow, charsets.ASCII),
        partial(charsets.from_narrow, charsets.ASCII),
    ),
    "iso8859-1": (
        partial(charsets.to_narrow, charsets.LATIN),
        partial(charsets.from_narrow, charsets.LATIN),
    ),
    "utf-16": (partial(charsets.to_wide, True, True), partial(charsets.from_wide, True, True)),
    "utf-16-be": (partial(charsets.to_wide, True, False), partial(charsets.from_wide, True, False)),
    "utf-16-le": (
        partial(charsets.to_wide, False, False),
        partial(charsets.from_wide, False, False),
    ),
}
"""By Python's name of a charset: what writes and what reads it. UTF-16 has a mark, as in Java."""


def _charset(name: object) -> str:
    """Python's name of a charset; empty if there is none."""
    try:
        return codecs.lookup(str(name)).name
    except LookupError:
        return ""


def encoded(value: pl.Expr, charset: pl.Expr, literals: Sequence[object]) -> pl.Expr:
    """Text in a charset; letters that it does not know are question marks.

    Raises:
        EvaluationError: UNKNOWN_CHARSET, when evaluated.
    """
    name = _charset(literals[0])
    if name == "utf-8":
        return value.cast(pl.Binary)
    if name in _KERNELS:
        return rewritten(value, _KERNELS[name][0], 2, 2, binary=True)
    return by_distinct(_encode, pl.Binary, value, charset)


def decoded_by(value: pl.Expr, charset: pl.Expr, literals: Sequence[object]) -> pl.Expr:
    """The text of a charset's octets.

    Raises:
        EvaluationError: UNKNOWN_CHARSET, when evaluated.
    """
    name = _charset(literals[0])
    if name == "utf-8":
        return decoded(value)
    if name in _KERNELS:
        return rewritten(value, _KERNELS[name][1], 3)
    return by_distinct(_decode, pl.String, value, charset)


def _encode(value: str, charset: str) -> bytes:
    return value.encode(_checked(charset), errors="replace")


def _decode(value: bytes, charset: str) -> str:
    return value.decode(_checked(charset), errors="replace")


def _checked(charset: str) -> str:
    """Raises EvaluationError: UNKNOWN_CHARSET."""
    name = _charset(charset)
    if not name:
        raise failure("UNKNOWN_CHARSET", f"there is no charset '{charset}'")
    return name


def unhex(value: pl.Expr) -> pl.Expr:
    """Of an odd number of digits the first counts as zero, as in Flink; NULL if malformed."""
    odd = value.str.len_bytes() % 2 == 1
    even = pl.when(odd).then(pl.concat_str([pl.lit("00"), value.str.slice(1)])).otherwise(value)
    return even.str.decode("hex", strict=False)
