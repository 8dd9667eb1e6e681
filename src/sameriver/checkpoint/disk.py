"""What is done to a disk, in one place: each step is on the disk when it returns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sameriver.common.errors import ExternalError


def write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Puts a file's content, or a folder's list of names, on the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows can't, and needn't
    handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def rename(path: Path, to: Path) -> None:
    """Gives a file or folder its final name; with the folder above this is on the disk."""
    path.rename(to)
    sync(to.parent)


def replace(path: Path, data: bytes) -> None:
    """Writes a file that is there as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.tmp")
    write(temporary, data)
    temporary.replace(path)
    sync(path.parent)


@contextmanager
def writing(what: str, folder: Path) -> Iterator[None]:
    """Tells failures of writing.

    Raises:
        ExternalError: CANT_WRITE.
    """
    try:
        yield
    except OSError as error:
        raise ExternalError(
            "CANT_WRITE",
            f"{what} can't be written into '{folder}': {error.strerror or error}",
            hint="What was saved before stays in force. Make room, or make the folder writable, "
            "and run the same command again.",
            retry=True,
        ) from error
