"""The state folder of a script that runs on Flink: its versions, their plans and savepoints.

``versions/N/`` holds ``version.json``, the compiled plan with names as ``plan.json``, and
``job.json``, which says where it runs and what it was left with. A version is a draft until its job
has been seen to run. ``savepoints/`` and ``checkpoints/`` are written by Flink.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from sameriver.checkpoint import disk
from sameriver.checkpoint.folder import FLINK_MARK, StateFolder, is_marked
from sameriver.checkpoint.lock import locked
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.plain import from_plain, to_plain
from sameriver.deploy.versions import Version

FORMAT = 1
_VERSION, _PLAN, _JOB = "version.json", "plan.json", "job.json"
_DRAFT = ".draft-"
STARTING, RUNNING, STOPPED, ENDED = "starting", "running", "stopped", "ended"
Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Where a version runs or ran.

    Attributes:
        cluster: ``HOST:PORT`` of the REST interface.
        local: whether the cluster lives and ends with the process that runs the script.
        id: of the job on the cluster.
        began: what it was started from: a savepoint or checkpoint; empty: nothing.
        stands: STARTING, RUNNING, STOPPED, or ENDED where its input has.
        savepoint: what it was left with when it was stopped; empty: nothing.
    """

    cluster: str
    local: bool
    id: str
    began: str = ""
    stands: str = STARTING
    savepoint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A version of the script.

    Attributes:
        version: what is told of it; ``savepoint`` is what its job began with.
        flink, sameriver: the releases that made its plan.
        options: of Flink that it runs with.
        compiled: digest of the plan as Flink compiled it.
        plan: what was made of that: with names, JSON.
        job: where it runs or ran.
    """

    version: Version
    flink: str
    sameriver: str
    options: dict[str, str]
    compiled: str
    plan: str
    job: Job

    @property
    def number(self) -> int:
        return self.version.number


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What ``version.json`` holds."""

    version: Version
    flink: str
    sameriver: str
    options: dict[str, str]
    compiled: str


def flink_path(path: Path) -> str:
    """An absolute path as Flink takes it: as a URI in which nothing is escaped."""
    return f"file://{path}"


class FlinkFolder:
    """A folder that holds what belongs to one script on Flink.

    Attributes:
        path: of the folder.
        stops: where Flink puts savepoints that a job is stopped with, unless script or cluster
            have a place of their own.
        savepoints: where it puts those that were asked for, likewise.
        checkpoints: where a local cluster puts checkpoints.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.stops = self.path / "stops"
        self.savepoints = self.path / "savepoints"
        self.checkpoints = self.path / "checkpoints"
        self._versions = self.path / "versions"

    @classmethod
    def make(cls, path: Path) -> FlinkFolder:
        """The folder at ``path``, made if there is none.

        Raises:
            UserError: FOREIGN_FOLDER if it holds something else, such as state of the embedded
                engine.
            ExternalError: CANT_WRITE; NEWER_FORMAT.
        """
        folder = cls(path)
        with disk.writing("state", folder.path):
            if not folder._is_marked():
                if folder.path.is_dir() and any(folder.path.iterdir()):
                    raise _foreign(path)
                places = (folder.stops, folder.savepoints, folder.checkpoints, folder._versions)
                for made in places:
                    made.mkdir(parents=True, exist_ok=True)
                mark = json.dumps({"engine": "flink", "format": FORMAT})
                disk.replace(folder.path / FLINK_MARK, mark.encode())
        return folder

    @classmethod
    def find(cls, path: Path) -> FlinkFolder | None:
        """The folder at ``path``; None: there is no state of a job on Flink.

        Raises:
            ExternalError: NEWER_FORMAT.
        """
        folder = cls(path)
        return folder if folder._is_marked() else None

    def _is_marked(self) -> bool:
        return is_marked(self.path / FLINK_MARK, FORMAT)

    def locked(self) -> AbstractContextManager[None]:
        """Keeps other processes out.

        Raises:
            ExternalError: STATE_IN_USE; CANT_WRITE.
        """
        return locked(self.path / "lock")

    # Versions.

    def entries(self) -> list[Entry]:
        """All versions whose jobs have been seen to run, the first one first.

        Raises:
            ExternalError: FOREIGN_FILE.
        """
        folders = [path for path in self._versions.iterdir() if path.name.isdecimal()]
        return [_read(path) for path in sorted(folders, key=lambda path: int(path.name))]

    def latest(self) -> Entry | None:
        """The version in force.

        Raises:
            ExternalError: FOREIGN_FILE.
        """
        entries = self.entries()
        return entries[-1] if entries else None

    def draft(self, entry: Entry) -> Entry:
        """Writes down a version before its job is started; its number is given here.

        Raises:
            ExternalError: CANT_WRITE.
        """
        numbers = [one.number for one in self.entries()]
        number = max(numbers, default=0) + 1
        entry = replace(entry, version=replace(entry.version, number=number))
        told = _Told(
            version=entry.version,
            flink=entry.flink,
            sameriver=entry.sameriver,
            options=entry.options,
            compiled=entry.compiled,
        )
        path = self._versions / f"{_DRAFT}{number}"
        with disk.writing(f"version {number}", self.path):
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
            disk.write(path / _VERSION, _json(told))
            disk.write(path / _PLAN, entry.plan.encode())
            disk.write(path / _JOB, _json(entry.job))
            disk.sync(path)
        return entry

    def settle(self, entry: Entry) -> None:
        """Puts a drafted version in force.

        Raises:
            ExternalError: CANT_WRITE.
        """
        name = str(entry.number)
        with disk.writing(f"version {name}", self.path):
            disk.rename(self._versions / f"{_DRAFT}{name}", self._versions / name)

    def drafts(self) -> list[Job]:
        """Jobs of versions that were being started when the process ended.

        Raises:
            ExternalError: FOREIGN_FILE.
        """
        return [_parse(Job, path / _JOB) for path in self._drafted() if (path / _JOB).is_file()]

    def forget_drafts(self) -> None:
        for path in self._drafted():
            shutil.rmtree(path)

    def _drafted(self) -> Sequence[Path]:
        return sorted(self._versions.glob(f"{_DRAFT}*"))

    def put_job(self, entry: Entry, job: Job) -> Entry:
        """Notes what has become of a version's job.

        Raises:
            ExternalError: CANT_WRITE.
        """
        with disk.writing("the job", self.path):
            disk.replace(self._versions / str(entry.number) / _JOB, _json(job))
        return replace(entry, job=job)

    def last_checkpoint(self, job: Job) -> str:
        """The last whole checkpoint that a local job left; empty: there is none."""
        found = (self.checkpoints / job.id).glob("chk-*/_metadata")
        made = [(int(path.parent.name.removeprefix("chk-")), str(path.parent)) for path in found]
        return max(made)[1] if made and job.id else ""

    def sweep(self) -> None:
        """Removes savepoints of stops, and checkpoints, that no version began or goes on with.

        What can't be removed now is the next time.

        Raises:
            ExternalError: FOREIGN_FILE.
        """
        entries = self.entries()
        named = [path for one in entries for path in (one.version.savepoint, one.job.savepoint)]
        named += [entries[-1].job.began, entries[-1].job.id]
        # names of savepoints and of jobs are unique, however paths are written
        kept = {part for path in named for part in path.split("/")}
        for path in (*self.stops.glob("*"), *self.checkpoints.glob("*")):
            if path.name not in kept:
                shutil.rmtree(path, ignore_errors=True)


def _read(path: Path) -> Entry:
    told = _parse(_Told, path / _VERSION)
    return Entry(
        version=told.version,
        flink=told.flink,
        sameriver=told.sameriver,
        options=told.options,
        compiled=told.compiled,
        plan=_text(path / _PLAN),
        job=_parse(Job, path / _JOB),
    )


def _parse(kind: type[Kind], path: Path) -> Kind:
    try:
        return from_plain(kind, json.loads(_text(path)))
    except (TypeError, ValueError) as error:
        raise _unreadable(path, error) from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> ExternalError:
    return ExternalError(
        "FOREIGN_FILE",
        f"'{path}' is not what sameriver wrote: {error}",
        hint="Restore the file. To start over, give another folder with --state.",
    )


def _json(value: Any) -> bytes:
    return json.dumps(to_plain(value), indent=1, ensure_ascii=False).encode()


def _foreign(path: Path) -> UserError:
    if StateFolder.is_at(path):
        return UserError(
            "FOREIGN_FOLDER",
            f"'{path}' holds state of the embedded engine, which can't be carried to Flink",
            hint="Give a job on Flink a folder of its own; it starts from the sources' start.",
        )
    return UserError(
        "FOREIGN_FOLDER",
        f"'{path}' holds files, but no state of a job on Flink",
        hint="Give the path of a new or empty folder.",
    )
