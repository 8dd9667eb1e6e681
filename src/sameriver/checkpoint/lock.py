"""One process at a time works on a state folder; the lock goes with the process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sameriver.checkpoint import disk
from sameriver.common.errors import ExternalError

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


_TRIES, _PAUSE = 5, 0.05
"""One who only looks whether a job runs has the lock for a moment."""


def _taken(handle: int) -> bool:
    for number in range(_TRIES):
        try:
            _lock(handle)
        except OSError:
            time.sleep(_PAUSE * (number + 1 < _TRIES))
        else:
            return True
    return False


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock of that file.

    Raises:
        ExternalError: STATE_IN_USE if another process, or another job of this one, has it;
            CANT_WRITE.
    """
    with disk.writing("the lock", path.parent):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _taken(handle):
            raise ExternalError(
                "STATE_IN_USE",
                f"another job is running on the state in '{path.parent}'",
                hint="Wait for it, stop it, or give this job a folder of its own.",
                retry=True,
            )
        yield
    finally:
        os.close(handle)
