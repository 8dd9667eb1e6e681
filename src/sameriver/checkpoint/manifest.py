"""What a checkpoint or a savepoint says about itself: ``docs/reference/savepoint-format.md``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from sameriver.common.dataclass import dataclass
from sameriver.common.state import StateColumn, StateTable
from sameriver.connectors.connector import Committable, Position

FORMAT = 1
"""Version of manifests and of the files they name; raised when an older reader would misread."""
CHECKPOINT, SAVEPOINT = "checkpoint", "savepoint"
LAST_ACCESS = "LAST_ACCESS"
"""Meaning, in any case, of the column that tells when a row was last written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A Parquet file.

    Attributes:
        path: relative, with ``/``: to the folder of a savepoint, or to that of all checkpoints.
        rows, bytes: its size.
        checksum: BLAKE2b of 16 bytes over its content, in hex.
    """

    path: str
    rows: int
    bytes: int
    checksum: str

    @property
    def is_inside(self) -> bool:
        """Whether the path stays within the folder it is relative to."""
        parts = PurePosixPath(self.path).parts
        return bool(parts) and ".." not in parts and not self.path.startswith("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one checkpoint saved of a table in one shard.

    Attributes:
        shard: ids of different shards have nothing to do with each other.
        whole: nothing that earlier parts of the shard saved counts.
        has_ids: the first column of ``rows`` is the id; else each row stands for itself.
        rows: the rows.
        gone: ids of rows that no longer count; None: there are none.
    """

    shard: int
    whole: bool
    has_ids: bool
    rows: File
    gone: File | None

    @property
    def files(self) -> tuple[File, ...]:
        return (self.rows,) if self.gone is None else (self.rows, self.gone)

    @property
    def size(self) -> int:
        """Rows and ids."""
        return sum(file.rows for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedColumn:
    """A declared state column, its SQL type as text."""

    name: str
    type: str
    meaning: str
    role: str

    @classmethod
    def of(cls, column: StateColumn) -> SavedColumn:
        return cls(
            name=column.name,
            type=str(column.type),
            meaning=column.meaning,
            role=column.role.value,
        )

    @property
    def is_access(self) -> bool:
        return self.meaning.upper() == LAST_ACCESS


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedScope:
    """The declared row scope of a table."""

    sources: tuple[str, ...]
    filters: tuple[str, ...]
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTable:
    """A declared state table and its rows.

    Attributes:
        ttl: in ms; None: rows live for ever.
        parts: in the order in which they were saved.
    """

    name: str
    key: tuple[SavedColumn, ...]
    values: tuple[SavedColumn, ...]
    scope: SavedScope
    ttl: int | None
    parts: tuple[Part, ...] = ()

    @classmethod
    def of(cls, table: StateTable) -> SavedTable:
        scope = table.scope
        return cls(
            name=table.name,
            key=tuple(map(SavedColumn.of, table.key)),
            values=tuple(map(SavedColumn.of, table.values)),
            scope=SavedScope(sources=scope.sources, filters=scope.filters, path=scope.path),
            ttl=int(table.ttl.total_seconds() * 1000) if table.ttl else None,
        )

    @property
    def columns(self) -> tuple[SavedColumn, ...]:
        return self.key + self.values

    @property
    def files(self) -> Iterator[File]:
        return (file for part in self.parts for file in part.files)

    @property
    def access(self) -> str | None:
        """Name of the column that tells when a row was last written."""
        return next((column.name for column in self.columns if column.is_access), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedNode:
    """A node of the job's plan.

    Attributes:
        number: nodes are numbered with inputs before what reads them.
        kind: such as ``GroupAggregate``.
        inputs: numbers of the nodes below.
        watermarks: of each input in ms; -2**63: none yet, 2**63 - 1: the input has ended.
        emitted: the watermark of its output.
    """

    number: int
    kind: str
    inputs: tuple[int, ...]
    watermarks: tuple[int, ...]
    emitted: int
    tables: tuple[SavedTable, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSource:
    """How far a table was read; position None: not at all. What it holds is its connector's.

    Attributes:
        rows: read from its start on, which a replay counts.
    """

    table: str
    position: Position | None
    finished: bool
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSink:
    """Where a sink stands.

    Attributes:
        committable: output that the checkpoint covers and that may not be visible yet; None:
            nothing waits.
        changes: what the sink must be told before anything else: what a changed job would have
            written otherwise. The first column is the kind of change.
    """

    table: str
    committable: Committable | None
    changes: File | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedJob:
    """One job of the script.

    Attributes:
        name: for people, such as ``INSERT INTO totals``.
        finished: all its input has been read to the end.
        description: what the compatibility check compares; None: not known.
    """

    name: str
    finished: bool
    description: dict[str, object] | None
    nodes: tuple[SavedNode, ...]
    sources: tuple[SavedSource, ...]
    sinks: tuple[SavedSink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """What a checkpoint took.

    Attributes:
        duration: ms from its beginning until it was safe.
        pause: ms for which the job stood still.
        rows, bytes: written for it.
    """

    duration: int
    pause: int
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """All that was saved of a script.

    Attributes:
        kind: ``checkpoint`` or ``savepoint``.
        version: of sameriver, which wrote it.
        number: of the checkpoint, or of the one a savepoint was made of.
        created: processing time in ms since 1970.
        script: the SQL text.
        origin: checksum of the savepoint it began with; empty: none.
        jobs: in the order of the script; those that have not started yet are missing.
    """

    kind: str
    version: str
    number: int
    created: int
    script: str
    origin: str
    jobs: tuple[SavedJob, ...]
    metrics: Metrics

    @property
    def tables(self) -> Iterator[SavedTable]:
        return (table for job in self.jobs for node in job.nodes for table in node.tables)

    @property
    def files(self) -> Iterator[File]:
        yield from (file for table in self.tables for file in table.files)
        yield from (s.changes for job in self.jobs for s in job.sinks if s.changes is not None)
