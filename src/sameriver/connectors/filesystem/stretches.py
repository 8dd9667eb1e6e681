"""Cuts a text file where rows end; the rest can be done by threads, side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import IO, NamedTuple, cast

import numpy as np

from sameriver.common.errors import ExternalError
from sameriver.connectors.filesystem.files import is_compressed
from sameriver.connectors.filesystem.marks import changed
from sameriver.connectors.formats.cells import line_cut
from sameriver.connectors.formats.format import TextReader
from sameriver.connectors.formats.scratch import Scratch

_LEAST, _MOST = 1 << 16, 1 << 23
"""Bytes of the first stretch, for a quick first row, and of later ones: what Python does for each
should not show beside what kernels do."""
_LONGEST_ROW = 1 << 28
_LOOK = 1 << 16
"""Bytes at the end of a stretch in which a line end is looked for at first."""
_SHARES = 4
"""Part of what is left that one stretch may be: at the end no thread should wait for another."""
_LEAST_SHARE = 1 << 20

_MEMORY = Scratch()


class Stretch(NamedTuple):
    """A stretch of a file that is cut where a row ends.

    Attributes:
        size: how many bytes.
        last: an unfinished row at its end is one, too.
        at_end: the file has no more bytes for now.
        load: gives its bytes block by block, each of so many or more, cut where rows end; None: all
            at once. The same thread may use the memory for the next one.
        done: takes the memory back, once nothing is needed any more.
    """

    size: int
    last: bool
    at_end: bool
    load: Callable[[int | None], Iterator[memoryview]]
    done: Callable[[], None]


class Cutter:
    """Finds the stretches of a file.

    Args:
        path: of the file.
        reader: of its format.
        waits: an unfinished row at the end will be finished later.

    Attributes:
        sure: what the format guesses of ends of rows has turned out wrong once.
    """

    def __init__(self, path: Path, reader: TextReader, *, waits: bool) -> None:
        self._path = path
        self._reader = reader
        self._waits = waits
        self._size = _LEAST
        self._rooms: list[bytearray] = []
        self.sure = False

    def stretches(self, file: IO[bytes], start: int) -> Iterator[Stretch]:
        """Stretches of an open file, which stands at byte ``start``, decompressed."""
        by_place = self._reader.by_line and hasattr(os, "preadv")
        if by_place and not is_compressed(self._path):
            return self._by_place(file.fileno(), start)
        return self._in_turn(file)

    # Rows that are lines: a cut is found from behind, and threads read for themselves. To be given
    # the bytes of a file by the system takes as long as to make rows of them.

    def _by_place(self, file: int, at: int) -> Iterator[Stretch]:
        at_end = False
        while not at_end:
            size = os.fstat(file).st_size
            if size < at:
                raise changed(self._path, f"it had {at} bytes, and has {size}")
            end = min(at + self._next_size(size - at), size)
            at_end = end == size
            last = at_end and not self._waits
            cut = end if last else self._line_end(file, at, end)
            if cut > at:
                yield Stretch(cut - at, last, at_end, self._loader(file, at, cut), _nothing)
            self._grow(cut - at, end - cut)
            at = cut

    def _next_size(self, left: int) -> int:
        share = max(left // _SHARES, _LEAST_SHARE)
        return self._size if self._size > _MOST else min(self._size, share)

    def _line_end(self, file: int, start: int, end: int) -> int:
        """Where the last line ends; ``start`` if none does."""
        low, look = end, _LOOK
        while low > start:
            low, look = max(start, end - look), look * 8
            if cut := line_cut(os.pread(file, end - low, low)):
                return low + cut
        return start

    def _loader(
        self, file: int, start: int, end: int
    ) -> Callable[[int | None], Iterator[memoryview]]:
        def load(size: int | None) -> Iterator[memoryview]:
            at, room = start, min(size or end - start, end - start)
            _MEMORY.begin()
            memory = _MEMORY.empty(room, np.uint8).data
            while at < end:
                data = memory[: end - at]
                self._read(file, at, data, end)
                cut = len(data) if at + len(data) == end else line_cut(data)
                if cut:
                    yield data[:cut]
                else:
                    memory = np.empty(2 * len(memory), np.uint8).data
                at += cut

        return load

    def _read(self, file: int, at: int, data: memoryview, end: int) -> None:
        done = 0
        while done < len(data):
            read = os.preadv(file, [data[done:]], at + done)
            if not read:
                raise changed(self._path, f"it had {end} bytes, and has {at + done}")
            done += read

    # Others: what is read is cut.

    def _in_turn(self, file: IO[bytes]) -> Iterator[Stretch]:
        rest, at_end = b"", False
        while not at_end:
            size = len(rest) + self._size
            room = self._room(size)
            data = memoryview(room)[:size]
            data[: len(rest)] = rest
            end = len(rest) + _fill(file, data[len(rest) :])
            at_end, data = end < size, data[:end]
            last = at_end and not self._waits
            cut = end if last else self._reader.cut(data, self.sure)
            rest = bytes(data[cut:])
            if cut:
                yield self._held(data[:cut], last, at_end, room)
            self._grow(cut, len(rest))

    def _held(self, data: memoryview, last: bool, at_end: bool, room: bytearray) -> Stretch:
        return Stretch(
            len(data), last, at_end, lambda _: iter([data]), lambda: self._rooms.append(room)
        )

    def _room(self, size: int) -> bytearray:
        """Memory of so many bytes. To ask for new one each time takes as long as to read a file."""
        while self._rooms:
            room = self._rooms.pop()
            if len(room) >= size:
                return room
        return bytearray(size + (size >> 4))

    def _grow(self, used: int, rest: int) -> None:
        """Stretches start small, for a quick first row."""
        if rest > _LONGEST_ROW:
            raise ExternalError(
                "BAD_ROW",
                f"'{self._path}' has a row of more than {_LONGEST_ROW >> 20} MiB",
                hint="A quote that never ends may be the cause.",
            )
        if used == 0 or self._size < _MOST:
            self._size = min(self._size * 4, _MOST if used else _LONGEST_ROW)


def _nothing() -> None:
    """Threads keep their memory."""


def _fill(file: IO[bytes], data: memoryview) -> int:
    """Reads bytes into ``data`` until that is full or the file ends; how many."""
    done = 0
    while read := cast(BufferedIOBase, file).readinto(data[done:]):
        done += read
    return done
