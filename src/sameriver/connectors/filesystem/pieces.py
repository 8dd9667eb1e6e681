"""Reads one file piece by piece: rows, and where each piece starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import IO, NamedTuple, cast

import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError
from sameriver.connectors.filesystem.files import is_compressed, open_bytes, pass_over, unreadable
from sameriver.connectors.filesystem.marks import START, Mark, check_of, ends, grown, whole
from sameriver.connectors.formats.faults import BadRow
from sameriver.connectors.formats.format import FrameReader, Parsed, TextReader
from sameriver.connectors.formats.parallel import ahead

_LEAST, _MOST = 1 << 16, 1 << 23
"""Bytes of the first piece, for a quick first row, and of later ones: what Python does for each
should not show beside what kernels do."""
_LONGEST_ROW = 1 << 28


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


class _Text(NamedTuple):
    """A stretch of a file that is cut where a row ends.

    Attributes:
        data: its bytes.
        last: an unfinished row at its end is one, too.
        at_end: the file has no more bytes for now.
        room: the memory that they are in; it is used again when the rows are made.
    """

    data: memoryview
    last: bool
    at_end: bool
    room: bytearray


def _fill(file: IO[bytes], data: memoryview) -> int:
    """Reads bytes into ``data`` until that is full or the file ends; how many."""
    done = 0
    while read := cast(BufferedIOBase, file).readinto(data[done:]):
        done += read
    return done


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
        self._size = _LEAST
        self._sure = False
        self._rooms: list[bytearray] = []
        self._compressed = is_compressed(path)
        self._waits = waits and not self._compressed
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
        for text, result in ahead(self._parse, self._texts(file)):
            before, parsed = self.mark, self._checked(result)
            size, check = before.size, before.check
            if not self._compressed:
                head, tail = grown(head, tail, text.data[: parsed.used])
                size, check = size + parsed.used, check_of(head, tail)
            self.mark = Mark(size, before.lines + parsed.lines, check)
            guessed = parsed.used == len(text.data)
            if len(parsed.changes):
                yield Piece(parsed.changes, start, before, text.at_end and guessed)
            start += parsed.used
            self._rooms.append(text.room)
            if not guessed:
                self._sure = True
                yield from self.read(start, self.mark)
                return

    def _texts(self, file: IO[bytes]) -> Iterator[_Text]:
        """Cuts the file at ends of rows."""
        rest, at_end = b"", False
        while not at_end:
            size = len(rest) + self._size
            room = self._room(size)
            data = memoryview(room)[:size]
            data[: len(rest)] = rest
            end = len(rest) + _fill(file, data[len(rest) :])
            at_end, data = end < size, data[:end]
            last = at_end and not self._waits
            cut = end if last else self._reader.cut(data, self._sure)
            rest = bytes(data[cut:])
            if cut:
                yield _Text(data[:cut], last, at_end, room)
            self._grow(cut, len(rest))

    def _room(self, size: int) -> bytearray:
        """Memory of so many bytes. To ask for new one each time takes as long as to read a file."""
        while self._rooms:
            room = self._rooms.pop()
            if len(room) >= size:
                return room
        return bytearray(size + (size >> 4))

    def _parse(self, text: _Text) -> Parsed:
        return self._reader.parse(text.data, text.last)

    def _checked(self, result: Callable[[], Parsed]) -> Parsed:
        try:
            parsed = result()
        except BadRow as bad:
            raise bad.error(self._path, self.mark.lines, self._hint) from None
        self._counters.update(parsed.counters)
        return parsed

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
