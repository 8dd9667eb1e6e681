"""Writes rows of text line by line."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import zstandard

from sameriver.connectors.formats.parallel import ahead

Data = bytes | memoryview
"""Text as bytes."""
_PACKERS: dict[str, Callable[[Data], bytes]] = {".gz": gzip.compress, ".zst": zstandard.compress}
_ROWS = 1 << 15
"""Rows that are made lines of at once."""


class LineFile:
    """A file of lines, open during a ``write`` only: a sink may have thousands in progress.

    If its name ends in ``.gz`` or ``.zst`` it is many members or frames, so that it is whole after
    each write. Other threads make the lines of rows, and pack them, while those before are written.

    Args:
        path: the file; it is made or grows.
        lines: makes the lines of rows, the end of the last one too.

    Attributes:
        size: bytes so far.
    """

    def __init__(self, path: Path, lines: Callable[[pl.DataFrame], Data]) -> None:
        self._path = path
        self._lines = lines
        self._pack = _PACKERS.get(path.suffix)
        self.size = 0

    def write(self, rows: pl.DataFrame) -> None:
        if not rows.height:
            return
        pieces = [rows.slice(start, _ROWS) for start in range(0, rows.height, _ROWS)]
        with self._path.open("ab", buffering=0) as file:
            for _, made in ahead(self._packed, pieces):
                data = made()
                left = memoryview(data)
                while left:
                    left = left[file.write(left) :]
                self.size += len(data)

    def _packed(self, rows: pl.DataFrame) -> Data:
        data = self._lines(rows)
        return data if self._pack is None else self._pack(data)


def lines_of(line: pl.Expr) -> Callable[[pl.DataFrame], Data]:
    """Makes lines of an expression that gives one a row."""
    end = pl.lit("\n")

    def lines(rows: pl.DataFrame) -> Data:
        made: bytes = rows.select((line + end).str.join().cast(pl.Binary)).item()
        return made

    return lines
