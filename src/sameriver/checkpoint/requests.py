"""How another process asks a running job for a savepoint: small files in its state folder."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from sameriver.checkpoint import disk
from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.savepoint import write_savepoint
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError, SameriverError, UserError

_WAIT = 0.05


@dataclass(frozen=True, slots=True)
class Request:
    """Asks for a savepoint at ``target``; None: in the state folder."""

    path: Path
    target: Path | None

    def answer(self, make: Callable[[], Path]) -> None:
        """Makes the savepoint and tells where it is, or what went wrong."""
        try:
            told: dict[str, object] = {"savepoint": str(make())}
        except SameriverError as error:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            told["user"] = isinstance(error, UserError)
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


def take_savepoint(folder: StateFolder, target: Path | None, *, timeout: float) -> Path:
    """A savepoint of the last checkpoint or, if the job runs, of where it is now.

    Args:
        folder: of the job's state.
        target: folder to make; None: one in the state folder.
        timeout: how many seconds a running job has for it.

    Raises:
        UserError: NO_STATE if there is no checkpoint yet, TARGET_EXISTS.
        ExternalError: NO_ANSWER; CANT_WRITE; a file is torn, altered or missing.
    """
    while True:
        try:
            with folder.locked():
                manifest = folder.latest()
                if manifest is None:
                    raise UserError(
                        "NO_STATE",
                        f"the job on '{folder.path}' has not been saved yet",
                        hint="Run it: it is saved at each checkpoint and at its end.",
                    )
                to = target or folder.new_savepoint(manifest.number)
                return write_savepoint(manifest, folder.checkpoints, to)
        except ExternalError as error:
            if error.code != "STATE_IN_USE":
                raise
        made = _ask(folder, target, timeout)
        if made is not None:
            return made


def _ask(folder: StateFolder, target: Path | None, timeout: float) -> Path | None:
    """Asks the running job for a savepoint and waits for it; None if the job ended meanwhile."""
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
    kind = UserError if told["user"] else ExternalError
    raise kind(told["code"], told["message"], hint=told["hint"])


def _runs(folder: StateFolder) -> bool:
    try:
        with folder.locked():
            return False
    except ExternalError:
        return True
