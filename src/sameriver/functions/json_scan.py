"""What a path leads to in most JSON texts, found by a kernel; NULL where it takes a closer look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.functions.jsonpath import Path
from sameriver.functions.kernels.json_path import DEPTH, NESTED, NULL, ODD, TEXT, walk
from sameriver.functions.octets import octets, texts

SCANNED = pl.Struct({"kind": pl.Int8, "text": pl.String})
"""Kind (of ``kernels.json_path``) and text of what was found; no text of an array or object."""

_ESCAPES = {
    **{chr(code): f"\\u{code:04x}" for code in range(32)},
    '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
}  # fmt: skip


def scanned(value: pl.Expr, to: Path | None) -> pl.Expr:
    """A struct as ``SCANNED`` for each text; kind and text are NULL where nothing is known."""
    steps = () if to is None else to.steps
    plain = [step for step in steps if isinstance(step, str) or (step is not None and step >= 0)]
    if to is None or len(plain) < len(steps) or len(steps) >= DEPTH:
        return pl.lit(None, dtype=SCANNED)
    return value.map_batches(lambda column: _scan(column, plain), return_dtype=SCANNED)


def _scan(column: pl.Series, steps: Sequence[str | int]) -> pl.Series:
    given = octets(column)
    size = len(column)
    kinds = np.empty(size, np.int8)
    starts, stops = np.empty(size, np.int64), np.empty(size, np.int64)
    encoded = [step.encode() if isinstance(step, str) else b"" for step in steps]
    keys = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
    key_ends = np.cumsum([len(key) for key in encoded], dtype=np.int64)
    places = np.array([-1 if isinstance(step, str) else step for step in steps], np.int64)
    along, counts = np.zeros(DEPTH, np.bool_), np.zeros(DEPTH, np.int64)
    walk(given.data, given.ends, keys, key_ends, places, along, counts, kinds, starts, stops)
    quoted = kinds == TEXT
    kind = pl.Series("kind", kinds)
    shown = pl.Series((kinds > NULL) & (kinds < NESTED))
    found = texts(given.data, starts + quoted, stops - quoted, shown)
    known = column.is_not_null() & (kind != ODD)
    parts = [pl.when(known).then(part) for part in (pl.lit(kind), pl.lit(found.alias("text")))]
    return pl.select(parts).to_struct()


def quoted(text: pl.Expr) -> pl.Expr:
    """Text as JSON writes it."""
    inside = text.str.replace_many(list(_ESCAPES), list(_ESCAPES.values()))
    return pl.concat_str([pl.lit('"'), inside, pl.lit('"')])
