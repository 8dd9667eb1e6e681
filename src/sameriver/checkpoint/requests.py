"""How another process asks a running job for a savepoint: small files in its state folder."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sameriver.checkpoint import disk
from sameriver.checkpoint.folder import StateFolder
from sameriver.common.errors import ExternalError, SameriverError

_WAIT = 0.05


@dataclass(frozen=True, slots=True)
class Request:
    """Asks for a savepoint at ``target``; None: in the state folder."""

    path: Path
    target: Path | None

    def answer(self, make: Callable[[], Path]) -> None:
        """Makes the savepoint and tells where it is, or what went wrong."""
        try:
            told = {"savepoint": str(make())}
        except SameriverError as error:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
        with disk.writing("an answer", self.path.parent):
            disk.replace(self.path.with_suffix(".answer"), json.dumps(told).encode())
            self.path.unlink(missing_ok=True)


def pending(folder: StateFolder) -> list[Request]:
    """The requests that wait for an answer."""
    requests = []
    for path in sorted(folder.requests.glob("*.request")):
        target = json.loads(path.read_text(encoding="utf-8"))["target"]
        requests.append(Request(path, None if target is None else Path(target)))
    return requests


def ask(folder: StateFolder, target: Path | None, *, timeout: float) -> Path | None:
    """Asks the running job for a savepoint and waits for it; None if the job ended meanwhile.

    Raises:
        ExternalError: NO_ANSWER after ``timeout`` seconds; what went wrong in the job.
    """
    path = folder.requests / f"{uuid.uuid4().hex}.request"
    answer = path.with_suffix(".answer")
    with disk.writing("a request", folder.path):
        disk.replace(path, json.dumps({"target": None if target is None else str(target)}).encode())
    try:
        deadline = time.monotonic() + timeout
        while not answer.exists():
            if time.monotonic() > deadline:
                raise ExternalError(
                    "NO_ANSWER",
                    f"the job on '{folder.path}' took no savepoint within {timeout:g} s",
                    hint="It may be busy with a large batch: try again with a longer --timeout.",
                    retry=True,
                )
            if not _runs(folder):
                return None
            time.sleep(_WAIT)
        told = json.loads(answer.read_text(encoding="utf-8"))
    finally:
        path.unlink(missing_ok=True)
        answer.unlink(missing_ok=True)
    if "savepoint" in told:
        return Path(told["savepoint"])
    raise ExternalError(told["code"], told["message"], hint=told["hint"])


def _runs(folder: StateFolder) -> bool:
    try:
        with folder.locked():
            return False
    except ExternalError:
        return True
