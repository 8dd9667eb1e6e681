"""PRINTF: Java's format strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

import polars as pl

from sameriver.common.types import CHARACTERS, INTEGERS, DataType, Root
from sameriver.functions.distinct import by_distinct
from sameriver.functions.signature import Operand

_WIDE = Context(prec=400, rounding=ROUND_HALF_UP)
_DIRECTIVE = re.compile(r"%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])")


def printf(operands: Sequence[Operand], args: Sequence[pl.Expr]) -> pl.Expr:
    """The formatted text; NULL where the format does not fit the values, or is NULL.

    Constant formats of text and whole numbers run in columns, all others once for each distinct
    combination of values.
    """
    template, *values = args
    types = [operand.type for operand in operands]
    constant = operands[0].value
    if isinstance(constant, str):
        parts = _parts(constant, list(zip(values, types[1:], strict=True)))
        if parts is not None:
            return pl.concat_str(parts)
    held = [_held(value, type) for value, type in zip(values, types[1:], strict=True)]
    return by_distinct(_formatted, pl.String, template, *held, nulls=True)


def _parts(template: str, values: Sequence[tuple[pl.Expr, DataType]]) -> list[pl.Expr] | None:
    """What is between directives, and their texts; None if one is not as plain as ``%-5s``."""
    parts = []
    place, ordinal = 0, 0
    for found in _DIRECTIVE.finditer(template):
        parts.append(pl.lit(template[place : found.start()]))
        place = found.end()
        if found[5] in "%n":
            parts.append(pl.lit("%" if found[5] == "%" else "\n"))
            continue
        number = int(found[1]) if found[1] else (ordinal := ordinal + 1)
        plain = found[2] in ("", "-") or (found[2] == "0" and found[5] == "d")
        if not (0 < number <= len(values) and plain and found[4] is None):
            return None
        value, type = values[number - 1]
        if type.root not in _PLAIN.get(found[5], ()):
            return None
        text = _aligned(value.cast(pl.String), found[2], int(found[3] or 0))
        parts.append(text)
    return [*parts, pl.lit(template[place:])]


_PLAIN = {"s": (*CHARACTERS, *INTEGERS), "d": INTEGERS}
"""Types of values whose text is that of a CAST."""


def _aligned(text: pl.Expr, flag: str, width: int) -> pl.Expr:
    if flag == "0":
        return text.str.zfill(width).fill_null("null".rjust(width))
    text = text.fill_null("null")
    return text.str.pad_end(width) if flag else text.str.pad_start(width)


def _held(value: pl.Expr, type: DataType) -> pl.Expr:
    """A value as Flink holds it, which is what it prints: days, milliseconds, ISO text."""
    match type.root:
        case Root.DATE:
            return value.cast(pl.Int32)
        case Root.TIME:
            return value.cast(pl.Int64) // 1_000_000
        case Root.TIMESTAMP | Root.TIMESTAMP_LTZ:
            return _iso(value)
        case Root.INTERVAL_DAY_TIME:
            return value.cast(pl.Int64)
        case Root.NULL:
            return value.cast(pl.String)
    return value


def _iso(value: pl.Expr) -> pl.Expr:
    """As Java's LocalDateTime: no seconds if zero, a fraction of 3, 6 or 9 digits."""
    text = value.dt.strftime("%Y-%m-%dT%H:%M:%S%.9f")
    for zeros in ("000000$", "000$"):
        text = text.str.replace(rf"(\.\d+?){zeros}", "$1")
    return text.str.replace(r"\.000$", "").str.replace(r"(T\d\d:\d\d):00$", "$1")


def _formatted(template: str | None, *values: object) -> str | None:
    if template is None:
        return None
    parts: list[str] = []
    place, ordinal = 0, 0
    for found in _DIRECTIVE.finditer(template):
        parts.append(template[place : found.start()])
        place = found.end()
        if found[5] in "%n":
            parts.append("%" if found[5] == "%" else "\n")
            continue
        number = int(found[1]) if found[1] else (ordinal := ordinal + 1)
        if number > len(values):
            return None
        text = _directive(found, values[number - 1])
        if text is None:
            return None
        parts.append(text)
    parts.append(template[place:])
    return "".join(parts)


def _directive(found: re.Match[str], value: object) -> str | None:
    """One value; None if it does not fit."""
    _, flags, width, precision, letter = found.groups()
    if value is None:
        text: str | None = "null" if precision is None else "null"[: int(precision)]
    else:
        shape = _SHAPES.get(letter.lower())
        text = None if shape is None else shape(value, flags, precision, letter)
    if text is None:
        return None
    text = text.upper() if letter.isupper() else text
    size = int(width or 0)
    if "0" in flags and "-" not in flags and value is not None and letter in "dxofe":
        sign = text[:1] if text[:1] in "+-" else ""
        return sign + text[len(sign) :].rjust(size - len(sign), "0")
    return text.ljust(size) if "-" in flags else text.rjust(size)


_Shape = Callable[[object, str, "str | None", str], "str | None"]


def _text(value: object, flags: str, precision: str | None, letter: str) -> str | None:
    shown = {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
    return shown if precision is None else shown[: int(precision)]


def _boolean(value: object, flags: str, precision: str | None, letter: str) -> str | None:
    return "false" if value is False else "true"


def _whole(value: object, flags: str, precision: str | None, letter: str) -> str | None:
    if not isinstance(value, int) or isinstance(value, bool) or precision is not None:
        return None
    if letter in "xXoO":
        return f"{value & (2**64 - 1 if value < -(2**31) else 2**32 - 1):{letter.lower()}}"
    return f"{value:{'+' if '+' in flags else ''}{',' if ',' in flags else ''}d}"


def _real(value: object, flags: str, precision: str | None, letter: str) -> str | None:
    if not isinstance(value, float):
        return None
    if value != value or value in (float("inf"), float("-inf")):
        return {True: "NaN"}.get(value != value, "Infinity" if value > 0 else "-Infinity")
    digits = 6 if precision is None else int(precision)
    mark = ("+" if "+" in flags else "") + ("," if "," in flags else "")
    if letter in "eE":
        return f"{value:{mark}.{digits}e}"
    exact = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), context=_WIDE)
    return f"{exact:{mark}f}"


def _character(value: object, flags: str, precision: str | None, letter: str) -> str | None:
    return chr(value) if isinstance(value, int) and not isinstance(value, bool) else None


_SHAPES: dict[str, _Shape] = {
    "s": _text, "b": _boolean, "d": _whole, "x": _whole, "o": _whole, "f": _real, "e": _real,
    "c": _character,
}  # fmt: skip
