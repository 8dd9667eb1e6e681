"""Writes part files into a folder; nothing half-written stands under a final name."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError
from sameriver.common.schema import Schema
from sameriver.connectors.connector import TableContext
from sameriver.connectors.filesystem.files import local_path
from sameriver.connectors.filesystem.partitions import folder_names
from sameriver.connectors.formats.format import Writer
from sameriver.connectors.formats.registry import format_of
from sameriver.connectors.print import named

_ROLL = 1 << 21
"""Rows after which a file is finished: a writer may hold all of them."""


@dataclass(slots=True)
class _Part:
    """A file being written, under a hidden name."""

    writer: Writer
    hidden: Path
    final: Path
    rows: int = 0


class FilesystemSink:
    """Files ``part-<id>-<number>.<format>`` below ``path``, one open a partition.

    ``flush`` finishes the open files and shows all since the last under their names.
    """

    def __init__(self, context: TableContext) -> None:
        self._context = context
        self._format = format_of(context.options["format"])
        self._folder = local_path(context.options)
        self._partitions = [(name, context.schema[name]) for name in context.partitioned_by]
        kept = [name for name in context.schema.names if name not in context.partitioned_by]
        self._held: Schema = context.schema.select(kept)
        self._id = uuid.uuid4().hex
        self._number = 0
        self._open: dict[str, _Part] = {}
        self._done: list[_Part] = []
        pattern = {"*", "?"} & set(str(self._folder)) and not self._folder.is_dir()
        if pattern or self._folder.is_file():
            what = "a pattern" if pattern else "a file"
            raise ExternalError(
                "NOT_A_FOLDER",
                f"table '{context.name}' writes into '{self._folder}', which is {what}",
                hint="Give the path of a folder; it is made if it isn't there.",
            )

    def write(self, changes: Changes) -> None:
        rows = named(changes.rows, self._context.schema)
        if not self._partitions:
            self._write_part("", changes.with_rows(rows))
            return
        folders = folder_names(rows, self._partitions)
        for folder in folders.unique(maintain_order=True):
            self._write_part(folder, changes.with_rows(rows).filter(folders == folder))

    def flush(self) -> None:
        for part in (*self._done, *self._open.values()):
            part.writer.close()
            part.hidden.replace(part.final)
        self._done.clear()
        self._open.clear()

    def close(self) -> None:
        self.flush()

    def abort(self) -> None:
        for part in (*self._done, *self._open.values()):
            part.writer.close()
            part.hidden.unlink(missing_ok=True)
        self._done.clear()
        self._open.clear()

    def _write_part(self, folder: str, changes: Changes) -> None:
        if not len(changes):
            return
        if folder not in self._open:
            self._open[folder] = self._new(self._folder / folder)
        rows: pl.DataFrame = changes.rows.select(self._held.names)
        part = self._open[folder]
        part.writer.write(changes.with_rows(rows))
        part.rows += len(changes)
        if part.rows >= _ROLL:
            part.writer.close()
            self._done.append(self._open.pop(folder))

    def _new(self, folder: Path) -> _Part:
        name = f"part-{self._id}-{self._number}.{self._format.name}"
        self._number += 1
        hidden, make = folder / f".{name}.inprogress", self._format.writer
        assert make is not None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            writer = make(hidden, self._held, self._context.options)
        except OSError as error:
            raise ExternalError(
                "UNWRITABLE_FILE", f"'{hidden}' can't be written: {error.strerror}"
            ) from error
        return _Part(writer, hidden, folder / name)
