"""The state folder of a script: its checkpoints, and what belongs to them.

``checkpoints/N/`` holds what checkpoint N wrote and its manifest, which names files of earlier
checkpoints too; ``savepoints/`` is where savepoints go by default; ``versions/N/`` tells of version
N of the script, with the manifest of the last checkpoint before it, whose files stay.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from sameriver.checkpoint import disk
from sameriver.checkpoint.lock import locked
from sameriver.checkpoint.manifest import FORMAT, Manifest
from sameriver.checkpoint.manifest_file import NAME, read_manifest, write_manifest
from sameriver.common.errors import ExternalError, UserError

_MARK = "folder.json"
FLINK_MARK = "flink.json"
"""Marks the state folder of a job on Flink, which is none of these."""
_DRAFT = ".draft"

Writer = Callable[[Path, str], Manifest]
"""Writes the files of a checkpoint into a folder; the text goes before their names in paths."""


def is_marked(mark: Path, format: int) -> bool:
    """Whether a state folder has its mark, of that format.

    Raises:
        ExternalError: NEWER_FORMAT.
    """
    if not mark.is_file():
        return False
    if json.loads(mark.read_text(encoding="utf-8"))["format"] != format:
        raise ExternalError(
            "NEWER_FORMAT",
            f"the state in '{mark.parent}' has another format than {format}",
            hint="Use the version of sameriver that wrote it, or a later one.",
        )
    return True


class StateFolder:
    """A folder that holds the state of one script.

    Attributes:
        path: of the folder.
        checkpoints: what paths of files are relative to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.checkpoints = self.path / "checkpoints"
        self.savepoints = self.path / "savepoints"
        self.requests = self.path / "requests"
        self.versions = self.path / "versions"

    @classmethod
    def make(cls, path: Path) -> StateFolder:
        """The folder at ``path``, made if there is none.

        Raises:
            UserError: FOREIGN_FOLDER if it holds something else.
            ExternalError: CANT_WRITE; NEWER_FORMAT.
        """
        folder = cls(path)
        with disk.writing("state", folder.path):
            if not folder._is_marked():
                folder._refuse_flink()
                if folder.path.is_dir() and any(folder.path.iterdir()):
                    raise UserError(
                        "FOREIGN_FOLDER",
                        f"'{path}' holds files, but no state of a job",
                        hint="Give the path of a new or empty folder.",
                    )
                for made in (
                    folder.checkpoints, folder.savepoints, folder.requests, folder.versions
                ):  # fmt: skip
                    made.mkdir(parents=True, exist_ok=True)
                disk.replace(folder.path / _MARK, json.dumps({"format": FORMAT}).encode())
        return folder

    @classmethod
    def find(cls, path: Path) -> StateFolder:
        """The folder at ``path``.

        Raises:
            UserError: NO_STATE if there is none.
        """
        folder = cls(path)
        if not folder._is_marked():
            folder._refuse_flink()
            raise UserError(
                "NO_STATE",
                f"'{path}' holds no state of a job",
                hint="Name the folder given to 'run --state', or a savepoint.",
            )
        return folder

    @classmethod
    def is_at(cls, path: Path) -> bool:
        """Whether there is such a folder at ``path``."""
        return (path / _MARK).is_file()

    def _refuse_flink(self) -> None:
        if (self.path / FLINK_MARK).is_file():
            raise UserError(
                "FOREIGN_FOLDER",
                f"'{self.path}' holds state of a job on Flink, which can't be carried here",
                hint="Run it with --on flink, or give the embedded engine a folder of its own.",
            )

    def _is_marked(self) -> bool:
        return is_marked(self.path / _MARK, FORMAT)

    def locked(self) -> AbstractContextManager[None]:
        """Keeps other jobs out.

        Raises:
            ExternalError: STATE_IN_USE; CANT_WRITE.
        """
        return locked(self.path / "lock")

    # Checkpoints.

    def numbers(self) -> list[int]:
        """Numbers of the checkpoints there are, rising."""
        found = self.checkpoints.glob(f"*/{NAME}")
        return sorted(int(p.parent.name) for p in found if p.parent.name.isdecimal())

    def latest(self) -> Manifest | None:
        """The last checkpoint.

        Raises:
            ExternalError: its manifest is torn, altered or foreign.
        """
        numbers = self.numbers()
        return read_manifest(self.checkpoints / str(numbers[-1])) if numbers else None

    def add(self, number: int, write: Writer) -> Manifest:
        """Adds a checkpoint: it is there as a whole or not at all.

        Raises:
            ExternalError: CANT_WRITE.
        """
        draft, final = self.checkpoints / f"{_DRAFT}-{number}", self.checkpoints / str(number)
        with disk.writing(f"checkpoint {number}", self.path):
            try:
                shutil.rmtree(draft, ignore_errors=True)
                draft.mkdir()
                manifest = write(draft, f"{number}/")
                write_manifest(draft, manifest)
                disk.sync(draft)
                disk.rename(draft, final)
            except BaseException:
                shutil.rmtree(draft, ignore_errors=True)
                raise
        return manifest

    def new_savepoint(self, number: int) -> Path:
        """Where a savepoint of that checkpoint goes by default: ``29``, ``29-2``, ``29-3``, ..."""
        names = itertools.chain(
            [f"{number}"], (f"{number}-{again}" for again in itertools.count(2))
        )
        return next(path for name in names if not (path := self.savepoints / name).exists())

    def retain(self, count: int) -> None:
        """Keeps the last checkpoints, and removes the others and files that none of them names.

        What can't be removed now is the next time.
        """
        numbers = self.numbers()
        kept = numbers[-count:]
        folders = [self.checkpoints / str(number) for number in kept]
        folders += [found.parent for found in self.versions.glob(f"*/{NAME}")]
        manifests = [read_manifest(folder) for folder in folders]
        named = {file.path for manifest in manifests for file in manifest.files}
        with suppress(OSError):
            for number in numbers[:-count]:
                (self.checkpoints / str(number) / NAME).unlink()
            for folder in self.checkpoints.iterdir():
                if folder.name not in map(str, kept):
                    _sweep(folder, named)


def _sweep(folder: Path, named: set[str]) -> None:
    """Removes the files of a checkpoint that are not ``named``, then the folder if it is empty."""
    for path in list(folder.iterdir()):
        if f"{folder.name}/{path.name}" not in named:
            path.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()
