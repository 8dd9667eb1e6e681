"""Writes columns of text line by line."""

from __future__ import annotations

from pathlib import Path

import polars as pl


class LineFile:
    """A file of lines, open during a ``write`` only: a sink may have thousands in progress.

    Attributes:
        size: bytes so far.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.size = 0

    def write(self, lines: pl.Series) -> None:
        if not len(lines):
            return
        data = lines.str.join("\n").item().encode() + b"\n"
        with self._path.open("ab", buffering=0) as file:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
        self.size += len(data)
