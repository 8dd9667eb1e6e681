"""``frame``: tables of this process, held under an id in a registry of objects."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import polars as pl

from sameriver.common.changes import KINDS, ChangeKind, Changes
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.schema import Schema
from sameriver.common.types import to_polars
from sameriver.connectors.changelog_mode import CHANGELOG_MODE, accepted, delivered
from sameriver.connectors.connector import (
    Connector,
    ConnectorOption,
    Position,
    SourceBatch,
    TableContext,
)
from sameriver.connectors.print import named
from sameriver.connectors.scan_lookup import ScanLookup

KIND_COLUMN = "$kind"
"""Column of a frame that is no column of its table: change kinds as numbers or as ``+I``, ``-U``,
``+U``, ``-D``; without it all rows are ``+I``. Read unless the changelog mode is insert-only."""

Frames = Callable[[], Iterable[pl.DataFrame]]


@dataclass(frozen=True, slots=True)
class _Registered:
    frames: Frames
    replayable: bool


_frames: dict[str, _Registered] = {}
_written: dict[str, list[Changes]] = {}
_numbers = itertools.count(1)


def register_frames(frames: pl.DataFrame | Frames, *, replayable: bool = True) -> str:
    """Holds a frame, or what makes an iterator of frames; gives the id for ``'frame' = '<id>'``.

    Args:
        frames: what the source reads.
        replayable: whether the same frames come each time, also in a later process. If not, a job
            can't go on in them after a restart.
    """
    number = str(next(_numbers))
    make = (lambda: (frames,)) if isinstance(frames, pl.DataFrame) else frames
    _frames[number] = _Registered(make, replayable)
    return number


def release(number: str) -> None:
    """Forgets a frame, and what was written under its id."""
    _frames.pop(number, None)
    _written.pop(number, None)


def written(number: str) -> list[Changes]:
    """What a sink of that id has been given so far, in order."""
    return _written.get(number, [])


class FrameSource:
    """Reads registered frames; bounded by the end of the iterator. A position counts rows."""

    def __init__(self, context: TableContext) -> None:
        number = context.options.get("frame", "")
        if number not in _frames:
            raise UserError(
                "UNKNOWN_FRAME",
                f"table '{context.name}' reads frame '{number}', which isn't registered",
                hint="Register a frame with Session.register.",
            )
        self._name = context.name
        self._schema = context.schema
        self._kinds = delivered(context.options)
        self._replayable = _frames[number].replayable
        self._left: Iterator[pl.DataFrame] = iter(_frames[number].frames())
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
        """Goes on at a position that ``poll`` gave.

        Raises:
            UserError: NOT_REPLAYABLE for rows of an iterator.
            ExternalError: FRAME_CHANGED if there are fewer rows than were read.
        """
        skip = int(str(position["row"]))
        if skip and not self._replayable:
            raise UserError(
                "NOT_REPLAYABLE",
                f"table '{self._name}' reads an iterator of frames, of which {skip} rows were read"
                " before: whether it gives them again can't be known",
                hint="Register a frame, a list of frames, or the function that makes the iterator.",
            )
        self._read = skip
        while skip > 0:
            self._frame = next(self._left, None)
            if self._frame is None:
                raise ExternalError(
                    "FRAME_CHANGED",
                    f"table '{self._name}' has {skip} rows less than were read of it before",
                    hint="Register the frames that the state was saved with, or start without it.",
                )
            self._at = min(skip, self._frame.height)
            skip -= self._at

    def counters(self) -> dict[str, int]:
        return {}

    def close(self) -> None:
        self._left = iter(())

    def _position(self) -> Position:
        return {"row": self._read}

    def _changes(self, part: pl.DataFrame) -> Changes:
        kinds = None
        if len(self._kinds) > 1 and KIND_COLUMN in part.columns:
            kinds = _kinds(part[KIND_COLUMN], self._kinds)
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


def _kinds(column: pl.Series, known: frozenset[ChangeKind]) -> pl.Series:
    """Change kinds from their numbers or symbols.

    Raises:
        ExternalError: BAD_CHANGE_KIND for a value that is not among ``known``.
    """
    numbers = column.cast(pl.Int64, strict=False) if column.dtype.is_numeric() else column
    if column.dtype == pl.String:
        symbols = {kind.symbol: int(kind) for kind in ChangeKind}
        numbers = column.replace_strict(symbols, default=None, return_dtype=pl.Int64)
    wrong = column.filter(~numbers.is_in(sorted(known)).fill_null(False))
    if len(wrong):
        raise ExternalError(
            "BAD_CHANGE_KIND",
            f"column '{KIND_COLUMN}' of a frame holds '{wrong[0]}', which is no change that the"
            " table delivers",
            hint=f"Its changelog mode has {', '.join(kind.symbol for kind in sorted(known))}.",
        )
    return numbers.cast(KINDS)


class FrameSink:
    """Keeps what it is given where ``written`` finds it: at once, in this process only.

    Rows after the last checkpoint come again when a job goes on from it (at least once).
    """

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


FRAME = Connector(
    name="frame",
    options=(
        ConnectorOption("frame", "id that register_frames gave", required=True),
        CHANGELOG_MODE,
    ),
    source=FrameSource,
    lookup=partial(ScanLookup, FrameSource),
    sink=FrameSink,
    changelog=delivered,
    accepts=accepted,
    check=lambda options, schema: delivered(options),
)
