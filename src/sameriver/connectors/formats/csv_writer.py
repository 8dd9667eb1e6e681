"""Writing ``csv`` as Flink does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.schema import Schema
from sameriver.common.types import (
    BINARIES,
    CHARACTERS,
    INTEGERS,
    INTERVALS,
    TIMESTAMPS,
    DataType,
    Root,
)
from sameriver.connectors.formats.csv_text import CsvRules, cell_text, check_columns
from sameriver.connectors.formats.kernels.csv_lines import lay_out, measure
from sameriver.connectors.formats.shown import Shown, integers, texts, timestamps
from sameriver.connectors.formats.text_writer import LineFile

_GUARDED = (*CHARACTERS, *BINARIES, *TIMESTAMPS, Root.DATE, Root.TIME, Root.ARRAY, Root.ROW)
"""What Jackson takes for text, and quotes if it is long or has a character that calls for it."""
_DIRECT = (*INTEGERS, *INTERVALS, *TIMESTAMPS)
"""What kernels show as text."""


class CsvWriter:
    """Writes one file."""

    def __init__(self, path: Path, schema: Schema, rules: CsvRules) -> None:
        check_columns(schema)
        self._types = schema.types
        self._separator = ord(rules.separator)
        self._guards = [_guard(type, rules) for type in schema.types]
        self._cells = [
            pl.col(field.name)
            if field.type.root in _DIRECT
            else cell_text(pl.col(field.name), field.type, rules)
            for field in schema
        ]
        self._null = np.frombuffer((rules.null or "").encode(), np.uint8)
        self._file = LineFile(path, self._lines)

    def write(self, changes: Changes) -> None:
        self._file.write(changes.rows)

    def _lines(self, rows: pl.DataFrame) -> memoryview:
        shown = [
            _shown(*column) for column in zip(rows.select(self._cells), self._types, strict=True)
        ]
        ways = np.empty((len(shown), rows.height), np.uint8)
        sizes = np.zeros(rows.height, np.int64)
        for cells, guard, way in zip(shown, self._guards, ways, strict=True):
            measure(*cells, *guard, len(self._null), way, sizes)
        ends = np.cumsum(sizes)
        places, out = ends - sizes, np.empty(int(ends[-1]), np.uint8)
        after = [*[self._separator] * (len(shown) - 1), ord("\n")]
        for cells, guard, way, byte in zip(shown, self._guards, ways, after, strict=True):
            lay_out(*cells[:3], *guard[:2], way, self._null, byte, places, out)
        return out.data

    @property
    def size(self) -> int:
        return self._file.size

    def close(self) -> None:
        """Each write is whole."""


def _guard(type: DataType, rules: CsvRules) -> tuple[int, int, int]:
    """Of a column: its quote, its escape (-1: none), and the last character that needs quotes."""
    if type.root not in _GUARDED:
        return -1, -1, -1
    quote, escape = (-1 if c is None else ord(c) for c in (rules.quote, rules.escape))
    return quote, escape, max(quote, escape, ord(rules.separator), ord("\r"))


def _shown(values: pl.Series, type: DataType) -> Shown:
    """A column as text; NULL stays NULL."""
    if type.root in TIMESTAMPS:
        return timestamps(values, " ", "Z" if type.root is Root.TIMESTAMP_LTZ else "")
    return integers(values) if type.root in _DIRECT else texts(values)
