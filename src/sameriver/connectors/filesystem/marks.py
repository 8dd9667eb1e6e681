"""How far files were read, and how to recognise what was read of them."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sameriver.common.errors import ExternalError
from sameriver.connectors.filesystem.files import unreadable

_SPAN = 256
_CHUNK = 512


class Mark(NamedTuple):
    """What was read of a file.

    Attributes:
        size: bytes on disk; all of a file that can't grow (compressed, columnar).
        lines: line ends among them.
        check: CRC-32 of the first and the last 256 of these bytes.
    """

    size: int
    lines: int
    check: int


START = Mark(0, 0, 0)
"""Nothing."""


def check_of(head: bytes, tail: bytes) -> int:
    """The checksum of a mark, of its first and last bytes."""
    return zlib.crc32(tail, zlib.crc32(head))


def ends(path: Path, size: int) -> tuple[bytes, bytes]:
    """The first and the last bytes of the first ``size`` bytes of a file."""
    with path.open("rb") as file:
        head = file.read(min(_SPAN, size))
        file.seek(max(0, size - _SPAN))
        return head, file.read(min(_SPAN, size))


def whole(path: Path) -> Mark:
    """The mark of all of a file."""
    size = path.stat().st_size
    return Mark(size, 0, check_of(*ends(path, size)))


def ends_of(data: memoryview) -> tuple[bytes, bytes]:
    """The first and the last bytes of a stretch."""
    return bytes(data[:_SPAN]), bytes(data[-_SPAN:])


def grown(head: bytes, tail: bytes, first: bytes, last: bytes) -> tuple[bytes, bytes]:
    """The first and last bytes after a stretch has followed, whose ends are ``ends_of`` it."""
    return (head + first)[:_SPAN], (tail + last)[-_SPAN:]


def verify(path: Path, mark: Mark, *, grows: bool) -> None:
    """Checks that a file still begins with what was read of it.

    Args:
        path: of the file.
        mark: what was read.
        grows: whether rows may have been appended.

    Raises:
        ExternalError: FILE_CHANGED.
    """
    with unreadable(path):
        size = path.stat().st_size
        head, tail = ends(path, mark.size)
    if size < mark.size or (size > mark.size and not grows):
        raise changed(path, f"it has {size} bytes, and had {mark.size}")
    if check_of(head, tail) != mark.check:
        raise changed(path, "other bytes stand where rows were read")
    if size > mark.size and tail and not tail.endswith(b"\n"):
        raise changed(path, "its last row was not finished")


def changed(path: Path, what: str) -> ExternalError:
    """The error for a file that isn't what it was."""
    return ExternalError(
        "FILE_CHANGED",
        f"'{path}' was changed after it was read: {what}",
        hint="Only whole lines may be added to a text file, nothing to others. Put the file back"
        " and the new rows into a file of another name, or start without the saved state.",
    )


class ReadFiles:
    """Files read to their end, by name.

    A position holds all of them, and one is made for every batch: they stand in ``chunks`` that
    are replaced and never altered, so that positions share them.

    Attributes:
        chunks: marks by name.
    """

    def __init__(self, chunks: Sequence[dict[str, Mark]] = ()) -> None:
        self.chunks = [{name: Mark(*mark) for name, mark in chunk.items()} for chunk in chunks]
        self._place = {name: at for at, chunk in enumerate(chunks) for name in chunk}

    def get(self, name: str) -> Mark | None:
        at = self._place.get(name)
        return None if at is None else self.chunks[at][name]

    def put(self, name: str, mark: Mark) -> None:
        at = self._place.get(name)
        if at is None:
            at = len(self.chunks)
            if self.chunks and len(self.chunks[-1]) < _CHUNK:
                at -= 1
            self._place[name] = at
        old = self.chunks[at] if at < len(self.chunks) else {}
        self.chunks = [*self.chunks[:at], {**old, name: mark}, *self.chunks[at + 1 :]]


def name_below(path: Path, base: Path) -> str:
    """A file's name in positions: they stay good when the folder moves."""
    return os.path.relpath(path, base)
