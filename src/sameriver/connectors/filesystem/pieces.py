"""Reads one file piece by piece: rows, and where each piece starts."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import zstandard

from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError
from sameriver.connectors.filesystem.files import open_bytes, pass_over
from sameriver.connectors.formats.format import BadRow, FrameReader, TextReader

_LEAST, _MOST = 1 << 16, 1 << 24
_LONGEST_ROW = 1 << 28


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of a file. ``start`` and ``line`` say where they begin: byte (or row) and line."""

    changes: Changes
    start: int
    line: int


class TextPieces:
    """Pieces of a text file.

    Raises:
        ExternalError: BAD_ROW with file, line and column; UNREADABLE_FILE.
    """

    def __init__(self, path: Path, reader: TextReader, counters: Counter[str], prefix: str) -> None:
        self._path = path
        self._reader = reader
        self._counters = counters
        self._hint = (
            f"Mend the row, or set '{prefix}.ignore-parse-errors' = 'true' to skip and count it."
        )
        self._size = _LEAST

    def read(self, start: int, line: int) -> Iterator[Piece]:
        """Pieces from byte ``start`` on, which is at the beginning of line ``line`` (0-based)."""
        with _unreadable(self._path), open_bytes(self._path) as file:
            pass_over(file, start)
            rest, last = b"", False
            while not last:
                data = file.read(self._size)
                last = len(data) < self._size
                rest += data
                if last and not rest:
                    return
                try:
                    parsed = self._reader.parse(rest, last)
                except BadRow as bad:
                    raise bad.error(self._path, line, self._hint) from None
                self._counters.update(parsed.counters)
                if len(parsed.changes):
                    yield Piece(parsed.changes, start, line)
                rest = rest[parsed.used :]
                start, line = start + parsed.used, line + parsed.lines
                self._grow(parsed.used, len(rest))

    def _grow(self, used: int, rest: int) -> None:
        """Pieces start small, for a quick first row."""
        if rest > _LONGEST_ROW:
            raise ExternalError(
                "BAD_ROW",
                f"'{self._path}' has a row of more than {_LONGEST_ROW >> 20} MiB",
                hint="A quote that never ends may be the cause.",
            )
        if used == 0 or self._size < _MOST:
            self._size = min(self._size * 4, _MOST if used else _LONGEST_ROW)


class _unreadable:  # noqa: N801
    """Turns errors of reading into ours."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError | EOFError | gzip.BadGzipFile | zstandard.ZstdError):
            raise ExternalError(
                "UNREADABLE_FILE",
                f"'{self._path}' can't be read: {error}",
                hint="Is it whole, and is its name right (.gz, .zst)?",
                retry=isinstance(error, OSError),
            ) from error


class FramePieces:
    """Pieces of a columnar file; ``start`` counts rows."""

    def __init__(self, path: Path, reader: FrameReader) -> None:
        self._path = path
        self._reader = reader

    def read(self, start: int, line: int) -> Iterator[Piece]:
        try:
            for frame in self._reader(self._path, start):
                if frame.height:
                    yield Piece(Changes(frame), start, 0)
                start += frame.height
        except pl.exceptions.PolarsError as error:
            raise ExternalError(
                "UNREADABLE_FILE",
                f"'{self._path}' can't be read: {str(error).splitlines()[0]}",
                hint="Does the file hold the columns that the table declares?",
            ) from error


Pieces = TextPieces | FramePieces
