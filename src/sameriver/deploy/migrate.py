"""Saved state of one version of a script as that of the next: columns go by meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

import polars as pl

from sameriver.checkpoint.files import write_frame
from sameriver.checkpoint.fold import read_table
from sameriver.checkpoint.manifest import (
    Manifest,
    Part,
    SavedColumn,
    SavedJob,
    SavedNode,
    SavedSink,
    SavedSource,
    SavedTable,
)
from sameriver.common.dataclass import dataclass
from sameriver.common.state import StateColumn, StateTable
from sameriver.common.types import to_polars
from sameriver.compat.report import CompatibilityReport, OperatorReport, TableChange, Verdict
from sameriver.deploy.pairs import Pairs
from sameriver.deploy.plans import PlannedJob, stateful
from sameriver.engine.job import Job
from sameriver.engine.snapshot import NodeState

Replayed = Mapping[int, NodeState]
"""State of operators of the new plan, by id, as the sources replayed from their start made it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """What is known of both versions.

    Attributes:
        old: the last checkpoint of the old version.
        root: what paths of its files are relative to.
        report: the comparison of both.
        jobs: of the new script.
        pairs: what goes on with what.
        replayed: state that a replay made; empty: there was none.
    """

    old: Manifest
    root: Path
    report: CompatibilityReport
    jobs: Sequence[PlannedJob]
    pairs: Pairs
    replayed: Replayed = field(default_factory=dict)

    def run(self, draft: Path, below: str) -> tuple[SavedJob, ...]:
        """The new jobs with their state; tables that change are written into ``draft``."""
        before = [node for job in self.old.jobs for node in job.nodes if node.tables]
        reports = {one.new: one for one in self.report.operators if one.new is not None}
        first, saved = 0, []
        for number, planned in enumerate(self.jobs):
            partner = self.pairs.jobs[number]
            job, _ = planned.open()
            try:
                work = _Work(self, number, job, planned.declared(job), before, draft, below)
                own = {place: first + n for n, place in enumerate(stateful(job.nodes))}
                known = {place: reports[id] for place, id in own.items()}
                if partner is not None:
                    saved.append(work.job(self.old.jobs[partner], known))
            finally:
                job.abort()
            first += len(own)
        return tuple(saved)


@dataclass(frozen=True, slots=True)
class _Work:
    migration: Migration
    number: int
    running: Job
    declared: SavedJob
    before: Sequence[SavedNode]
    """Stateful nodes of the old version, by id."""
    draft: Path
    below: str

    def job(self, old: SavedJob, reports: Mapping[int, OperatorReport]) -> SavedJob:
        stands = self.running.stands(self._known(old, reports))
        nodes = []
        for place, (node, (ports, emitted)) in enumerate(
            zip(self.declared.nodes, stands, strict=True)
        ):
            tables = node.tables
            if place in reports:
                tables = tuple(self._tables(place, node, reports[place]))
            nodes.append(replace(node, watermarks=ports, emitted=emitted, tables=tables))
        sources = tuple(_source(source, old) for source in self.declared.sources)
        return replace(
            self.declared,
            finished=old.finished and all(source.finished for source in sources),
            nodes=tuple(nodes),
            sources=sources,
            sinks=tuple(self._sink(*numbered) for numbered in enumerate(self.declared.sinks)),
        )

    def _sink(self, place: int, sink: SavedSink) -> SavedSink:
        partner = self.migration.pairs.sinks.get((self.number, place))
        if partner is None:
            return sink
        return self.migration.old.jobs[partner[0]].sinks[partner[1]]

    # Watermarks.

    def _known(
        self, old: SavedJob, reports: Mapping[int, OperatorReport]
    ) -> dict[int, tuple[tuple[int, ...], int]]:
        """Watermarks of the nodes that go on, by place: what reads and what keeps state."""
        known = {}
        names = _scanned(old)
        assigners = {_below(old, node.number, names): node for node in old.nodes if _assigns(node)}
        scans = {name: old.nodes[number - 1] for number, name in names.items()}
        own = _scanned(self.declared)
        for place, node in enumerate(self.declared.nodes):
            partner: SavedNode | NodeState | None = None
            if node.number in own:
                partner = scans.get(own[node.number])
            elif _assigns(node):
                partner = assigners.get(_below(self.declared, node.number, own))
            elif place in reports:
                partner = self._partner(reports[place])
            if partner is not None and len(partner.watermarks) == len(node.inputs):
                known[place] = partner.watermarks, partner.emitted
        return known

    def _partner(self, report: OperatorReport) -> SavedNode | NodeState | None:
        """What an operator goes on from."""
        if self._replays(report):
            return self.migration.replayed.get(-1 if report.new is None else report.new)
        return None if report.old is None else self.before[report.old]

    def _replays(self, report: OperatorReport) -> bool:
        """Whether old state is of no use, so that the operator takes what the replay made."""
        return report.verdict in (Verdict.INCOMPATIBLE, Verdict.UNKNOWN)

    # Tables.

    def _tables(self, place: int, node: SavedNode, report: OperatorReport) -> Iterator[SavedTable]:
        live = self.running.nodes[place]
        replayed = self.migration.replayed.get(-1 if report.new is None else report.new)
        changes = {change.new: change for change in report.tables}
        for number, (saved, table) in enumerate(zip(node.tables, live.state(), strict=True)):
            name = f"{self.number}-{node.number}-{number}-moved"
            made = None if replayed is None else replayed.tables[table.name]
            change = changes.get(table.name)
            if made is not None and (self._replays(report) or change is None or not change.old):
                yield self._written(saved, made, name)
            elif change is None or change.old is None or report.old is None:
                yield self._written(saved, _empty(table), name)
            else:
                old = next(t for t in self.before[report.old].tables if t.name == change.old)
                yield self._moved(saved, table, old, change, made, name)

    def _moved(
        self,
        saved: SavedTable,
        table: StateTable,
        old: SavedTable,
        change: TableChange,
        made: pl.DataFrame | None,
        name: str,
    ) -> SavedTable:
        """An old table under its new names; columns that are new are those of the replay."""
        carried = _with_access(saved, old)
        if [c.name for c in carried.columns] == [c.name for c in old.columns] and all(
            was == now for was, now in change.columns
        ):
            return replace(carried, parts=old.parts)
        rows = read_table(self.migration.root, old)
        names = {now: was for was, now in change.columns}
        declared = {column.name: column for column in table.columns}
        missing = [n for n in change.added if n in declared and not _is_access(declared[n])]
        columns = [
            pl.col(names[c.name]).alias(c.name) if c.name in names else _blank(declared[c.name])
            for c in carried.columns
            if not c.is_access
        ]
        if old.access is not None:
            columns.append(pl.col(old.access))
        moved = rows.select(columns)
        if made is not None and missing:
            moved = _filled(moved, made, [c.name for c in saved.key], missing)
        return self._written(carried, moved, name)

    def _written(self, table: SavedTable, rows: pl.DataFrame, name: str) -> SavedTable:
        rows = rows.select(column.name for column in table.columns)
        # The first checkpoint of the new version writes the table anew.
        file = write_frame(self.draft, f"{name}.parquet", rows, below=self.below, brief=True)
        part = Part(shard=0, whole=True, has_ids=False, rows=file, gone=None)
        return replace(table, parts=(part,))


def _with_access(saved: SavedTable, old: SavedTable) -> SavedTable:
    """The table as its rows were saved: with the old time to live and times of last access."""
    values = [column for column in saved.values if not column.is_access]
    values += [column for column in old.values if column.is_access]
    return replace(saved, values=tuple(values), ttl=old.ttl)


def _is_access(column: StateColumn) -> bool:
    return SavedColumn.of(column).is_access


def _empty(table: StateTable) -> pl.DataFrame:
    return pl.DataFrame(schema={c.name: to_polars(c.type) for c in table.columns})


def _blank(column: StateColumn) -> pl.Expr:
    """What an accumulator holds that has seen no row."""
    value = None if column.type.nullable else 0
    return pl.lit(value).cast(to_polars(column.type)).alias(column.name)


def _filled(
    moved: pl.DataFrame, made: pl.DataFrame, keys: Sequence[str], missing: Sequence[str]
) -> pl.DataFrame:
    """The rows with columns of a replay in place of blanks, where it has the key."""
    if not keys:
        return moved.with_columns(made[name] for name in missing if made.height)
    found = f"$found{len(moved.columns)}"
    other = made.select(*keys, *missing).with_columns(pl.lit(True).alias(found))
    both = moved.join(
        other, on=list(keys), how="left", nulls_equal=True, suffix="$", maintain_order="left"
    )
    filled = [
        pl.when(pl.col(found)).then(pl.col(f"{name}$")).otherwise(pl.col(name)).alias(name)
        for name in missing
    ]
    return both.with_columns(filled).select(moved.columns)


def _source(source: SavedSource, old: SavedJob) -> SavedSource:
    return next((was for was in old.sources if was.table == source.table), source)


def _scanned(job: SavedJob) -> dict[int, str]:
    """Table of each node that reads, by its number."""
    numbers = [node.number for node in job.nodes if node.kind in ("Scan", "Values")]
    return dict(zip(numbers, [source.table for source in job.sources], strict=True))


def _assigns(node: SavedNode) -> bool:
    return node.kind == "WatermarkAssigner"


def _below(job: SavedJob, number: int, names: Mapping[int, str]) -> str:
    """The table that a node reads, through nodes of one input."""
    while number not in names:
        number = job.nodes[number - 1].inputs[0]
    return names[number]
