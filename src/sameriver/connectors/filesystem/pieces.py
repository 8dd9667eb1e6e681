"""Reads one file piece by piece: rows, and where each piece starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError
from sameriver.connectors.filesystem.files import is_compressed, open_bytes, pass_over, unreadable
from sameriver.connectors.filesystem.marks import (
    START,
    Mark,
    check_of,
    ends,
    ends_of,
    grown,
    whole,
)
from sameriver.connectors.filesystem.stretches import Cutter, Stretch
from sameriver.connectors.formats.faults import BadRow
from sameriver.connectors.formats.format import BlockReader, FrameReader, Parsed, TextReader
from sameriver.connectors.formats.parallel import ahead


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of a file.

    Attributes:
        changes: the rows.
        start: where they begin: the byte, decompressed, or the row of a columnar file.
        mark: what of the file lies before them, or all of one that can't grow.
        last: nothing follows for now; False if that isn't known yet.
    """

    changes: Changes
    start: int
    mark: Mark
    last: bool


class _Rows(NamedTuple):
    """What a stretch came to.

    Attributes:
        parsed: its rows.
        head, tail: the first and the last bytes of what they took.
    """

    parsed: Parsed
    head: bytes
    tail: bytes


class _Seen:
    """The ends of what has passed by."""

    def __init__(self) -> None:
        self.head = self.tail = b""

    def passing(self, blocks: Iterable[memoryview]) -> Iterator[memoryview]:
        for block in blocks:
            self.head, self.tail = grown(self.head, self.tail, *ends_of(block))
            yield block


class TextPieces:
    """Pieces of a text file.

    Args:
        path: of the file; one that is compressed can't grow.
        reader: of the format.
        counters: to count what is ignored in.
        hint: what to do about a bad row.
        waits: an unfinished row at the end will be finished later.

    Attributes:
        mark: what was read up to now.

    Raises:
        ExternalError: BAD_ROW with file, line and column; UNREADABLE_FILE.
    """

    def __init__(
        self,
        path: Path,
        reader: TextReader,
        counters: Counter[str],
        hint: str,
        *,
        waits: bool,
    ) -> None:
        self._path = path
        self._reader = reader
        self._counters = counters
        self._hint = hint
        self._compressed = is_compressed(path)
        self._cutter = Cutter(path, reader, waits=waits and not self._compressed)
        with unreadable(path):
            self.mark = whole(path) if self._compressed else START

    def read(self, start: int, mark: Mark) -> Iterator[Piece]:
        """Pieces from byte ``start`` on, before which lies what ``mark`` says."""
        with unreadable(self._path), open_bytes(self._path) as file:
            pass_over(file, start)
            self.mark = self.mark._replace(lines=mark.lines) if self._compressed else mark
            yield from self._pieces(file, start)

    def _pieces(self, file: IO[bytes], start: int) -> Iterator[Piece]:
        head, tail = (b"", b"") if self._compressed else ends(self._path, start)
        for stretch, result in ahead(self._rows, self._cutter.stretches(file, start)):
            before, rows = self.mark, self._checked(result)
            parsed, size, check = rows.parsed, before.size, before.check
            if not self._compressed:
                head, tail = grown(head, tail, rows.head, rows.tail)
                size, check = size + parsed.used, check_of(head, tail)
            self.mark = Mark(size, before.lines + parsed.lines, check)
            guessed = parsed.used == stretch.size
            if len(parsed.changes):
                yield Piece(parsed.changes, start, before, stretch.at_end and guessed)
            start += parsed.used
            stretch.done()
            if not guessed:
                self._cutter.sure = True
                yield from self.read(start, self.mark)
                return

    def _rows(self, stretch: Stretch) -> _Rows:
        if isinstance(self._reader, BlockReader):
            seen = _Seen()
            blocks = seen.passing(stretch.load(self._reader.block))
            return _Rows(self._reader.parse_blocks(blocks, stretch.size), seen.head, seen.tail)
        (data,) = stretch.load(None)
        parsed = self._reader.parse(data, stretch.last)
        return _Rows(parsed, *ends_of(data[: parsed.used]))

    def _checked(self, result: Callable[[], _Rows]) -> _Rows:
        try:
            rows = result()
        except BadRow as bad:
            raise bad.error(self._path, self.mark.lines, self._hint) from None
        self._counters.update(rows.parsed.counters)
        return rows


class FramePieces:
    """Pieces of a columnar file; ``start`` counts rows, and the mark is of all of it."""

    def __init__(self, path: Path, reader: FrameReader) -> None:
        self._path = path
        self._reader = reader
        with unreadable(path):
            self.mark = whole(path)

    def read(self, start: int, mark: Mark) -> Iterator[Piece]:
        try:
            frames = (frame for frame in self._reader(self._path, start) if frame.height)
            frame = next(frames, None)
            while frame is not None:
                following = next(frames, None)
                yield Piece(Changes(frame), start, self.mark, following is None)
                start += frame.height
                frame = following
        except pl.exceptions.PolarsError as error:
            raise ExternalError(
                "UNREADABLE_FILE",
                f"'{self._path}' can't be read: {str(error).splitlines()[0]}",
                hint="Does the file hold the columns that the table declares?",
            ) from error


Pieces = TextPieces | FramePieces
