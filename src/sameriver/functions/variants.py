"""VARIANT: a value of any kind, held as JSON text in its shortest form."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial

import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.types import VARIANT
from sameriver.functions.by_constant import by_constant
from sameriver.functions.distinct import by_distinct
from sameriver.functions.failure import failure
from sameriver.functions.forms import TEXT, TRUTH, Form, infer
from sameriver.functions.json_scan import canonical, written
from sameriver.functions.jsonpath import Path, first_value
from sameriver.functions.render import java_text
from sameriver.functions.signature import Evaluation, ScalarFunction
from sameriver.functions.staged import else_by, let

_DIGITS = 38
"""Numbers with more are held as DOUBLE."""


@dataclass(frozen=True, slots=True)
class _Number:
    """A number as its text shows it."""

    text: str


def _whole(written: str) -> _Number:
    return _Number(str(int(written))) if len(written) <= _DIGITS else _fraction(written)


def _fraction(written: str) -> _Number:
    """A DECIMAL without zeros at its end, or a DOUBLE where there is an exponent."""
    exact = Decimal(written)
    digits, exponent = exact.as_tuple()[1:]
    scale = -int(exponent)
    if written.lower().find("e") < 0 and max(len(digits), scale) <= _DIGITS:
        shown = f"{exact:f}" if exact else "0"
        return _Number(shown.rstrip("0").rstrip(".") if "." in shown else shown)
    return _Number(java_text(float(written)))


def _refuse(word: str) -> None:
    raise ValueError(f"there is no number {word}")


def _object(pairs: list[tuple[str, object]], *, repeats: bool) -> dict[str, object]:
    """Raises ValueError for a name that stands twice, unless that is allowed."""
    found = dict(pairs)
    if len(found) < len(pairs) and not repeats:
        raise ValueError("a name stands twice in an object")
    return found


def _decoder(repeats: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_int=_whole,
        parse_float=_fraction,
        parse_constant=_refuse,
        object_pairs_hook=partial(_object, repeats=repeats),
    )


_DECODERS = {repeats: _decoder(repeats) for repeats in (False, True)}
_KEPT = json.JSONDecoder(parse_int=_Number, parse_float=_Number)
"""For text of variants: numbers stay as they are."""


_quoted = partial(json.dumps, ensure_ascii=False)


def _dump(value: object) -> str:
    match value:
        case _Number():
            return value.text
        case dict():
            names = sorted(value, key=lambda name: name.encode("utf-16-be"))
            return "{" + ",".join(f"{_quoted(name)}:{_dump(value[name])}" for name in names) + "}"
        case list():
            return "[" + ",".join(map(_dump, value)) + "]"
    return _quoted(value)


def _parsed(text: str, *, repeats: bool) -> str:
    """The value that JSON text tells.

    Raises:
        EvaluationError: BAD_JSON.
    """
    try:
        return _dump(first_value(text, _DECODERS[repeats]))
    except ValueError as error:
        raise failure("BAD_JSON", f"'{text}' is no JSON: {error}") from None


def parsed_or_none(text: str, *, repeats: bool) -> str | None:
    """The same; None for what is no JSON."""
    try:
        return _dump(first_value(text, _DECODERS[repeats]))
    except ValueError:
        return None


def _parse(name: str, read: Callable[..., str | None], nullable: bool | None) -> ScalarFunction:
    forms: tuple[Form, ...] = ((TEXT,), (TEXT, TRUTH))

    def each(text: str, repeats: bool = False) -> str | None:
        return read(text, repeats=repeats)

    def kernel(_: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
        text, *repeats = args
        quick = canonical(text, unique=True)
        for allowed in repeats:
            quick = pl.when(allowed).then(canonical(text, unique=False)).otherwise(quick)
        return else_by(pl.String, quick, lambda *odd: by_distinct(each, pl.String, *odd), *args)

    return ScalarFunction(
        name=name,
        infer=infer(name, *forms, result=VARIANT, nullable=nullable),
        kernel=kernel,
        fallible=nullable is None,
    )


def _item(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    """A field of an object by its name, or an element of an array by its place from 1.

    Raises:
        EvaluationError: NOT_A_COLLECTION, when evaluated.
    """
    variant, key = args
    constant = evaluation.operands[1].value
    if isinstance(constant, str):
        path, fits = Path((constant,), False), variant.str.starts_with("{")
    elif isinstance(constant, int) and constant > 0:
        path, fits = Path((constant - 1,), False), variant.str.starts_with("[")
    else:
        return by_distinct(_member, pl.String, variant, key)

    quick = let(
        _FOUND,
        lambda found, fits: pl.when(fits & found.struct.field("kind").is_not_null()).then(
            pl.struct(text=found.struct.field("text"))
        ),
        written(variant, path),
        fits,
    )
    found = else_by(_FOUND, quick, lambda *odd: by_distinct(_told, _FOUND, *odd), variant, key)
    return found.struct.field("text")


_FOUND = pl.Struct({"text": pl.String})


def _told(text: str, key: str | int) -> dict[str, str | None]:
    return {"text": _member(text, key)}


def _member(text: str, key: str | int) -> str | None:
    value = _KEPT.decode(text)
    if isinstance(key, str) and isinstance(value, dict):
        return _dump(value[key]) if key in value else None
    if isinstance(key, int) and isinstance(value, list):
        return _dump(value[key - 1]) if 0 < key <= len(value) else None
    what = "object" if isinstance(key, str) else "array"
    raise failure("NOT_A_COLLECTION", f"'{text}' is no {what}, so it has no [{key!r}]")


item = by_constant(_item)


VARIANTS = [
    _parse("PARSE_JSON", _parsed, None),
    _parse("TRY_PARSE_JSON", parsed_or_none, True),
]
