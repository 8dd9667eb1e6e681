"""Writes columns of text line by line."""

from __future__ import annotations

from pathlib import Path

import polars as pl


class LineFile:
    """A file of lines; goes on at the end of one that is there.

    It is open during a ``write`` only: a sink may have thousands of files in progress.

    Attributes:
        size: bytes so far.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.size = path.stat().st_size if path.exists() else 0

    def write(self, lines: pl.Series) -> None:
        if not len(lines):
            return
        data = lines.str.join("\n").item().encode() + b"\n"
        with self._path.open("ab", buffering=0) as file:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
        self.size += len(data)
