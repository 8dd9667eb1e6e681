"""The loop of a job: reads its sources, pushes batches, fires timers, ends when they end."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import field

from sameriver.checkpoint.manifest import Manifest
from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK
from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.time import parse_duration
from sameriver.engine.checkpoints import Checkpointer
from sameriver.engine.job import Job
from sameriver.engine.prefetch import Prefetcher
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan

_NAP = 0.05
"""Longest wait in seconds, so that timers, cancellation and flushes are never far off."""
_SHOWN = 0.2
"""Seconds after which sinks show what was written, as far as they do so without a checkpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a job is.

    Attributes:
        rows_in, rows_out: counts since the start, as are the others.
        late_rows: dropped because they came after the watermark.
        ignored_rows: of input, that can't be read.
        ignored_fields: of input, that can't be read and are NULL.
        null_rows: dropped because a NOT NULL column of a sink would be NULL.
        watermark: that of the output in ms; None: none yet, or the end.
        lag: the clock minus the watermark, in ms.
        seconds: since the start.
        checkpoint: the last checkpoint of this run.
        ended_before: the job had come to its end in an earlier run, so that nothing is done.
    """

    rows_in: int
    rows_out: int
    late_rows: int
    ignored_rows: int
    ignored_fields: int
    null_rows: int
    watermark: int | None
    lag: int | None
    seconds: float
    checkpoint: Manifest | None = None
    ended_before: bool = False


@dataclass(slots=True)
class _Reading:
    """A source that is being read.

    Attributes:
        idle_after: seconds of silence after which it is idle; 0: never.
        heard: when its last batch came, by ``time.monotonic``.
    """

    prefetcher: Prefetcher
    idle_after: float
    heard: float = field(default_factory=time.monotonic)


class Driver:
    """Drives a job in the caller's thread; one ``step`` takes a batch of each source at most.

    Use it as a context manager: it closes the job, or aborts it after an error.

    Args:
        job: what it drives, not started yet.
        checkpoints: saves the job, and takes over what was saved of it on entering.
    """

    def __init__(self, job: Job, checkpoints: Checkpointer | None = None) -> None:
        self.job = job
        self._ended_before = False
        self._checkpoints = checkpoints
        self._ready = threading.Event()
        self._started = time.monotonic()
        self._flushed = self._started
        self._open: dict[PhysicalNode, _Reading] = {}
        self._ignored: Counter[str] = Counter()

    def __enter__(self) -> Driver:
        try:
            self._start()
        except BaseException:
            self._fail()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or (kind is GeneratorExit and self._checkpoints is None):
            self._end()
        else:
            self._fail()

    def _end(self) -> None:
        ended = not self._open
        self._close_sources()
        try:
            if self._checkpoints is not None:
                self._checkpoints.end(finished=ended)
        except BaseException:
            self.job.abort()
            raise
        self.job.close()

    def _fail(self) -> None:
        self._close_sources()
        if self._checkpoints is not None:
            self._checkpoints.abandon()
        self.job.abort()

    def _start(self) -> None:
        if self._checkpoints is not None:
            self._ended_before = self._checkpoints.start(self.job)
            if self._ended_before:
                return
        rows = self.job.config.integer("sameriver.batch.rows")
        latency = self.job.config.duration("sameriver.batch.latency").total_seconds()
        for node in self.job.sources:
            if isinstance(node, Scan) and not self.job.is_finished(node):
                source = self.job.source(node)
                self._open[node] = _Reading(
                    Prefetcher(source, rows=rows, latency=latency, ready=self._ready),
                    idle_after=_idle_after(node, self.job.config),
                )
        for node in self.job.sources:
            if not isinstance(node, Scan):
                self.job.finish(node)

    def step(self) -> bool:
        """Takes what the sources have, fires timers; False once all sources have ended."""
        if not self._open:
            return False
        if self._checkpoints is not None:
            self._checkpoints.step()
        self._ready.clear()
        moved = [self._take(*entry) for entry in list(self._open.items())]
        self.job.fire_timers()
        self._flush()
        if not any(moved) and self._open:
            self._ready.wait(self._nap())
        return bool(self._open)

    def progress(self) -> Progress:
        counters, ignored = self.job.counters(), Counter(self._ignored)
        for reading in self._open.values():
            ignored.update(reading.prefetcher.source.counters())
        watermark: int | None = self.job.output_watermark()
        if watermark in (MIN_WATERMARK, MAX_WATERMARK):
            watermark = None
        return Progress(
            rows_in=counters["rows_in"],
            rows_out=counters["rows_out"],
            late_rows=counters["late_rows"],
            ignored_rows=ignored["ignored_rows"],
            ignored_fields=ignored["ignored_fields"],
            null_rows=counters["null_rows"],
            watermark=watermark,
            lag=None if watermark is None else self.job.clock.now() - watermark,
            seconds=time.monotonic() - self._started,
            checkpoint=None if self._checkpoints is None else self._checkpoints.last,
            ended_before=self._ended_before,
        )

    def _take(self, node: PhysicalNode, reading: _Reading) -> bool:
        prefetcher = reading.prefetcher
        # Bounded sources take turns, which makes their order of arrival the same in every run.
        batch = prefetcher.take(wait=_NAP if prefetcher.source.bounded else 0)
        now = time.monotonic()
        if batch is None:
            if reading.idle_after and now - reading.heard > reading.idle_after:
                self.job.idle(node)
            return False
        reading.heard = now
        self.job.push(node, batch)
        if batch.finished:
            self._release(node)
        return True

    def _release(self, node: PhysicalNode) -> None:
        prefetcher = self._open.pop(node).prefetcher
        self._ignored.update(prefetcher.source.counters())
        prefetcher.close()

    def _close_sources(self) -> None:
        for node in list(self._open):
            self._release(node)

    def _flush(self) -> None:
        now = time.monotonic()
        if now - self._flushed >= _SHOWN:
            self._flushed = now
            self.job.flush()

    def _nap(self) -> float:
        timer = self.job.next_timer()
        if timer is None:
            return _NAP
        return min(_NAP, max(0.001, (timer - self.job.clock.now()) / 1000))


def run(
    job: Job,
    *,
    stop: threading.Event | None = None,
    progress: Callable[[Progress], None] | None = None,
    checkpoints: Checkpointer | None = None,
) -> Progress:
    """Runs a job to its end, or until ``stop`` is set from another thread or a signal.

    At the end of all (bounded) sources watermarks go to the maximum; processing-time windows
    that are still open are not fired. Stopping early saves the job, if ``checkpoints`` are taken,
    and closes the sinks on what was written.

    Args:
        job: not started yet.
        stop: set it to stop between two batches.
        progress: called after each step.
        checkpoints: saves the job, and takes over what was saved of it.

    Raises:
        SameriverError: the job failed; its sinks were aborted.
    """
    with Driver(job, checkpoints) as driver:
        while driver.step() and not (stop is not None and stop.is_set()):
            if progress is not None:
                progress(driver.progress())
        last = driver.progress()
        if progress is not None:
            progress(last)
        return last


def _idle_after(node: PhysicalNode, config: Config) -> float:
    """Seconds of silence after which a source is idle, by its table or the job; 0: never."""
    own = None
    if isinstance(node, Scan):
        own = {**node.table.options, **dict(node.options)}.get("scan.watermark.idle-timeout")
    wait = config.duration("table.exec.source.idle-timeout") if own is None else parse_duration(own)
    return wait.total_seconds()
