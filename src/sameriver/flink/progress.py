"""How far a job on Flink is, by the metrics of its operators."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from sameriver.engine.driver import Progress
from sameriver.flink.rest import Rest

_READ = re.compile(r"Source__.*\.numRecordsOut")
_WRITTEN = re.compile(r"(?:.*Writer|.*ink.*)\.numRecordsIn")
_LATE = re.compile(r".*\.numLateRecordsDropped")
_WATERMARK = re.compile(r".*\.currentInputWatermark")
_NONE, _END = -(2**63), 2**63 - 1
"""What Flink tells of a watermark before the first one, and after the last."""


class Progresses:
    """Asks a cluster for the progress of a job, again and again.

    What is told lags behind by the time between two looks of the cluster at its metrics.
    """

    def __init__(self, rest: Rest, job: str) -> None:
        self._rest = rest
        self._job = job
        self._began = time.monotonic()

    def look(self) -> Progress:
        """The progress now.

        Raises:
            ExternalError: NO_CLUSTER, NO_SUCH_JOB, CLUSTER_REFUSED.
        """
        sums = dict.fromkeys((_READ, _WRITTEN, _LATE), 0.0)
        watermarks = []
        for vertex in self._rest.job(self._job).vertices:
            names = self._rest.metric_names(self._job, vertex.id)
            for pattern, wanted in _wanted(names, tuple(sums)):
                found = self._rest.metrics(self._job, vertex.id, wanted)
                sums[pattern] += sum(found.values())
            asked = [name for name in names if _WATERMARK.fullmatch(name)]
            if asked:
                told = self._rest.metrics(self._job, vertex.id, asked, of="min")
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
            seconds=time.monotonic() - self._began,
        )


def _wanted(
    names: list[str], patterns: tuple[re.Pattern[str], ...]
) -> Iterator[tuple[re.Pattern[str], list[str]]]:
    """The names that each pattern finds, if any."""
    for pattern in patterns:
        found = [name for name in names if pattern.fullmatch(name)]
        if found:
            yield pattern, found
