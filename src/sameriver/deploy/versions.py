"""The versions of a script in its state folder: what ran when, and the way back."""

from __future__ import annotations

import difflib
import json
import shutil
from collections.abc import Sequence
from dataclasses import replace

from sameriver.checkpoint import disk
from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.manifest import Manifest
from sameriver.checkpoint.manifest_file import NAME, read_manifest, write_manifest
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.plain import from_plain, to_plain

_FILE = "version.json"
FIRST, UPGRADE, BACKFILL, FRESH, ROLLBACK = "first", "upgrade", "backfill", "fresh", "rollback"
_LATER = (UPGRADE, BACKFILL, ROLLBACK)
"""How a version came about that goes on from another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a script.

    Attributes:
        number: from 1.
        started: ms since 1970.
        way: how it came about.
        verdict: of the comparison with the version before it; None: there was none.
        checkpoint: number of the checkpoint that it begins with; 0: it begins without state.
        previous: number of the last checkpoint of the version before it; 0: none.
        savepoint: what it was started from, as the user named it; empty: nothing.
        exact: whether its result is that of its query over all input, as far as is known.
        script: its text.
    """

    number: int
    started: int
    way: str
    verdict: str | None
    checkpoint: int
    previous: int
    savepoint: str
    exact: bool
    script: str


def versions(folder: StateFolder) -> list[Version]:
    """All versions, the first one first. One whose beginning was never saved does not count.

    Raises:
        ExternalError: FOREIGN_FILE.
    """
    found = []
    for path in folder.versions.glob(f"*/{_FILE}"):
        try:
            found.append(from_plain(Version, json.loads(path.read_text(encoding="utf-8"))))
        except (TypeError, ValueError) as error:
            raise ExternalError(
                "FOREIGN_FILE",
                f"'{path}' tells of no version: {error}",
                hint="Restore the file as sameriver wrote it, or remove its folder.",
            ) from error
    last = max(folder.numbers(), default=0)
    kept = [one for one in found if one.checkpoint <= last]
    return sorted(kept, key=lambda one: one.number)


def add_version(folder: StateFolder, version: Version, previous: Manifest | None) -> None:
    """Tells of a version, just before its first checkpoint is added.

    Args:
        folder: of the script.
        version: its number is given here.
        previous: what to return to.

    Raises:
        ExternalError: CANT_WRITE.
    """
    known = versions(folder)
    number = known[-1].number + 1 if known else 1
    with disk.writing(f"version {number}", folder.path):
        folder.versions.mkdir(exist_ok=True)
        draft, final = folder.versions / f".draft-{number}", folder.versions / str(number)
        for left in (draft, final):
            shutil.rmtree(left, ignore_errors=True)
        draft.mkdir()
        text = json.dumps(to_plain(replace(version, number=number)), indent=1, ensure_ascii=False)
        disk.write(draft / _FILE, text.encode())
        if previous is not None:
            write_manifest(draft, previous)
        disk.sync(draft)
        disk.rename(draft, final)


def tidy(folder: StateFolder) -> None:
    """Forgets versions whose beginning was never saved, and ways back that are longer than one.

    Files that only those needed go with the next checkpoint.

    Raises:
        ExternalError: FOREIGN_FILE; CANT_WRITE.
    """
    known = [str(one.number) for one in versions(folder)]
    with disk.writing("versions", folder.path):
        for path in folder.versions.iterdir():
            if path.name not in known:
                shutil.rmtree(path)
            elif path.name != known[-1]:
                (path / NAME).unlink(missing_ok=True)


def rollback(folder: StateFolder, now: int) -> Version:
    """Returns to the version before: the next run goes on where that one stopped.

    Rolling back again returns to where the newer version stood.

    Args:
        folder: of the script, which must not be running.
        now: processing time in ms.

    Raises:
        UserError: NOTHING_TO_ROLL_BACK.
        ExternalError: STATE_IN_USE, CANT_WRITE; the old manifest is torn or altered.
    """
    with folder.locked():
        known = versions(folder)
        latest = folder.latest()
        pinned = folder.versions / str(known[-1].number) if known else folder.versions
        if latest is None or not known or not (pinned / NAME).is_file():
            raise UserError(
                "NOTHING_TO_ROLL_BACK",
                f"'{folder.path}' holds no version before the one that it is at",
                hint="See 'sameriver history' for its versions.",
            )
        old = read_manifest(pinned)
        number = latest.number + 1
        version = Version(
            number=0,
            started=now,
            way=ROLLBACK,
            verdict=None,
            checkpoint=number,
            previous=latest.number,
            savepoint="",
            exact=len(known) < 2 or known[-2].exact,
            script=old.script,
        )
        add_version(folder, version, latest)
        folder.add(number, lambda draft, below: replace(old, number=number))
        return versions(folder)[-1]


def sql_diff(old: str, new: str) -> Sequence[str]:
    """Lines of a unified diff, without the names of files."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1)
    return list(lines)[2:]


def outcome(version: Version) -> str:
    """How a version came about and what that means for its result, for people."""
    told = version.way if version.verdict is None else f"{version.way}  {version.verdict}"
    if version.way == BACKFILL:
        return f"{told}, filled from history: the result is exact"
    return told if version.exact else f"{told}, not all of the result is that of all history"


def origin(version: Version) -> str:
    """What a version went on from, for people."""
    if version.savepoint:
        return version.savepoint
    return f"checkpoint {version.previous}" if version.way in _LATER else "nothing"
