"""Reads the files of a table one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from sameriver.common.errors import ExternalError
from sameriver.common.schema import Schema
from sameriver.common.types import to_polars
from sameriver.connectors.connector import Position, SourceBatch, TableContext
from sameriver.connectors.filesystem.files import File, list_files, local_path
from sameriver.connectors.filesystem.partitions import partition_value
from sameriver.connectors.filesystem.pieces import FramePieces, Piece, Pieces, TextPieces
from sameriver.connectors.formats.format import Columns
from sameriver.connectors.formats.registry import format_of


class FilesystemSource:
    """Bounded: the files there are when it is made, sorted by path.

    A position holds the file, where in it the current piece starts, and how many rows of the
    piece were given.
    """

    def __init__(self, context: TableContext) -> None:
        self._context = context
        self._format = format_of(context.options["format"])
        self._columns = _columns(context)
        self._counters: Counter[str] = Counter()
        self._files = list_files(local_path(context.options))
        self._index = 0
        self._pieces: Iterator[Piece] | None = None
        self._piece: Piece | None = None
        self._given = 0

    @property
    def bounded(self) -> bool:
        return True

    def poll(self, rows: int) -> SourceBatch:
        if not self._ready():
            return SourceBatch(None, self._position(), finished=True)
        assert self._piece is not None
        part = self._piece.changes.slice(self._given, rows)
        self._given += len(part)
        return SourceBatch(
            part.with_rows(self._complete(part.rows, self._files[self._index])), self._position()
        )

    def seek(self, position: Position) -> None:
        """Goes on at a position that ``poll`` gave.

        Raises:
            ExternalError: NO_SUCH_FILE if its file is gone.
        """
        name = position["file"]
        if name is None:
            self._index = len(self._files)
            return
        paths = [str(file.path) for file in self._files]
        if name not in paths:
            raise ExternalError(
                "NO_SUCH_FILE",
                f"the source of table '{self._context.name}' stands in '{name}', which is gone",
                hint="Put the file back, or start without the saved state.",
            )
        self._index = paths.index(str(name))
        start, line, row = (int(str(position[key])) for key in ("start", "line", "row"))
        if start or line or row:
            self._pieces = self._open(self._files[self._index]).read(start, line)
            self._skip(row)

    def counters(self) -> Mapping[str, int]:
        return self._counters

    def close(self) -> None:
        self._pieces = self._piece = None
        self._index = len(self._files)

    def _ready(self) -> bool:
        """Makes sure that the current piece has rows left; False at the end of all files."""
        while self._piece is None or self._given >= len(self._piece.changes):
            if self._index >= len(self._files):
                return False
            if self._pieces is None:
                self._pieces = self._open(self._files[self._index]).read(0, 0)
            self._piece, self._given = next(self._pieces, None), 0
            if self._piece is None:
                self._pieces = None
                self._index += 1
        return True

    def _skip(self, rows: int) -> None:
        """Passes over rows that were given before; pieces may be cut otherwise now."""
        assert self._pieces is not None
        while rows:
            piece = next(self._pieces, None)
            if piece is None:
                self._pieces = None
                self._index += 1
                return
            if len(piece.changes) >= rows:
                self._piece, self._given = piece, rows
                return
            rows -= len(piece.changes)

    def _position(self) -> Position:
        if self._index >= len(self._files):
            return {"file": None, "start": 0, "line": 0, "row": 0}
        start, line = (self._piece.start, self._piece.line) if self._piece else (0, 0)
        path = str(self._files[self._index].path)
        return {"file": path, "start": start, "line": line, "row": self._given}

    def _open(self, file: File) -> Pieces:
        options = self._context.options
        if self._format.frames is not None:
            return FramePieces(file.path, self._format.frames(self._columns, options))
        assert self._format.text is not None
        reader = self._format.text(self._columns, options)
        return TextPieces(file.path, reader, self._counters, self._format.name)

    def _complete(self, rows: pl.DataFrame, file: File) -> pl.DataFrame:
        """Adds metadata and partition columns, and puts columns in the order asked for."""
        context = self._context
        columns: list[pl.Series | pl.Expr] = []
        for field in context.schema:
            if field.name in context.metadata:
                value = _metadata(context.metadata[field.name], file.path)
            elif field.name in context.partitioned_by:
                value = partition_value(file, field, context.zone)
            else:
                columns.append(pl.col(field.name))
                continue
            columns.append(
                _constant(value, rows.height).cast(to_polars(field.type)).alias(field.name)
            )
        return rows.select(columns) if columns else pl.DataFrame(height=rows.height)


def _constant(value: object, height: int) -> pl.Series:
    return pl.Series([value]).new_from_index(0, height)


def _columns(context: TableContext) -> Columns:
    """The columns that stand in the files."""
    apart = {*context.metadata, *context.partitioned_by}

    def held(schema: Schema) -> Schema:
        return Schema(tuple(field for field in schema if field.name not in apart))

    return Columns(declared=held(context.declared), wanted=held(context.schema))


def _metadata(key: str, path: Path) -> object:
    stat = path.stat()
    values: dict[str, object] = {
        "file.path": str(path),
        "file.name": path.name,
        "file.size": stat.st_size,
        "file.modification-time": datetime.fromtimestamp(stat.st_mtime, UTC),
    }
    return values[key]
