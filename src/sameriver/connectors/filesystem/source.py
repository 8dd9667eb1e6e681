"""Reads the files of a table one after the other."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import cast

from sameriver.common.errors import ExternalError, place_of
from sameriver.connectors.connector import Position, SourceBatch, TableContext
from sameriver.connectors.filesystem.columns import columns_held, complete
from sameriver.connectors.filesystem.files import (
    File,
    base_of,
    is_compressed,
    list_files,
    local_path,
    unreadable,
)
from sameriver.connectors.filesystem.marks import (
    START,
    Mark,
    ReadFiles,
    changed,
    name_below,
    verify,
)
from sameriver.connectors.filesystem.pieces import FramePieces, Piece, Pieces, TextPieces
from sameriver.connectors.filesystem.watch import Watch
from sameriver.connectors.formats.format import Format
from sameriver.connectors.formats.registry import format_of


class FilesystemSource:
    """Bounded: the files there are when it is made, sorted by path. With
    ``source.monitor-interval`` it never ends, and looks for new files and new lines that often.

    A position holds the files that are done with, and of the current one where its piece starts
    and how many rows of the piece were given. Files are known by their names below the folder.
    """

    def __init__(self, context: TableContext) -> None:
        self._context = context
        self._format = format_of(context.options["format"])
        self._columns = columns_held(context)
        self._counters: Counter[str] = Counter()
        self._path = local_path(context.options)
        self._base = base_of(self._path)
        self._watch = Watch.of(context.options)
        self._listed: list[File] | None = self._list()
        self._done = ReadFiles()
        self._moved = False
        self._waiting: deque[tuple[File, Mark]] = deque()
        self._file: File | None = None
        self._stat: os.stat_result | None = None
        self._reader: Pieces | None = None
        self._pieces: Iterator[Piece] = iter(())
        self._piece: Piece | None = None
        self._given = 0

    @property
    def bounded(self) -> bool:
        return not self._watch.on

    def poll(self, rows: int) -> SourceBatch:
        if not self._ready():
            return SourceBatch(None, self._position(), finished=self.bounded)
        assert self._piece is not None
        assert self._file is not None
        assert self._stat is not None
        part = self._piece.changes.slice(self._given, rows)
        completed = part.with_rows(complete(part.rows, self._file, self._stat, self._context))
        self._given += len(part)
        if self._piece.last and self._given == len(self._piece.changes):
            self._end_file()
        return SourceBatch(completed, self._position())

    def counters(self) -> Mapping[str, int]:
        return self._counters

    def close(self) -> None:
        self._pieces = iter(())
        self._file = self._reader = self._piece = None
        self._waiting.clear()

    # Which file comes next.

    def _list(self) -> list[File]:
        at = place_of(self._context.options["path"])
        found = list_files(self._path, waits=self._watch.on, at=at)
        return [file for file in found if self._watch.wanted(file.path)]

    def _ready(self) -> bool:
        """Makes sure that the current piece has rows left; False if there are none for now."""
        while self._piece is None or self._given >= len(self._piece.changes):
            if self._file is None and not self._next_file():
                return False
            self._piece, self._given = next(self._pieces, None), 0
            if self._piece is None:
                self._end_file()
        return True

    def _next_file(self) -> bool:
        if not self._waiting:
            self._look()
        if not self._waiting:
            return False
        file, mark = self._waiting.popleft()
        self._begin(file, mark.size, mark)
        return True

    def _begin(self, file: File, start: int, mark: Mark) -> None:
        self._file, self._reader = file, self._open(file)
        with unreadable(file.path):
            self._stat = file.path.stat()
        self._pieces = self._reader.read(start, mark)

    def _end_file(self) -> None:
        assert self._file is not None
        assert self._reader is not None
        self._done.put(self._name(self._file), self._reader.mark)
        self._pieces = iter(())
        self._file = self._reader = self._piece = None

    def _look(self) -> None:
        """Finds files that are new or have grown."""
        if self._listed is None and self._watch.is_due():
            self._listed = self._list()
        for file in self._listed or ():
            mark = self._unread(file)
            if mark is not None:
                self._waiting.append((file, mark))
        self._listed = None

    def _unread(self, file: File) -> Mark | None:
        """Where to go on in a file; None if it is as it was.

        Raises:
            ExternalError: FILE_CHANGED.
        """
        try:
            if not self._watch.altered(file.path):
                return None
            size = file.path.stat().st_size
        except FileNotFoundError:
            return None
        mark = self._done.get(self._name(file))
        if mark is None:
            return START
        if size != mark.size or self._moved:
            verify(file.path, mark, grows=self._grows(file))
        return mark if size > mark.size else None

    def _grows(self, file: File) -> bool:
        return self._format.text is not None and not is_compressed(file.path)

    def _name(self, file: File) -> str:
        return name_below(file.path, self._base)

    # Positions.

    def _position(self) -> Position:
        position: Position = {"path": str(self._base), "done": self._done.chunks}
        if self._file is not None and self._piece is not None:
            position["file"] = self._name(self._file)
            position["mark"] = self._piece.mark
            position["start"], position["row"] = self._piece.start, self._given
        return position

    def seek(self, position: Position) -> None:
        """Goes on at a position that ``poll`` gave.

        Raises:
            ExternalError: NO_SUCH_FILE if its file is gone, FILE_CHANGED if it is another.
        """
        self._done = ReadFiles(cast("list[dict[str, Mark]]", position["done"]))
        # In another folder, files of the same names and sizes may hold other rows.
        self._moved = position["path"] != str(self._base)
        name = position.get("file")
        if name is None:
            return
        file = next((f for f in self._listed or () if self._name(f) == name), None)
        if file is None:
            raise ExternalError(
                "NO_SUCH_FILE",
                f"the source of table '{self._context.name}' stands in '{self._base / str(name)}',"
                " which is gone",
                hint="Put the file back, or start without the saved state.",
            )
        mark = Mark(*cast("list[int]", position["mark"]))
        verify(file.path, mark, grows=self._grows(file))
        self._begin(file, cast("int", position["start"]), mark)
        self._skip(cast("int", position["row"]))

    def _skip(self, rows: int) -> None:
        """Passes over rows that were given before; pieces may be cut otherwise now."""
        assert self._file is not None
        while rows:
            piece = next(self._pieces, None)
            if piece is None:
                raise changed(self._file.path, f"{rows} rows that were read are gone")
            self._piece, self._given = piece, min(rows, len(piece.changes))
            rows -= self._given

    def _open(self, file: File) -> Pieces:
        options = self._context.options
        if self._format.frames is not None:
            return FramePieces(file.path, self._format.frames(self._columns, options))
        assert self._format.text is not None
        reader = self._format.text(self._columns, options)
        return TextPieces(
            file.path, reader, self._counters, _way_out(self._format), waits=self._watch.on
        )


def _way_out(format: Format) -> str:
    """What to do about a row that can't be read."""
    for option in format.options:
        if option.key == "ignore-parse-errors":
            key = f"{format.name}.{option.key}"
            return f"Mend the row, or set '{key}' = 'true' to skip and count it."
    return "Mend the row."
