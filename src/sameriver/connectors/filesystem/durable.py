"""The system calls by which output becomes safe and visible, each with a clear error."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sameriver.common.errors import ExternalError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns a failed write into ours.

    Raises:
        ExternalError: UNWRITABLE_FILE.
    """
    try:
        yield
    except OSError as error:
        raise ExternalError(
            "UNWRITABLE_FILE",
            f"'{path}' can't be written: {error.strerror}",
            hint="Make room, make the folder writable, or give the table another path.",
            retry=True,
        ) from error


def sync(path: Path) -> None:
    """What was written to a file, or the names in a folder, outlive a power cut."""
    with writing(path):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sync_folders(folders: Iterable[Path], root: Path) -> None:
    """Makes the names in ``folders`` safe, and those of the folders themselves below ``root``."""
    found: set[Path] = set()
    for folder in folders:
        found.update((folder, *(above for above in folder.parents if above.is_relative_to(root))))
    for folder in sorted(found):
        sync(folder)


def show(hidden: Path, final: Path) -> None:
    """Gives a file its final name, in one step."""
    with writing(final):
        os.replace(hidden, final)


def cut(path: Path, length: int) -> None:
    """Drops all bytes after the first ``length``.

    Raises:
        ExternalError: FILE_CHANGED if there aren't so many.
    """
    with writing(path):
        check_size(path, length, least=True)
        os.truncate(path, length)


def check_size(path: Path, length: int, *, least: bool = False) -> None:
    """Checks that a file is as long as we left it, or with ``least`` not shorter.

    Raises:
        ExternalError: FILE_CHANGED.
    """
    with writing(path):
        found = path.stat().st_size
    if found < length or (found > length and not least):
        raise ExternalError(
            "FILE_CHANGED",
            f"'{path}' holds {found} bytes, but {length} were written: it was changed by others",
            hint="Nothing but the job may touch files in progress.",
        )


def remove(path: Path) -> None:
    with writing(path):
        path.unlink(missing_ok=True)


class Lock:
    """Held by one process at a time; the system lets go of it when the process ends.

    Raises:
        ExternalError: SINK_IN_USE.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path):
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.lockf(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._handle)
            raise ExternalError(
                "SINK_IN_USE",
                f"another run of this job is writing into '{path.parent}'",
                hint="Stop it first, or give the new job another folder.",
            ) from error

    def release(self) -> None:
        remove(self._path)
        os.close(self._handle)
