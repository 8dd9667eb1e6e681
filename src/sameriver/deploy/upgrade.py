"""A changed script on the state of another: compare, then go on, or stop and touch nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version as version_of
from pathlib import Path

import polars as pl

from sameriver.checkpoint.files import read_frame, write_frame
from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.manifest import CHECKPOINT, Manifest, Metrics, SavedJob
from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import SameriverError, UserError
from sameriver.common.time import Clock
from sameriver.common.types import to_polars
from sameriver.compat import CompatibilityReport, JobDescription, Rules, Verdict, compare
from sameriver.compat.description import together
from sameriver.compat.description_json import to_json
from sameriver.connectors.registry import accepts
from sameriver.deploy.leaving import show_left
from sameriver.deploy.migrate import Migration
from sameriver.deploy.pairs import Pairs, pair
from sameriver.deploy.plans import PlannedJob, describe_jobs, description_of
from sameriver.deploy.replay import Replay, check_replayable, differences
from sameriver.deploy.versions import BACKFILL, UPGRADE, Version, add_version, versions
from sameriver.engine.snapshot import NodeState
from sameriver.plan.physical.sink import Sink

NOT_COMPATIBLE = "STATE_NOT_COMPATIBLE"


class UpgradeRefused(SameriverError):
    """The state is not good enough for the changed script; nothing was touched.

    Attributes:
        report: the comparison.
    """

    def __init__(self, report: CompatibilityReport) -> None:
        super().__init__(NOT_COMPATIBLE, refusal(report.verdict), hint="\n".join(report.ways))
        self.report = report


def refusal(verdict: Verdict) -> str:
    """What is said of state that is not good enough."""
    return f"the script has changed, and its state is {verdict.value}; nothing was touched"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A changed script that meets saved state.

    Attributes:
        folder: where the state is.
        manifest: its last checkpoint.
        old: the jobs of the script that it was saved by; None: they can't be planned any more.
        new: the jobs of the changed script.
        script: the text of the changed script.
        rules: how to compare.
        clock: processing time.
    """

    folder: StateFolder
    manifest: Manifest
    old: Sequence[PlannedJob] | None
    new: Sequence[PlannedJob]
    script: str
    rules: Rules
    clock: Clock

    def is_none(self) -> bool:
        """Whether nothing that a description tells has changed: text, positions, functions."""
        saved = [job.description for job in self.manifest.jobs]
        fresh = [to_json(job.describe()) for job in self.new[: len(saved)]]
        return saved == fresh and (self.old is None or len(self.old) == len(self.new))

    def compare(self) -> CompatibilityReport:
        """The comparison of both versions."""
        return compare(self._described(), describe_jobs(self.new), self.rules)

    def _described(self) -> JobDescription:
        """Saved jobs as they were saved, those that had not started as they are planned."""
        saved = [description_of(job) for job in self.manifest.jobs]
        waiting = [] if self.old is None else self.old[len(saved) :]
        return together([*saved, *(job.describe() for job in waiting)])

    def check(self, *, allow_partial: bool, backfill: bool) -> tuple[CompatibilityReport, Pairs]:
        """The comparison, if the state is good enough, and what goes on with what.

        Args:
            allow_partial: what is new may start empty.
            backfill: what can't go on, and what is new, is made by reading the sources again.

        Raises:
            UpgradeRefused: the state is not good enough.
            UserError: NOT_REPLAYABLE; NOT_EXACT; NOT_IN_ORDER; JOBS_MERGED.
        """
        report = self.compare()
        enough = Verdict.PARTIAL if allow_partial else Verdict.FULL
        if not backfill and not report.verdict.satisfies(enough):
            raise UpgradeRefused(report)
        pairs = pair(self.manifest.jobs, self.new, report)
        if backfill and self._lacks(report, pairs):
            self._check_exact()
            paired = zip(self.new, pairs.jobs, strict=True)
            check_replayable([planned for planned, partner in paired if partner is not None])
        return report, pairs

    def _lacks(self, report: CompatibilityReport, pairs: Pairs) -> bool:
        """Whether history has something to give: to state, or to a new sink of a job that ran."""
        places = (
            (number, place)
            for number, (planned, partner) in enumerate(zip(self.new, pairs.jobs, strict=True))
            for place in range(len(planned.roots))
            if partner is not None
        )
        return report.verdict is not Verdict.FULL or any(at not in pairs.sinks for at in places)

    def _check_exact(self) -> None:
        """Refuses to fill up state that does not hold what a replay would give."""
        if not self._was_exact():
            raise UserError(
                "NOT_EXACT",
                "the version before holds state that began empty or with other rows: filled up"
                " from history the result would still not be exact",
                hint="Go back with 'sameriver rollback' and fill from history from there, let what"
                " is new start empty with --allow-partial, or start over with --fresh.",
            )

    def _was_exact(self) -> bool:
        known = versions(self.folder)
        return not known or known[-1].exact

    def _goes_on_exactly(self, report: CompatibilityReport) -> bool:
        """Whether all state is what the new query makes of all input; ignored filters count."""
        strict = replace(self.rules, ignore_filter=False)
        full = compare(self._described(), describe_jobs(self.new), strict).verdict
        return self._was_exact() and report.verdict is full is Verdict.FULL

    def make(self, *, allow_partial: bool, backfill: bool) -> CompatibilityReport:
        """Takes the state over into a checkpoint of the new version.

        Args:
            allow_partial: as for ``check``.
            backfill: as for ``check``.

        Raises:
            UpgradeRefused: the state is not good enough.
            UserError: as ``check``; NOT_TOLD_YET; OUTPUT_WAITS.
            ExternalError: CANT_WRITE, or what is wrong with saved files or the sources.
        """
        report, pairs = self.check(allow_partial=allow_partial, backfill=backfill)
        self._check_told(pairs)
        replays = None
        if backfill and self._lacks(report, pairs):
            replays = self._replays(pairs)
        self._take_over(report, pairs, replays)
        return report

    def _check_told(self, pairs: Pairs) -> None:
        """Refuses to change the columns of a sink that has not been told of the last change."""
        for (number, place), (old, at) in pairs.sinks.items():
            waits = self.manifest.jobs[old].sinks[at].changes
            if waits is None:
                continue
            columns = read_frame(self.folder.checkpoints, waits).dtypes[1:]
            rows = self.new[number].roots[place].inputs[0].schema
            if columns != [to_polars(type) for type in rows.types]:
                raise UserError(
                    "NOT_TOLD_YET",
                    "the version before has not told its sink yet what differs since the one"
                    " before that, and now the columns are others",
                    hint="Run that version until its first checkpoint, or go back with"
                    " 'sameriver rollback', and then change the script.",
                )

    def _replays(self, pairs: Pairs) -> list[_Replayed | None]:
        return [
            None if partner is None else self._replay(number, partner, pairs)
            for number, partner in enumerate(pairs.jobs)
        ]

    def _replay(self, number: int, partner: int, pairs: Pairs) -> _Replayed:
        """Runs the new job, and the old one for its results, over what the old one had read.

        A sink that can't take rows back is told of history only if it is new.
        """
        planned = self.new[number]
        saved = self.manifest.jobs[partner]
        new = Replay(planned, saved, self.clock)
        old = None
        if self.old is not None and partner < len(self.old) and any(map(_updates, planned.roots)):
            old = Replay(self.old[partner], saved, self.clock)
        told = []
        for place, (root, result) in enumerate(zip(planned.roots, new.results, strict=True)):
            before = None if old is None else old.result(_name(root))
            fills = _updates(root) or (number, place) not in pairs.sinks
            told.append(differences(before, result) if fills else None)
        return _Replayed(new.states, told)

    def _take_over(
        self,
        report: CompatibilityReport,
        pairs: Pairs,
        replays: Sequence[_Replayed | None] | None,
    ) -> None:
        began, number = time.monotonic(), self.manifest.number + 1
        states = [] if replays is None else _by_id(replays, self.new)
        migration = Migration(
            old=self.manifest,
            root=self.folder.checkpoints,
            report=report,
            jobs=self.new,
            pairs=pairs,
            replayed=dict(states),
        )

        def write(draft: Path, below: str) -> Manifest:
            jobs = migration.run(draft, below)
            if replays is not None:
                jobs = tuple(
                    self._telling(job, replayed, draft, below, place)
                    for place, (job, replayed) in enumerate(zip(jobs, replays, strict=False))
                )
            return Manifest(
                kind=CHECKPOINT,
                version=version_of("sameriver"),
                number=number,
                created=self.manifest.created,
                script=self.script,
                origin=self.manifest.origin,
                jobs=jobs,
                metrics=Metrics(
                    duration=round((time.monotonic() - began) * 1000), pause=0, rows=0, bytes=0
                ),
            )

        version = Version(
            number=0,
            started=self.clock.now(),
            way=UPGRADE if replays is None else BACKFILL,
            verdict=report.verdict.value,
            checkpoint=number,
            previous=self.manifest.number,
            savepoint="",
            exact=replays is not None or self._goes_on_exactly(report),
            script=self.script,
        )
        show_left(self.manifest, self.old, pairs.sinks.values(), self.clock)
        add_version(self.folder, version, self.manifest)
        self.folder.add(number, write)

    def _telling(
        self, job: SavedJob, replayed: _Replayed | None, draft: Path, below: str, number: int
    ) -> SavedJob:
        """The job whose sinks are first told what differs, after what they had not been told."""
        if replayed is None:
            return job
        sinks = []
        for place, (sink, told) in enumerate(zip(job.sinks, replayed.told, strict=True)):
            file = sink.changes
            if told is not None:
                waits = [] if file is None else [read_frame(self.folder.checkpoints, file)]
                name = f"{number}-told-{place}.parquet"
                file = write_frame(draft, name, pl.concat([*waits, told]), below=below)
            sinks.append(replace(sink, changes=file))
        return replace(job, sinks=tuple(sinks))


@dataclass(frozen=True, slots=True)
class _Replayed:
    """What the replay of a job gave: state by operator, and what each sink must be told."""

    states: Sequence[NodeState]
    told: Sequence[pl.DataFrame | None]


def _name(root: Sink) -> str | None:
    return None if root.table is None else root.table.name


def _updates(root: Sink) -> bool:
    """Whether a sink can take rows back."""
    table = root.table
    return table is None or ChangeKind.DELETE in accepts(table.connector, table.options)


def _by_id(
    replays: Sequence[_Replayed | None], jobs: Sequence[PlannedJob]
) -> list[tuple[int, NodeState]]:
    found: list[tuple[int, NodeState]] = []
    first = 0
    for replayed, planned in zip(replays, jobs, strict=True):
        count = len(planned.describe().operators)
        if replayed is not None:
            found += [(first + place, state) for place, state in enumerate(replayed.states)]
        first += count
    return found
