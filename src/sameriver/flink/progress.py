"""How far a job on Flink is, by the metrics of its operators."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from sameriver.common.errors import ExternalError
from sameriver.engine.driver import Progress
from sameriver.flink.rest import Rest

_READ = re.compile(r"Source__.*\.numRecordsOut")
_WRITTEN = re.compile(r"(?:.*Writer|.*ink.*)\.numRecordsIn")
_LATE = re.compile(r".*\.numLateRecordsDropped")
_WATERMARK = re.compile(r"(?:.*\[(?P<id>\d+)\])?.*\.currentInputWatermark")
_ASSIGNER = re.compile(r"WatermarkAssigner\[(?P<id>\d+)\].*")
_PERIOD = 1.0
_NONE, _END = -(2**63), 2**63 - 1
"""What Flink tells of a watermark before the first one, and after the last."""


class Watcher:
    """Tells how far the running job of a cluster is, once a second.

    What it tells lags behind by the time between two looks of the cluster at its metrics.
    """

    def __init__(self, tell: Callable[[Progress], None]) -> None:
        self._tell = tell
        self._job = ""
        self._began = self._next = 0.0

    def __call__(self, rest: Rest, job: str) -> None:
        """Looks at a job if it is time; what a cluster does not tell now it tells the next time."""
        now = time.monotonic()
        if job != self._job:
            self._job, self._began, self._next = job, now, now
        if now >= self._next:
            self._next = now + _PERIOD
            with suppress(ExternalError):
                self._tell(progress_of(rest, job, now - self._began))


def progress_of(rest: Rest, job: str, seconds: float) -> Progress:
    """The progress of a job that has run for so long.

    Raises:
        ExternalError: NO_CLUSTER, NO_SUCH_JOB, CLUSTER_REFUSED.
    """
    sums = dict.fromkeys((_READ, _WRITTEN, _LATE), 0.0)
    watermarks = []
    for vertex in rest.job(job).vertices:
        names = rest.metric_names(job, vertex.id)
        # one question for all of them, so that they are of one moment
        counts = [name for name in names if any(map(_matches(name), sums))]
        for name, value in rest.metrics(job, vertex.id, counts).items():
            for pattern in filter(_matches(name), sums):
                sums[pattern] += value
        marks = list(_watermarks(names))
        told = rest.metrics(job, vertex.id, marks, of="min")
        watermarks += [int(value) for value in told.values()]
    # far from all numbers of 64 bits are exact in JSON of floats
    known = [mark for mark in watermarks if _NONE < mark < _END - 1024]
    watermark = min(known) if known and _NONE not in watermarks else None
    return Progress(
        rows_in=int(sums[_READ]),
        rows_out=int(sums[_WRITTEN]),
        late_rows=int(sums[_LATE]),
        ignored_rows=0,
        ignored_fields=0,
        null_rows=0,
        watermark=watermark,
        lag=None if watermark is None else round(time.time() * 1000) - watermark,
        seconds=seconds,
    )


def _watermarks(names: Sequence[str]) -> Iterator[str]:
    """Metrics of a vertex that tell a watermark: not of what rows pass before they get one."""
    assigners = (int(found["id"]) for name in names if (found := _ASSIGNER.fullmatch(name)))
    assigned = max(assigners, default=-1)
    for name in names:
        found = _WATERMARK.fullmatch(name)
        if found is not None and (found["id"] is None or int(found["id"]) > assigned):
            yield name


def _matches(name: str) -> Callable[[re.Pattern[str]], bool]:
    return lambda pattern: pattern.fullmatch(name) is not None
