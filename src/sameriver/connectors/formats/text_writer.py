"""Writes columns of text line by line."""

from __future__ import annotations

from pathlib import Path

import polars as pl


class LineFile:
    """A file of lines, made when it is opened."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")

    def write(self, lines: pl.Series) -> None:
        if len(lines):
            joined = lines.str.join("\n").item()
            self._file.write(joined.encode())
            self._file.write(b"\n")

    def close(self) -> None:
        self._file.close()
