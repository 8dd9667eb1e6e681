"""What a connector offers: sources, sinks, and the options they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable
from zoneinfo import ZoneInfo

from sameriver.common.changes import ChangeKind, Changes
from sameriver.common.dataclass import dataclass
from sameriver.common.lookup import Lookup
from sameriver.common.schema import Field, Schema
from sameriver.common.time import Clock

Position = dict[str, object]
"""Where a source stands; JSON values only, so that a checkpoint can hold it."""


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """What one poll gave.

    Attributes:
        changes: rows, or None if there is nothing now.
        position: where to go on after these rows.
        finished: nothing more will ever come.
        watermark: a watermark that the source itself knows (SOURCE_WATERMARK()), in ms.
        drained: these are all rows for now; more come with time, not by asking again.
    """

    changes: Changes | None
    position: Position
    finished: bool = False
    watermark: int | None = None
    drained: bool = False


class Source(Protocol):
    """Reads a table. Polled from one thread; ``seek`` is called before the first poll only."""

    @property
    def bounded(self) -> bool: ...

    def poll(self, rows: int) -> SourceBatch:
        """Up to about ``rows`` rows, without waiting longer than a few ms for more."""
        ...

    def seek(self, position: Position) -> None: ...

    def counters(self) -> Mapping[str, int]:
        """``ignored_rows`` and ``ignored_fields``: skipped as told by ``ignore-parse-errors``."""
        ...

    def close(self) -> None: ...


class Sink(Protocol):
    """Writes a table."""

    def write(self, changes: Changes) -> None: ...

    def flush(self) -> None:
        """Makes what was written visible, as far as the sink can."""
        ...

    def close(self) -> None:
        """Flushes and lets go; called once, also after a failure."""
        ...

    def abort(self) -> None:
        """The job failed: lets go without making unfinished output visible."""
        ...


Committable = dict[str, object]
"""Output that waits to be made visible; JSON values only, so that a checkpoint can hold it."""


@runtime_checkable
class CommittingSink(Sink, Protocol):
    """A sink whose output becomes visible with the checkpoint that covers it, and only then.

    A job with a state folder calls, in this order: ``recover`` once, before any ``write``; then
    ``prepare`` at each checkpoint, and ``commit`` once that checkpoint is safe. ``flush`` is not
    called. At the end of input the last checkpoint commits all.
    """

    def prepare(self, *, last: bool) -> Committable:
        """Makes what was written so far safe, not yet visible, and says how to go on from it.

        What is given stands for all output up to here that no earlier ``commit`` has shown.

        Args:
            last: nothing more will be written.
        """
        ...

    def commit(self, committable: Committable) -> None:
        """Shows what ``prepare`` gave; calling it again, also in a later process, does no harm."""
        ...

    def recover(self, committable: Committable | None) -> None:
        """Goes on from the last checkpoint: commits what it holds, removes what came after it.

        Args:
            committable: of that checkpoint; None: the job starts afresh.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TableContext:
    """What a connector is told about the table.

    Attributes:
        name: as declared.
        schema: for a source, the physical columns to deliver, in order (pruned to what the query
            needs); for a sink, the columns it gets.
        declared: all physical columns of the declaration: positional formats such as csv need it.
        options: WITH options, with hints laid over them.
        metadata: metadata key by column name.
        primary_key: column names.
        partitioned_by: column names.
        zone: ``table.local-time-zone``.
        clock: processing time.
    """

    name: str
    schema: Schema
    declared: Schema
    options: Mapping[str, str]
    metadata: Mapping[str, str]
    primary_key: tuple[str, ...]
    partitioned_by: tuple[str, ...]
    zone: ZoneInfo
    clock: Clock


@dataclass(frozen=True, slots=True)
class ConnectorOption:
    """An option of the WITH clause; ``default`` None means none, ``required`` that it must be."""

    key: str
    text: str
    default: str | None = None
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """A connector: one entry of the registry.

    Attributes:
        name: value of ``connector``.
        options: what WITH may hold besides ``connector``; a key ending in ``.*`` stands for all
            that start so.
        source, sink: make one, or None if it can't be read or written.
        lookup: makes what finds rows by key; None if it can't be looked up.
        changelog: kinds a source of these options delivers.
        accepts: kinds a sink of these options takes; None: all.
        fields: whether a source of these options can be asked for some fields of a ROW: then the
            types of the columns to deliver may have fewer than those declared; None: no.
        formats: whether it takes ``format`` and its options.
        check: refuses bad values of options and columns that it can't hold.
    """

    name: str
    options: tuple[ConnectorOption, ...] = ()
    source: Callable[[TableContext], Source] | None = None
    sink: Callable[[TableContext], Sink] | None = None
    lookup: Callable[[TableContext], Lookup] | None = None
    changelog: Callable[[Mapping[str, str]], frozenset[ChangeKind]] | None = None
    accepts: Callable[[Mapping[str, str]], frozenset[ChangeKind]] | None = None
    fields: Callable[[Mapping[str, str]], bool] | None = None
    formats: bool = False
    metadata: tuple[Field, ...] = ()
    check: Callable[[Mapping[str, str], Schema], object] | None = None
