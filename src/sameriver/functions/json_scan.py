"""What a path leads to in most JSON texts, found by a kernel; NULL where it takes a closer look."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from sameriver.functions.jsonpath import Path
from sameriver.functions.kernels import json_text
from sameriver.functions.kernels.json_path import (
    DEPTH,
    ESCAPED,
    MISSING,
    NESTED,
    NULL,
    ODD,
    TEXT,
    walk,
)
from sameriver.functions.lists import lists
from sameriver.functions.octets import Places, Texts, octets, texts, written_anew

SCANNED = pl.Struct({"kind": pl.Int8, "text": pl.String})
"""Kind (of ``kernels.json_path``) and text of what was found."""

_ESCAPES = {
    **{chr(code): f"\\u{code:04x}" for code in range(32)},
    '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
}  # fmt: skip


def scanned(value: pl.Expr, to: Path | None) -> pl.Expr:
    """A struct as ``SCANNED`` for each text; kind and text are NULL where nothing is known."""
    return _along(value, to, _scan)


def written(value: pl.Expr, to: Path | None) -> pl.Expr:
    """The same, with JSON text in its shortest form of whatever was found."""
    return _along(value, to, _write)


def _along(
    value: pl.Expr, to: Path | None, read: Callable[[pl.Series, Sequence[str | int]], pl.Series]
) -> pl.Expr:
    steps = () if to is None else to.steps
    plain = [step for step in steps if isinstance(step, str) or (step is not None and step >= 0)]
    if to is None or len(plain) < len(steps) or len(steps) >= DEPTH:
        return pl.lit(None, dtype=SCANNED)
    return value.map_batches(lambda column: read(column, plain), return_dtype=SCANNED)


def _walked(given: Texts, steps: Sequence[str | int]) -> tuple[np.ndarray, Places, Places]:
    """Kinds, starts and stops of what the steps lead to."""
    size = len(given.ends)
    kinds = np.empty(size, np.int8)
    starts, stops = np.empty(size, np.int64), np.empty(size, np.int64)
    encoded = [step.encode() if isinstance(step, str) else b"" for step in steps]
    keys = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
    key_ends = np.cumsum([len(key) for key in encoded], dtype=np.int64)
    places = np.array([-1 if isinstance(step, str) else step for step in steps], np.int64)
    along, counts = np.zeros(DEPTH, np.bool_), np.zeros(DEPTH, np.int64)
    walk(given.data, given.ends, keys, key_ends, places, along, counts, kinds, starts, stops)
    return kinds, starts, stops


def _scan(column: pl.Series, steps: Sequence[str | int]) -> pl.Series:
    given = octets(column)
    kinds, starts, stops = _walked(given, steps)
    found = _bare(given, kinds, starts, stops, (kinds > NULL) & (kinds != NESTED))
    kinds[kinds == ESCAPED] = TEXT
    return _told(column, kinds, found)


def _bare(
    given: Texts, kinds: np.ndarray, starts: Places, stops: Places, shown: np.ndarray
) -> pl.Series:
    """What stands there, text without quotes and escapes; NULL where not ``shown``."""
    escaped = kinds == ESCAPED
    quotes = (kinds == TEXT) | escaped
    found = texts(given.data, starts + quotes, stops - quotes, pl.Series(shown))
    if not escaped.any():
        return found
    bare = _spelled(given, np.where(escaped, starts + 1, 0), np.where(escaped, stops - 1, 0))
    return found.zip_with(~pl.Series(escaped), bare)


def _spelled(given: Texts, starts: Places, stops: Places) -> pl.Series:
    """What stands there without escapes."""
    return written_anew(
        len(given.data),
        len(starts),
        lambda *out: json_text.spelled_out(given.data, starts, stops, *out),
    )


def _write(column: pl.Series, steps: Sequence[str | int]) -> pl.Series:
    given = octets(column)
    kinds, starts, _ = _walked(given, steps)
    found = _canonical(given, np.where(kinds > MISSING, starts, -1), variant=False, unique=False)
    kinds[kinds == ESCAPED] = TEXT
    kinds[(kinds > MISSING) & found.is_null().to_numpy()] = ODD
    return _told(column, kinds, found)


def items(value: pl.Expr) -> pl.Expr:
    """The items of JSON arrays in their shortest form, as texts; NULL for what is no array."""

    def run(column: pl.Series) -> pl.Series:
        given, ends = octets(column), np.empty(len(column), np.int64)
        kinds, starts, stops = np.empty(0, np.int8), np.empty(0, np.int64), np.empty(0, np.int64)
        for keep in (False, True):
            json_text.split(given.data, given.ends, keep, kinds, starts, stops, ends)
            if not keep:
                size = ends[-1] if len(ends) else 0
                kinds, starts, stops = (np.empty(size, a.dtype) for a in (kinds, starts, stops))
        found = _bare(given, kinds, starts, stops, kinds != NULL)
        return lists(found, ends, column.str.starts_with("[").fill_null(False))

    return value.map_batches(run, return_dtype=pl.List(pl.String))


def _told(column: pl.Series, kinds: np.ndarray, found: pl.Series) -> pl.Series:
    known = column.is_not_null() & pl.Series(kinds != ODD)
    kind = pl.Series("kind", kinds)
    parts = [pl.when(known).then(part) for part in (pl.lit(kind), pl.lit(found.alias("text")))]
    return pl.select(parts).to_struct()


def canonical(value: pl.Expr, *, unique: bool) -> pl.Expr:
    """Texts that each are one JSON value as a VARIANT holds it; NULL where one is odd.

    Equal keys in an object are odd if they must be ``unique``.
    """

    def run(column: pl.Series) -> pl.Series:
        given = octets(column)
        starts = np.append(0, given.ends)[:-1]
        return _canonical(given, starts, variant=True, unique=unique)

    return value.map_batches(run, return_dtype=pl.String)


def _canonical(given: Texts, starts: Places, *, variant: bool, unique: bool) -> pl.Series:
    longest = int(np.diff(given.ends, prepend=0).max(initial=0))
    marks, spare = np.empty((longest // 4 + 2, 3), np.int64), np.empty(longest + 1, np.uint8)
    return written_anew(
        len(given.data),
        len(starts),
        lambda *out: json_text.canonical(
            given.data, starts, given.ends, variant, unique, marks, spare, *out
        ),
    )


def quoted(text: pl.Expr) -> pl.Expr:
    """Text as JSON writes it."""
    inside = text.str.replace_many(list(_ESCAPES), list(_ESCAPES.values()))
    return pl.concat_str([pl.lit('"'), inside, pl.lit('"')])
