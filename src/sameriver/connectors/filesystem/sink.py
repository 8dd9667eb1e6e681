"""Writes part files into a folder; nothing half-written stands under a final name."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import cast

import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError
from sameriver.common.schema import Schema
from sameriver.connectors.connector import Committable, TableContext
from sameriver.connectors.filesystem.compression import suffix
from sameriver.connectors.filesystem.durable import (
    Lock,
    check_size,
    cut,
    remove,
    show,
    sync,
    sync_folders,
    writing,
)
from sameriver.connectors.filesystem.files import local_path
from sameriver.connectors.filesystem.partition_commit import PartitionCommit
from sameriver.connectors.filesystem.partitions import by_folder
from sameriver.connectors.filesystem.rolling import Part, Rolling
from sameriver.connectors.formats.format import Writer
from sameriver.connectors.formats.parallel import each
from sameriver.connectors.formats.registry import format_of
from sameriver.connectors.print import named


class FilesystemSink:
    """Files ``part-<job>-<run>-<number>.<format>[.gz|.zst]`` below ``path``, one open a partition.

    With checkpoints, files that are finished wait under hidden names until the commit; text files
    stay in progress across checkpoints, which hold how long they were, until the rolling policy
    is met. Without, ``flush`` finishes and shows all files. ``<job>`` stays the same as long as
    the state does, so that a run finds what one before it left behind, and nothing else.
    """

    def __init__(self, context: TableContext) -> None:
        self._context = context
        self._format = format_of(context.options["format"])
        self._suffix = suffix(context.options)
        self._root = local_path(context.options)
        self._partitions = [(name, context.schema[name]) for name in context.partitioned_by]
        kept = [name for name in context.schema.names if name not in context.partitioned_by]
        self._held: Schema = context.schema.select(kept)
        self._rolling = Rolling.of(context.options)
        self._completion = PartitionCommit(context.options)
        self._job, self._run = _identifier(), _moment() + _identifier()[:4]
        self._number = 0
        self._open: dict[str, Part] = {}
        self._finished: dict[str, Part] = {}
        self._recovered = False
        self._covered: dict[str, int] = {}
        self._lock: Lock | None = None
        pattern = {"*", "?"} & set(str(self._root)) and not self._root.is_dir()
        if pattern or self._root.is_file():
            what = "a pattern" if pattern else "a file"
            raise ExternalError(
                "NOT_A_FOLDER",
                f"table '{context.name}' writes into '{self._root}', which is {what}",
                hint="Give the path of a folder; it is made if it isn't there.",
            )

    # Rows.

    def write(self, changes: Changes) -> None:
        rows = named(changes.rows, self._context.schema)
        if not self._partitions:
            self._write_part("", changes.with_rows(rows))
            return
        changes, options = changes.with_rows(rows), self._context.options
        for folder, own in by_folder(changes, self._partitions, options):
            self._write_part(folder, own)

    def _write_part(self, folder: str, changes: Changes) -> None:
        if not len(changes):
            return
        now = self._context.clock.now()
        if folder in self._open and self._rolling.is_due(self._open[folder], now):
            self._finish(folder)
        if folder not in self._open:
            self._open[folder] = self._new(folder, now)
        part = self._open[folder]
        rows: pl.DataFrame = changes.rows.select(self._held.names)
        with writing(_hidden(self._root, part.name)):
            part.writer.write(changes.with_rows(rows))
        part.touched, part.synced = now, False
        self._completion.touch(folder, now)
        if self._rolling.is_due(part, now):
            self._finish(folder)

    def _new(self, folder: str, now: int) -> Part:
        name = f"part-{self._job}-{self._run}-{self._number:06}{self._suffix}"
        self._number += 1
        self._make(self._root / folder)
        self._hold()
        name = str(Path(folder, name))
        make = cast("Callable[..., Writer]", self._format.writer)
        writer = make(_hidden(self._root, name), self._held, self._context.options)
        return Part(name=name, writer=writer, opened=now, touched=now)

    def _make(self, folder: Path) -> None:
        fresh = not self._root.is_dir()
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        if fresh:
            sync(self._root.parent)

    def _finish(self, folder: str) -> None:
        part = self._open.pop(folder)
        with writing(_hidden(self._root, part.name)):
            part.writer.close()
        self._finished[part.name] = part

    # Without checkpoints.

    def flush(self) -> None:
        self._show_all(last=False)

    def _show_all(self, *, last: bool) -> None:
        for folder in list(self._open):
            self._finish(folder)
        for name in list(self._finished):
            show(_hidden(self._root, name), self._root / name)
            del self._finished[name]
        complete = self._completion.close(self._context.clock.now(), last=last)
        self._completion.mark(self._root, list(complete))

    def close(self) -> None:
        """Shows the rest; with checkpoints, what the last one covers."""
        if not self._recovered:
            self._show_all(last=True)
        for folder, part in list(self._open.items()):
            if self._covered.get(part.name) == part.writer.size:
                show(_hidden(self._root, part.name), self._root / part.name)
                del self._open[folder]
        self.abort()

    def abort(self) -> None:
        """Drops what no checkpoint can know."""
        for part in (*self._finished.values(), *self._open.values()):
            if not part.prepared:
                remove(_hidden(self._root, part.name))
        self._finished.clear()
        self._open.clear()
        self._release()

    # With checkpoints.

    def prepare(self, *, last: bool) -> Committable:
        now = self._context.clock.now()
        complete = self._completion.close(now, last=last)
        for folder, part in list(self._open.items()):
            whole = self._format.text is None or folder in complete
            if last or whole or self._rolling.is_due(part, now):
                self._finish(folder)
        self._sync()
        return {
            "job": self._job,
            "path": str(self._root),
            "finished": list(self._finished),
            "open": [[part.name, part.writer.size] for part in self._open.values()],
            "waiting": dict(self._completion.waiting),
            "complete": sorted(complete),
        }

    def _sync(self) -> None:
        """Makes all that was written since the last time safe."""
        parts = [p for p in (*self._finished.values(), *self._open.values()) if not p.synced]
        each(self._sync_part, parts)
        sync_folders((_hidden(self._root, part.name).parent for part in parts), self._root)

    def _sync_part(self, part: Part) -> None:
        hidden = _hidden(self._root, part.name)
        if self._format.text is not None:
            check_size(hidden, part.writer.size)
        sync(hidden)
        part.synced = part.prepared = True

    def commit(self, committable: Committable) -> None:
        self._commit_in(self._root, cast("list[str]", committable["finished"]), committable)
        self._covered = dict(cast("list[tuple[str, int]]", committable["open"]))

    def _commit_in(self, root: Path, names: Iterable[str], committable: Committable) -> None:
        folders = {self._show(root, name, committable) for name in names}
        found = cast("list[str]", committable["complete"])
        complete = {folder for folder in found if (root / folder).is_dir()}
        self._completion.mark(root, complete)
        folders.update(root / folder for folder in complete)
        sync_folders((folder for folder in folders if folder.is_dir()), root)

    def _show(self, root: Path, name: str, committable: Committable) -> Path:
        """Gives a file its final name, unless it has it; its folder.

        One that was shown before may have been taken away since, if it stood in this folder.

        Raises:
            ExternalError: OUTPUT_GONE.
        """
        hidden, final = _hidden(root, name), root / name
        if name in self._finished or hidden.exists():
            show(hidden, final)
            self._finished.pop(name, None)
        elif not final.exists() and (committable["path"] != str(root) or not root.is_dir()):
            raise ExternalError(
                "OUTPUT_GONE",
                f"table '{self._context.name}': the checkpoint holds rows of '{final}', which is"
                " gone",
                hint=f"The checkpoint wrote into '{committable['path']}': give the table the path"
                " at which that folder is now, or start afresh without the saved state.",
            )
        return final.parent

    def recover(self, committable: Committable | None) -> None:
        """Goes on from a checkpoint; files in progress are cut to its rows, and shown."""
        self._recovered = True
        if committable is None:
            return
        self._job = str(committable["job"])
        if self._root.is_dir():
            self._hold()
        lengths = dict(cast("list[tuple[str, int]]", committable["open"]))
        names = [*cast("list[str]", committable["finished"]), *lengths]
        root = self._left_in(Path(str(committable["path"])), names)
        for name, length in lengths.items():
            if _hidden(root, name).exists():
                cut(_hidden(root, name), length)
        self._commit_in(root, names, committable)
        self._completion.waiting = dict(cast("dict[str, int]", committable["waiting"]))
        for left in root.rglob(f".inprogress-part-{self._job}-*"):
            remove(left)

    def _left_in(self, old: Path, names: Iterable[str]) -> Path:
        """Where the files of the checkpoint are: their folder moved, or the table has a new one."""
        moved = any(
            path.exists()
            for name in names
            for path in (_hidden(self._root, name), self._root / name)
        )
        return self._root if moved or not old.is_dir() else old

    def _hold(self) -> None:
        """Keeps another run of the same job away from its hidden files."""
        if self._recovered and self._lock is None:
            self._lock = Lock(self._root / f".lock-{self._job}")

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def _identifier() -> str:
    return uuid.uuid4().hex[:12]


def _moment() -> str:
    """Now: files sort as they were written, so that a changelog is read in order."""
    return f"{time.time_ns() // 1_000_000:012x}"


def _hidden(root: Path, name: str) -> Path:
    """Where a part stands until it is shown."""
    path = root / name
    return path.with_name(f".inprogress-{path.name}")
