"""Writes columns of text line by line."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import zstandard

_PACKERS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".zst": zstandard.compress}


class LineFile:
    """A file of lines, open during a ``write`` only: a sink may have thousands in progress.

    If its name ends in ``.gz`` or ``.zst`` each write is a member or frame of its own, so that the
    file is whole after each.

    Attributes:
        size: bytes so far.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pack = _PACKERS.get(path.suffix, bytes)
        self.size = 0

    def write(self, lines: pl.Series) -> None:
        if not len(lines):
            return
        text: bytes = lines.str.join("\n").cast(pl.Binary).item()
        data = self._pack(text + b"\n")
        with self._path.open("ab", buffering=0) as file:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
        self.size += len(data)
