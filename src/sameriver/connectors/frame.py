"""``frame``: tables of this process, held under an id in a registry of objects."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import polars as pl

from sameriver.common.changes import KINDS, ChangeKind, Changes
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.schema import Schema
from sameriver.common.types import to_polars
from sameriver.connectors.connector import (
    Connector,
    ConnectorOption,
    Position,
    SourceBatch,
    TableContext,
)
from sameriver.connectors.options import Options
from sameriver.connectors.print import named
from sameriver.connectors.scan_lookup import ScanLookup

KIND_COLUMN = "$kind"
"""Optional column of a frame: change kinds as numbers or as ``+I``, ``-U``, ``+U``, ``-D``."""

Frames = Callable[[], Iterable[pl.DataFrame]]

_frames: dict[str, Frames] = {}
_written: dict[str, list[Changes]] = {}
_numbers = itertools.count(1)


def register_frames(frames: pl.DataFrame | Frames) -> str:
    """Holds a frame, or what makes an iterator of frames; gives the id for ``'frame' = '<id>'``.

    An iterator that can't be started again is read once: a job can't go on in it after a restart.
    """
    number = str(next(_numbers))
    if isinstance(frames, pl.DataFrame):
        frame = frames
        _frames[number] = lambda: (frame,)
    else:
        _frames[number] = frames
    return number


def release(number: str) -> None:
    """Forgets a frame, and what was written under its id."""
    _frames.pop(number, None)
    _written.pop(number, None)


def written(number: str) -> list[Changes]:
    """What a sink of that id has been given so far, in order."""
    return _written.get(number, [])


class FrameSource:
    """Reads registered frames; bounded by the end of the iterator."""

    def __init__(self, context: TableContext) -> None:
        number = context.options.get("frame", "")
        if number not in _frames:
            raise UserError(
                "UNKNOWN_FRAME",
                f"table '{context.name}' reads frame '{number}', which isn't registered",
                hint="Register a frame with Session.register.",
            )
        self._schema = context.schema
        self._metadata = context.metadata
        self._changelog = context.options.get("changelog") == "true"
        self._left: Iterator[pl.DataFrame] = iter(_frames[number]())
        self._frame: pl.DataFrame | None = None
        self._at = 0
        self._read = 0

    @property
    def bounded(self) -> bool:
        return True

    def poll(self, rows: int) -> SourceBatch:
        if self._frame is None or self._at >= self._frame.height:
            self._frame, self._at = next(self._left, None), 0
            if self._frame is None:
                return SourceBatch(None, self._position(), finished=True)
        part = self._frame.slice(self._at, rows)
        self._at += part.height
        self._read += part.height
        return SourceBatch(self._changes(part), self._position())

    def seek(self, position: Position) -> None:
        skip = int(str(position["row"]))
        self._read = skip
        while skip > 0:
            frame = next(self._left, None)
            if frame is None:
                return
            if frame.height > skip:
                self._frame, self._at = frame, skip
                return
            skip -= frame.height

    def counters(self) -> dict[str, int]:
        return {}

    def close(self) -> None:
        self._left = iter(())

    def _position(self) -> Position:
        return {"row": self._read}

    def _changes(self, part: pl.DataFrame) -> Changes:
        kinds = None
        if self._changelog and KIND_COLUMN in part.columns:
            kinds = _kinds(part[KIND_COLUMN])
        return Changes(fitted(part, self._schema), kinds)


def fitted(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """The columns of the schema, cast to its types.

    Raises:
        ExternalError: BAD_COLUMN for a column that lacks or can't be cast.
    """
    try:
        return frame.select(
            pl.col(field.name).cast(to_polars(field.type), strict=True) for field in schema
        )
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise ExternalError(
            "BAD_COLUMN",
            f"the frame doesn't have the table's columns: {reason}",
            hint=f"The table has {', '.join(f'{f.name} {f.type}' for f in schema)}.",
        ) from error


def _kinds(column: pl.Series) -> pl.Series:
    if column.dtype == pl.String:
        symbols = [kind.symbol for kind in ChangeKind]
        return column.replace_strict(symbols, list(range(len(symbols))), return_dtype=KINDS)
    return column.cast(KINDS)


class FrameSink:
    """Keeps what it is given where ``written`` finds it."""

    def __init__(self, context: TableContext) -> None:
        self._schema = context.schema
        self._batches = _written.setdefault(context.options.get("frame", ""), [])

    def write(self, changes: Changes) -> None:
        self._batches.append(changes.with_rows(named(changes.rows, self._schema)))

    def flush(self) -> None:
        """Rows are visible at once."""

    def close(self) -> None:
        """Nothing to let go."""

    def abort(self) -> None:
        """Rows already visible stay."""


def _changelog(options: Options) -> frozenset[ChangeKind]:
    return frozenset(ChangeKind if options.get("changelog") == "true" else {ChangeKind.INSERT})


FRAME = Connector(
    name="frame",
    options=(
        ConnectorOption("frame", "id that register_frames gave", required=True),
        ConnectorOption("changelog", f"rows have a column {KIND_COLUMN}", "false"),
    ),
    source=FrameSource,
    lookup=partial(ScanLookup, FrameSource),
    sink=FrameSink,
    changelog=_changelog,
)
