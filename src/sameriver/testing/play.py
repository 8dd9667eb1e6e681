"""Plays the steps of a scenario on a job and collects its changelog."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from sameriver.common.changes import ChangeKind, Changes, concat
from sameriver.common.config import Config
from sameriver.common.errors import UserError
from sameriver.common.time import ManualClock
from sameriver.common.types import Root
from sameriver.connectors.connector import SourceBatch
from sameriver.deploy.plans import Collected
from sameriver.engine.job import Job
from sameriver.engine.snapshot import JobState
from sameriver.engine.tables import open_source
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.sink import Sink as SinkNode
from sameriver.testing.cells import changes_of, milliseconds
from sameriver.testing.modes import RESTORED_SHARDS, SHARDS, Mode
from sameriver.testing.on_disk import OnDisk
from sameriver.testing.scenario import (
    Checkpoint,
    Crash,
    End,
    FileRows,
    Rows,
    SetClock,
    SetWatermark,
    Sleep,
    Step,
)

START = 1_704_067_200_000
"""The clock of a scenario that does not set it: 2024-01-01 00:00:00 UTC."""


class Player:
    """One run of a scenario in one mode.

    Attributes:
        output: what the query emitted so far.
        job: the job as it is now; restores and crashes put another in its place.
    """

    def __init__(self, roots: Sequence[SinkNode], config: Config, mode: Mode, path: Path) -> None:
        self._roots = roots
        self._config = config
        self._mode = mode
        self._path = path
        self._clock = ManualClock(START)
        self._starts = 0
        self._files: dict[Scan, Changes] = {}
        self._replay: list[Step] = []
        self._saved: tuple[JobState | None, int, dict[Scan, int]] | None = None
        self._read: dict[Scan, int] = {}
        self._disk = OnDisk() if mode is Mode.FILES else None
        self.output = Collected()
        try:
            self.job = self._start()
        except UserError:
            if self._disk is not None:
                self._disk.close()
            raise

    def play(self, steps: Sequence[Step]) -> list[Changes]:
        """Does all steps, ends all tables, and gives what came out."""
        try:
            self._play(steps)
        finally:
            if self._disk is not None:
                self._disk.close()
        return self.output.batches

    def _play(self, steps: Sequence[Step]) -> None:
        pending = list(steps)
        while pending:
            step = pending.pop(0)
            together = [step]
            while self._mode is Mode.BATCH and pending and _joins(together[0], pending[0]):
                together.append(pending.pop(0))
            self._do(together)
            self._fire()
        last = next((s.table for s in reversed(steps) if isinstance(s, FileRows)), None)
        # Rows that no step names follow table by table; Flink read the table of the last step last.
        for scan in sorted(self._scans(), key=lambda scan: scan.table.name == last):
            if not self.job.is_finished(scan) and scan.table.connector != "case":
                self._push_file(scan, None)
        for source in self.job.sources:
            self.job.finish(source)
        self.job.close()

    def _start(self) -> Job:
        shards = SHARDS.get(self._mode, 1)
        if self._mode in (Mode.RESTORE, Mode.FILES):
            shards = RESTORED_SHARDS[self._starts % len(RESTORED_SHARDS)]
        self._starts += 1
        config = self._config.with_option("parallelism.default", str(shards))
        job = Job(self._roots, config, clock=self._clock, sinks=lambda _: self.output)
        if self._disk is not None:
            self._disk.start(job)
        return job

    def _do(self, steps: list[Step]) -> None:
        """One step, or several that arrive together."""
        match steps[0]:
            case Rows() | FileRows() | SetWatermark() | End():
                self._replay.extend(steps)
                self._arrive(steps)
                if self._disk is not None and not self._disk.taken and not self._ended():
                    self._save()
            case SetClock(time=time, line=line):
                self._move_clock(milliseconds(time, self._config.zone, f"line {line}"))
            case Sleep(milliseconds=pause):
                self._move_clock(self._clock.now() + pause)
            case Checkpoint():
                self._checkpoint()
            case Crash():
                self._crash()

    def _arrive(self, steps: list[Step]) -> None:
        table = getattr(steps[0], "table", "")
        scans = [scan for scan in self._scans() if scan.table.name == table]
        known = {scan.table.name for scan in self._scans()}
        if not scans and not known:
            raise self._bad(f"the query reads no table, so '{table}' has no input", "")
        for scan in scans:
            if len(steps) > 1:
                self._push_together(scan, steps)
            else:
                self._push(scan, steps[0])

    def _push(self, scan: Scan, step: Step) -> None:
        match step:
            case Rows():
                changes = changes_of(step, scan, self._config.zone, self._path)
                self.job.push(scan, SourceBatch(changes, {}))
            case FileRows(count=count):
                self._push_file(scan, count)
            case SetWatermark():
                self.job.watermark(scan, self._watermark(scan, step))
            case End():
                self.job.finish(scan)

    def _push_together(self, scan: Scan, steps: list[Step]) -> None:
        """Rows and watermarks of one table as one batch with a column of watermarks."""
        parts: list[Changes] = []
        marks: list[int] = []
        at_start: int | None = None
        current: int | None = None
        for step in steps:
            if isinstance(step, SetWatermark):
                current = self._watermark(scan, step)
                if marks:
                    marks[-1] = current
                else:
                    at_start = current
            else:
                parts.append(self._rows(scan, step))
                marks.extend([current if current is not None else _NONE] * len(parts[-1]))
        if at_start is not None:
            self.job.watermark(scan, at_start)
        if not parts:
            return
        whole = concat(parts)
        watermarks = pl.Series(marks, dtype=pl.Int64) if current is not None else None
        self.job.push(scan, SourceBatch(Changes(whole.rows, whole.kinds, watermarks), {}))

    def _rows(self, scan: Scan, step: Step) -> Changes:
        if isinstance(step, Rows):
            return changes_of(step, scan, self._config.zone, self._path)
        assert isinstance(step, FileRows)
        return self._take_file(scan, step.count)

    # Files, as Flink's answers use them.

    def _push_file(self, scan: Scan, count: int | None) -> None:
        self.job.push(scan, SourceBatch(self._take_file(scan, count), {}))

    def _take_file(self, scan: Scan, count: int | None) -> Changes:
        """The next ``count`` records; an update is one record and two changes."""
        whole = self._files.get(scan)
        if whole is None:
            whole = self._files[scan] = _read_all(scan, self._config, self._clock)
        starts = _record_starts(whole)
        begin = self._read.get(scan, 0)
        end = len(starts) - 1 if count is None else min(begin + count, len(starts) - 1)
        if count is not None and begin + count > len(starts) - 1:
            raise self._bad(f"'{scan.table.name}' has {len(starts) - 1} rows, not more", "")
        self._read[scan] = end
        return whole.slice(int(starts[begin]), int(starts[end] - starts[begin]))

    # Time.

    def _move_clock(self, to: int) -> None:
        while (timer := self.job.next_timer()) is not None and timer <= to:
            self._clock.set(max(timer, self._clock.now()))
            self.job.fire_timers()
        self._clock.set(to)
        self.job.fire_timers()

    def _fire(self) -> None:
        self.job.fire_timers()

    def _watermark(self, scan: Scan, step: SetWatermark) -> int:
        watermark = scan.table.watermark
        if watermark is None:
            raise self._bad(
                f"line {step.line}: '{step.table}' has no watermark",
                "Declare WATERMARK FOR ... AS SOURCE_WATERMARK().",
            )
        local = scan.table.schema[watermark.column].root is Root.TIMESTAMP_LTZ
        zone = self._config.zone if local else Config().zone
        return milliseconds(step.time, zone, f"{self._path.name}:{step.line}")

    # Stop and go on.

    def _checkpoint(self) -> None:
        if self._disk is not None and self._ended():
            return
        self._save()
        if self._mode in (Mode.RESTORE, Mode.FILES):
            self.job.close()
            self._begin()

    def _save(self) -> None:
        state = None
        if self._disk is not None:
            self._disk.take()
        else:
            state = self.job.snapshot()
        self._saved = (state, len(self.output.batches), dict(self._read))
        self._replay = []

    def _ended(self) -> bool:
        """Whether the job has come to its end: such a one is not started again."""
        return all(self.job.is_finished(source) for source in self.job.sources)

    def _begin(self) -> None:
        """Another job goes on from what was saved."""
        if self._disk is not None:
            self._disk.stop()
        self.job = self._start()
        if self._saved is not None and self._saved[0] is not None:
            self.job.restore(self._saved[0])

    def _crash(self) -> None:
        self.job.abort()
        self._begin()
        if self._saved is None:
            self._read = {}
            del self.output.batches[:]
        else:
            _, length, read = self._saved
            self._read = dict(read)
            del self.output.batches[length:]
        for step in self._replay:
            self._arrive([step])

    def _scans(self) -> list[Scan]:
        return [source for source in self.job.sources if isinstance(source, Scan)]

    def _bad(self, message: str, hint: str) -> UserError:
        return UserError("BAD_CASE", f"{self._path.name}: {message}", hint=hint)


_NONE = -(2**63)


def _joins(first: Step, following: Step) -> bool:
    """Whether two steps can arrive in one batch."""
    kinds = Rows | FileRows | SetWatermark
    if not isinstance(first, kinds) or not isinstance(following, kinds):
        return False
    return first.table == following.table


def _read_all(scan: Scan, config: Config, clock: ManualClock) -> Changes:
    source = open_source(scan, config, clock)
    parts = [Changes(scan.schema.empty())]
    finished = False
    while not finished:
        batch = source.poll(1_000_000)
        finished = batch.finished
        if batch.changes is not None:
            parts.append(batch.changes)
    source.close()
    return concat(parts)


def _record_starts(changes: Changes) -> np.ndarray:
    """Where each record begins, and the end of the last one."""
    if changes.kinds is None:
        return np.arange(len(changes) + 1)
    kinds = changes.kinds.to_numpy()
    second = np.zeros(len(kinds), dtype=bool)
    second[1:] = (kinds[1:] == ChangeKind.UPDATE_AFTER) & (kinds[:-1] == ChangeKind.UPDATE_BEFORE)
    return np.append(np.flatnonzero(~second), len(kinds))
