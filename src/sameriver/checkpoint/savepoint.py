"""Savepoints: folders that hold all state of a script and need nothing else."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from sameriver.checkpoint import disk
from sameriver.checkpoint.files import read_bytes, write_frame
from sameriver.checkpoint.fold import read_table
from sameriver.checkpoint.folder import FLINK_MARK, StateFolder
from sameriver.checkpoint.manifest import (
    CHECKPOINT,
    SAVEPOINT,
    File,
    Manifest,
    Part,
    SavedJob,
    SavedNode,
    SavedSink,
    SavedTable,
)
from sameriver.checkpoint.manifest_file import NAME, checksum_of, read_manifest, write_manifest
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import unique


@dataclass(frozen=True, slots=True)
class Savepoint:
    """A savepoint, or a checkpoint taken for one.

    Attributes:
        manifest: what it says.
        root: what paths of its files are relative to.
        checksum: tells it from others.
    """

    manifest: Manifest
    root: Path
    checksum: str


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table of a manifest under the name by which files and people know it."""

    name: str
    job: int
    node: SavedNode
    table: SavedTable


def named_tables(manifest: Manifest) -> Iterator[NamedTable]:
    """All tables: ``group_aggregate_2_accumulators``; those of later jobs start with ``job2_``."""
    taken: list[str] = []
    for number, job in enumerate(manifest.jobs, 1):
        for node in job.nodes:
            for table in node.tables:
                prefix = f"job{number}_" if number > 1 else ""
                name = f"{prefix}{_snake(node.kind)}_{node.number}_{table.name}"
                taken.append(unique(re.sub(r"\W", "_", name), taken))
                yield NamedTable(taken[-1], number, node, table)


def _snake(kind: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind).lower()


def open_savepoint(path: Path) -> Savepoint:
    """The savepoint at ``path``; a checkpoint or a state folder, for its last one, will do too.

    Raises:
        UserError: NO_SAVEPOINT if there is none; FOREIGN_FOLDER if it is of a job on Flink.
        ExternalError: its manifest is torn, altered, foreign or too new.
    """
    if StateFolder.is_at(path) or (path / FLINK_MARK).is_file():
        folder = StateFolder.find(path)
        numbers = folder.numbers()
        path = folder.checkpoints / str(numbers[-1]) if numbers else path
    if not (path / NAME).is_file():
        raise UserError(
            "NO_SAVEPOINT",
            f"'{path}' is no savepoint: it has no '{NAME}'",
            hint="Take one with 'sameriver savepoint DIR'.",
        )
    manifest = read_manifest(path)
    root = path.parent if manifest.kind == CHECKPOINT else path
    return Savepoint(manifest, root, checksum_of(path))


def write_savepoint(manifest: Manifest, root: Path, target: Path) -> Path:
    """Makes a savepoint of a checkpoint: a Parquet file a table, of the declared columns.

    Args:
        manifest: of the checkpoint.
        root: what its files are relative to.
        target: folder to make; it is there as a whole or not at all.

    Raises:
        UserError: TARGET_EXISTS.
        ExternalError: CANT_WRITE; a file of the checkpoint is missing, torn or altered.
    """
    if target.exists():
        raise UserError(
            "TARGET_EXISTS",
            f"'{target}' is there already",
            hint="Give the savepoint a path of its own.",
        )
    draft = target.with_name(f".draft-{target.name}")
    with disk.writing("the savepoint", target.parent):
        try:
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir(parents=True)

            def whole(named: NamedTable) -> tuple[Part, ...]:
                rows = read_table(root, named.table)
                file = write_frame(draft, f"{named.name}.parquet", rows)
                return (Part(shard=0, whole=True, has_ids=False, rows=file, gone=None),)

            def told(file: File) -> File:
                return _copied(file, root, draft)

            write_manifest(draft, replace(_moved(manifest, whole, told), kind=SAVEPOINT))
            disk.sync(draft)
            disk.rename(draft, target)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    return target


def adopt(folder: StateFolder, savepoint: Savepoint, script: str) -> Manifest:
    """Makes a savepoint the next checkpoint of a state folder.

    Raises:
        ExternalError: CANT_WRITE; a file of the savepoint is missing, torn or altered.
    """
    number = max(folder.numbers(), default=0) + 1

    def copy(draft: Path, below: str) -> Manifest:
        def copied(file: File) -> File:
            return _copied(file, savepoint.root, draft, below)

        def parts(named: NamedTable) -> tuple[Part, ...]:
            return tuple(
                replace(part, rows=copied(part.rows), gone=part.gone and copied(part.gone))
                for part in named.table.parts
            )

        return replace(
            _moved(savepoint.manifest, parts, copied),
            kind=CHECKPOINT,
            number=number,
            script=script,
            origin=savepoint.checksum,
        )

    return folder.add(number, copy)


def _copied(file: File, root: Path, draft: Path, below: str = "") -> File:
    """A copy of a file; names of several checkpoints don't clash."""
    name = file.path.replace("/", "-")
    disk.write(draft / name, read_bytes(root, file))
    return replace(file, path=f"{below}{name}")


def _moved(
    manifest: Manifest,
    parts: Callable[[NamedTable], tuple[Part, ...]],
    changes: Callable[[File], File],
) -> Manifest:
    """The same state in other files: those of tables, and those of changes for sinks."""
    made = {id(named.table): parts(named) for named in named_tables(manifest)}

    def node(saved: SavedNode) -> SavedNode:
        tables = tuple(replace(table, parts=made[id(table)]) for table in saved.tables)
        return replace(saved, tables=tables)

    def sink(saved: SavedSink) -> SavedSink:
        return saved if saved.changes is None else replace(saved, changes=changes(saved.changes))

    def job(saved: SavedJob) -> SavedJob:
        nodes, sinks = tuple(map(node, saved.nodes)), tuple(map(sink, saved.sinks))
        return replace(saved, nodes=nodes, sinks=sinks)

    return replace(manifest, jobs=tuple(map(job, manifest.jobs)))
