"""Reads sources again from their start, up to where a version of a job stood."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.checkpoint.manifest import SavedJob, SavedSource
from sameriver.common.changes import SYMBOLS, Changes
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.time import Clock
from sameriver.connectors.connector import Source, SourceBatch
from sameriver.deploy.plans import Collected, PlannedJob, stateful
from sameriver.engine.job import Job
from sameriver.engine.snapshot import NodeState
from sameriver.plan.physical.scan import Scan

KIND = "$kind"
_SIGN = "$sign"


class Replay:
    """A job fed with what an old version had read.

    Attributes:
        results: what each sink of the job would have been told so far.
        states: of the stateful nodes, in the order of their ids.
    """

    def __init__(self, planned: PlannedJob, until: SavedJob, clock: Clock) -> None:
        """Args:
            planned: the job.
            until: how far its sources were read.
            clock: processing time.

        Raises:
            UserError: NOT_REPLAYABLE.
            ExternalError: a source can't be read, or gives less than it had given.
        """
        self._until = {source.table: source for source in until.sources}
        self._rows = planned.config.integer("sameriver.batch.rows")
        job, sinks = planned.open(clock)
        try:
            self._read(job)
            nodes = job.snapshot().nodes
        finally:
            job.abort()
        self.results = [_added_up(sink) for sink in sinks]
        self._tables = [root.table.name if root.table else None for root in planned.roots]
        self.states: list[NodeState] = [nodes[place] for place in stateful(job.nodes)]

    def result(self, table: str | None) -> pl.DataFrame | None:
        """What the sink of that table would have been told; None: nothing, or there is none."""
        named = zip(self._tables, self.results, strict=True)
        return next((result for name, result in named if name == table), None)

    def _read(self, job: Job) -> None:
        """Takes a batch of each source in turn, as the driver does."""
        left: dict[Scan, tuple[Source, int]] = {}
        for node in job.sources:
            known = self._until.get(node.table.name) if isinstance(node, Scan) else None
            if not isinstance(node, Scan):
                job.finish(node)
            elif known is not None:
                left[node] = job.source(node), known.rows
        try:
            while left:
                for scan, (source, rows) in list(left.items()):
                    rows -= self._take(job, scan, source, rows)
                    left[scan] = source, rows
                    if not rows:
                        del left[scan]
                        source.close()
                        self._end(job, scan, self._until[scan.table.name])
                job.fire_timers()
        finally:
            for source, _ in left.values():
                source.close()

    def _take(self, job: Job, scan: Scan, source: Source, rows: int) -> int:
        """Pushes the next rows, at most as many; gives how many."""
        if not rows:
            return 0
        batch = source.poll(min(rows, self._rows))
        changes = None if batch.changes is None else batch.changes.slice(0, rows)
        count = 0 if changes is None else len(changes)
        job.push(scan, SourceBatch(changes, batch.position, watermark=batch.watermark))
        if batch.finished and count < rows:
            raise ExternalError(
                "NOT_REPLAYABLE",
                f"table '{scan.table.name}' gave {rows - count} rows less than it had given before",
                hint="Put its input back as it was, or start over with --fresh.",
            )
        return count

    def _end(self, job: Job, scan: Scan, known: SavedSource) -> None:
        if known.finished:
            job.finish(scan)


def check_replayable(jobs: Sequence[PlannedJob]) -> None:
    """Refuses sources that give other rows the next time.

    Raises:
        UserError: NOT_REPLAYABLE.
    """
    for planned in jobs:
        job, _ = planned.open()
        job.abort()
        for node in job.sources:
            if isinstance(node, Scan) and not replays(node):
                raise UserError(
                    "NOT_REPLAYABLE",
                    f"table '{node.table.name}' can't be read again from its start: its connector "
                    f"'{node.table.connector}' gives other rows each time",
                    hint="Start over with --fresh, or let what is new start empty with "
                    "--allow-partial where that is enough.",
                )


def replays(scan: Scan) -> bool:
    """Whether reading the table again gives the same rows in the same order."""
    options = {**scan.table.options, **dict(scan.options)}
    if scan.table.connector != "datagen":
        return True
    kinds = [options.get(f"fields.{name}.kind", "random") for name in scan.schema.names]
    return all(kind == "sequence" for kind in kinds)


def _added_up(sink: Collected) -> pl.DataFrame | None:
    """The rows that a changelog leaves, with how often each; columns go by position."""
    frames = [_signed(batch) for batch in sink.batches if len(batch)]
    return _counted(frames) if frames else None


def _signed(changes: Changes) -> pl.DataFrame:
    rows = changes.rows
    rows = rows.rename({name: f"c{place}" for place, name in enumerate(rows.columns)})
    signs = changes.signs()
    values = pl.lit(1, pl.Int64) if signs is None else signs.cast(pl.Int64)
    return rows.with_columns(values.alias(_SIGN))


def _counted(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    together = pl.concat(frames)
    keys = [name for name in together.columns if name != _SIGN]
    counted = together.group_by(keys, maintain_order=True).agg(pl.col(_SIGN).sum())
    return counted.filter(pl.col(_SIGN) != 0)


def differences(old: pl.DataFrame | None, new: pl.DataFrame | None) -> pl.DataFrame | None:
    """What turns one result into the other: deletions, then insertions; None: nothing.

    Rows of other columns can't be taken back: then all rows of ``new`` are inserted.
    """
    frames = [] if new is None else [new]
    if old is not None and (new is None or old.schema == new.schema):
        frames.append(old.with_columns(-pl.col(_SIGN)))
    if not frames:
        return None
    counted = _counted(frames)
    if not counted.height:
        return None
    counted = counted.sort(pl.col(_SIGN) > 0, maintain_order=True)
    signs = counted.get_column(_SIGN).to_numpy()
    places = np.repeat(np.arange(len(signs)), np.abs(signs))
    kinds = pl.when(pl.col(_SIGN) > 0).then(pl.lit(SYMBOLS[0])).otherwise(pl.lit(SYMBOLS[3]))
    return counted.select(kinds.alias(KIND), pl.exclude(_SIGN))[pl.Series(places)]
