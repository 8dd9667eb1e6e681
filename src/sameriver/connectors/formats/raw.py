"""``raw``: a line is the one column."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.common.types import BINARIES, CHARACTERS
from sameriver.connectors.connector import ConnectorOption
from sameriver.connectors.formats import json_cells
from sameriver.connectors.formats.cells import Data, line_cut, whole_lines
from sameriver.connectors.formats.faults import BadRow
from sameriver.connectors.formats.format import Columns, Format, Options, Parsed
from sameriver.connectors.formats.text_writer import LineFile, lines_of
from sameriver.connectors.options import choice


def _check_column(schema: Schema) -> None:
    if len(schema) != 1 or schema.types[0].root not in (*CHARACTERS, *BINARIES):
        raise UserError(
            "UNSUPPORTED_TYPE",
            "the raw format holds exactly one column, a STRING or BYTES",
            hint="Declare one column, or use another format.",
        )


@dataclass(slots=True)
class RawReader:
    """Reads lines."""

    columns: Columns
    by_line: ClassVar[bool] = True

    def cut(self, data: Data, sure: bool) -> int:
        return line_cut(data)

    def parse(self, data: Data, last: bool) -> Parsed:
        data = data if last else whole_lines(data)
        cells, spots, ends = json_cells.lines(data)
        columns: list[pl.Series] = []
        for field in self.columns.wanted:
            if field.type.root in BINARIES:
                columns.append(cells.binary().alias(field.name))
                continue
            text, bad = cells.strings()
            if bad.any():
                first = int(np.argmax(bad))
                raise BadRow(int(spots[first, 0]), "is not UTF-8", cells.text(first), field.name)
            columns.append(text.alias(field.name))
        rows = pl.DataFrame(columns or None, height=len(cells))
        return Parsed(changes=Changes(rows), used=len(data), lines=ends)


class RawWriter:
    """Writes one file of lines."""

    def __init__(self, path: Path, schema: Schema, options: Options) -> None:
        _check_column(schema)
        text = pl.col(schema.names[0]).cast(pl.String)
        self._file = LineFile(path, lines_of(text.fill_null("")))

    def write(self, changes: Changes) -> None:
        self._file.write(changes.rows)

    @property
    def size(self) -> int:
        return self._file.size

    def close(self) -> None:
        """Each write is whole."""


def _reader(columns: Columns, options: Options) -> RawReader:
    _check_column(columns.declared)
    return RawReader(columns)


def _check(options: Options, schema: Schema) -> None:
    choice(options, "raw.charset", "UTF-8", ("UTF-8", "UTF8"))


RAW = Format(
    name="raw",
    options=(
        ConnectorOption("charset", "UTF-8 only", "UTF-8"),
        ConnectorOption("endianness", "accepted; text has none", "big-endian"),
    ),
    text=_reader,
    writer=RawWriter,
    check=_check,
)
