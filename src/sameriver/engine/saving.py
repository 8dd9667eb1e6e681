"""Turns a copy of a job's state into files and back: between ``JobState`` and manifests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from sameriver.checkpoint.files import read_frame
from sameriver.checkpoint.fold import merge, read_part, read_table, write_part
from sameriver.checkpoint.manifest import (
    File,
    Part,
    SavedColumn,
    SavedJob,
    SavedNode,
    SavedSink,
    SavedSource,
    SavedTable,
)
from sameriver.common.changes import KINDS, MIN_WATERMARK, SYMBOLS, Changes
from sameriver.common.state import StateTable
from sameriver.common.types import to_polars
from sameriver.engine.job import Job
from sameriver.engine.snapshot import JobCapture, JobState, NodeCapture, NodeState, SourceState
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.sink import Sink
from sameriver.state.handle import Delta


def declared(job: Job, name: str, description: dict[str, object] | None) -> SavedJob:
    """A job as it would be saved, without any state."""
    numbers = {id(node): number for number, node in enumerate(job.nodes, 1)}
    known = {node: numbers[id(node)] for node in job.nodes}
    return SavedJob(
        name=name,
        finished=False,
        description=description,
        nodes=tuple(_declared_node(node, numbers[id(node)], known) for node in job.nodes),
        sources=tuple(
            SavedSource(table=_table_name(node), position=None, finished=False, rows=0)
            for node in job.sources
        ),
        sinks=tuple(
            SavedSink(table=_table_name(node), committable=None, changes=None)
            for node in job.nodes
            if isinstance(node, Sink)
        ),
    )


def _declared_node(node: PhysicalNode, number: int, known: Mapping[PhysicalNode, int]) -> SavedNode:
    return SavedNode(
        number=number,
        kind=type(node).__name__,
        inputs=tuple(known[below] for below in node.inputs),
        watermarks=(),
        emitted=MIN_WATERMARK,
        tables=tuple(map(SavedTable.of, node.state())),
    )


def _table_name(node: PhysicalNode) -> str:
    table = node.table if isinstance(node, Scan | Sink) else None
    return "" if table is None else table.name


# Saving.


class Saver:
    """Writes the files of one checkpoint of a job.

    Args:
        root: what paths in manifests are relative to.
        draft: folder of the new files.
        below: goes before their names in paths.
        job: number of the job, which makes names differ.
    """

    def __init__(self, root: Path, draft: Path, below: str, job: int) -> None:
        self._root, self._draft, self._below, self._job = root, draft, below, job
        self.rows = self.bytes = 0

    def save(self, before: SavedJob, capture: JobCapture) -> SavedJob:
        """The job with what ``capture`` adds to the state saved ``before``."""
        sources = zip(before.sources, capture.sources, strict=True)
        sinks = zip(before.sinks, capture.sinks, strict=True)
        nodes = zip(before.nodes, capture.nodes, strict=True)
        return replace(
            before,
            finished=all(source.finished for source in capture.sources),
            nodes=tuple(self._node(node, copy) for node, copy in nodes),
            sources=tuple(
                replace(saved, position=state.position, finished=state.finished, rows=state.rows)
                for saved, state in sources
            ),
            sinks=tuple(replace(sink, committable=waits, changes=None) for sink, waits in sinks),
        )

    def _node(self, before: SavedNode, capture: NodeCapture) -> SavedNode:
        tables: list[SavedTable] = []
        for table in before.tables:
            name = f"{self._job}-{before.number}-{len(tables)}"
            parts: list[Part] = []
            for shard, copies in enumerate(capture.shards):
                parts += self._parts(table, copies[table.name](), shard, f"{name}-{shard}")
            tables.append(replace(table, parts=tuple(parts)))
        return replace(
            before, watermarks=capture.watermarks, emitted=capture.emitted, tables=tuple(tables)
        )

    def _parts(self, table: SavedTable, delta: Delta, shard: int, name: str) -> Iterator[Part]:
        """The parts of a shard, the new one among them.

        It swallows parts that are not much larger, so that there are few, each row is written
        anew only a few times, and a table that is all new is a single part.
        """
        kept = [part for part in table.parts if part.shard == shard and not delta.whole]
        while kept and kept[-1].size < 2 * (len(delta.ids) + len(delta.gone)):
            delta = merge(read_part(self._root, kept.pop()), delta)
        yield from kept
        if not kept or len(delta.ids) or len(delta.gone):
            part = write_part(self._draft, name, delta, shard, below=self._below)
            self.rows += part.rows.rows
            self.bytes += sum(file.bytes for file in part.files)
            yield part


# Restoring.


def told(root: Path, file: File) -> Changes:
    """What a sink must be told first.

    Raises:
        ExternalError: the file is missing, torn, altered or foreign.
    """
    kind, *columns = read_frame(root, file).get_columns()
    numbers = kind.replace_strict(list(SYMBOLS), list(range(len(SYMBOLS))), return_dtype=KINDS)
    return Changes(pl.DataFrame(columns), numbers)


def job_state(job: Job, saved: SavedJob, root: Path, created: int) -> JobState:
    """The state that was saved, as ``Job.restore`` takes it.

    Args:
        job: of the same shape as the saved one.
        saved: the job.
        root: what paths of files are relative to.
        created: when it was saved, in ms of processing time.

    Raises:
        ExternalError: a file is missing, torn, altered or foreign.
    """
    now = job.clock.now()
    return JobState(
        nodes=tuple(
            NodeState(
                tables=_tables(node.state(), was.tables, root, created, now),
                watermarks=was.watermarks,
                emitted=was.emitted,
            )
            for node, was in zip(job.nodes, saved.nodes, strict=True)
        ),
        sources=tuple(
            SourceState(position=source.position, finished=source.finished, rows=source.rows)
            for source in saved.sources
        ),
    )


def _tables(
    tables: Sequence[StateTable], saved: Sequence[SavedTable], root: Path, created: int, now: int
) -> dict[str, pl.DataFrame]:
    """Rows of the tables of a node, as they are declared now."""
    stored = [read_table(root, was) for was in saved]
    ttls = [SavedTable.of(table).ttl for table in tables]
    if ttls != [was.ttl for was in saved]:
        stored = _unexpired(saved, stored, created)
    return {
        table.name: _adapted(table, was, rows, now)
        for table, was, rows in zip(tables, saved, stored, strict=True)
    }


def _unexpired(
    saved: Sequence[SavedTable], stored: Sequence[pl.DataFrame], created: int
) -> list[pl.DataFrame]:
    """Rows that had not expired when they were saved: a longer time to live revives none.

    Tables without times of their own go by the keys of those that have them.
    """
    alive = []
    owner: tuple[SavedTable, pl.DataFrame] | None = None
    for table, rows in zip(saved, stored, strict=True):
        if table.ttl is not None and table.access is not None:
            rows = rows.filter(pl.col(table.access).dt.epoch("ms") > created - table.ttl)
            owner = table, rows
        elif table.ttl is not None and owner is not None:
            rows = _owned(rows, *owner)
        alive.append(rows)
    return alive


def _owned(rows: pl.DataFrame, owner: SavedTable, owners: pl.DataFrame) -> pl.DataFrame:
    keys = [column.name for column in owner.key]
    if not keys:
        return rows if owners.height else rows.clear()
    if not set(keys) <= set(rows.columns):
        return rows
    return rows.join(owners, on=keys, how="semi", nulls_equal=True, maintain_order="left")


def _adapted(table: StateTable, saved: SavedTable, rows: pl.DataFrame, now: int) -> pl.DataFrame:
    """The rows under the declared names; a time of last access comes or goes with the TTL."""
    stored = iter([column.name for column in saved.columns if not column.is_access])
    columns = []
    for column in table.columns:
        if not SavedColumn.of(column).is_access:
            columns.append(pl.col(next(stored)).alias(column.name))
        elif saved.access is not None:
            columns.append(pl.col(saved.access).alias(column.name))
        else:
            moment = pl.lit(now).cast(to_polars(column.type))
            columns.append(moment.alias(column.name))
    return rows.select(columns) if columns else rows
