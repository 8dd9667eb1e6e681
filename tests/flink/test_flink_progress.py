"""What the metrics of a job say of its progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import pytest

from sameriver.cli.progress import ProgressLine
from sameriver.common.errors import ExternalError
from sameriver.engine.driver import Progress
from sameriver.flink.progress import Watcher, progress_of
from sameriver.flink.rest import JobFacts, Rest, Vertex

NONE = -9.223372036854776e18
READING = {
    "Source__t[7].numRecordsOut": 5.0,
    "Calc[8].currentInputWatermark": NONE,
    "WatermarkAssigner[9].currentInputWatermark": NONE,
    "WatermarkAssigner[9].currentOutputWatermark": 2000.0,
    "MiniBatchAssigner[10].currentInputWatermark": 2000.0,
}
GROUPING = {
    "currentInputWatermark": NONE,
    "WindowAggregate[11].currentInputWatermark": 1000.0,
    "WindowAggregate[11].numLateRecordsDropped": 3.0,
    "Sink__Collect_table_sink.numRecordsIn": 2.0,
    "Sink__Collect_table_sink.currentInputWatermark": 1500.0,
}


class Cluster:
    """Tells metrics of vertices; None: it does not answer."""

    def __init__(self, *vertices: Mapping[str, float] | None) -> None:
        self.vertices = vertices

    def job(self, id: str) -> JobFacts:
        parts = (Vertex(str(n), "part", 1, "RUNNING") for n, _ in enumerate(self.vertices))
        return JobFacts(id, "job", "RUNNING", tuple(parts))

    def metric_names(self, id: str, vertex: str) -> list[str]:
        told = self.vertices[int(vertex)]
        if told is None:
            raise ExternalError("CLUSTER_REFUSED", "it is being started")
        return list(told)

    def metrics(
        self, id: str, vertex: str, names: Sequence[str], *, of: str = "sum"
    ) -> dict[str, float]:
        told = self.vertices[int(vertex)]
        assert told is not None
        return {name: told[name] for name in names}


def rest(*vertices: Mapping[str, float] | None) -> Rest:
    return cast(Rest, Cluster(*vertices))


def test_counts_and_the_watermark_that_all_operators_have_seen() -> None:
    found = progress_of(rest(READING, GROUPING), "j", 1.0)
    assert (found.rows_in, found.rows_out, found.late_rows) == (5, 2, 3)
    assert found.watermark == 1000


def test_there_is_no_watermark_while_an_operator_waits_for_one() -> None:
    waiting = {**GROUPING, "WindowAggregate[11].currentInputWatermark": NONE}
    assert progress_of(rest(READING, waiting), "j", 1.0).watermark is None
    assert progress_of(rest({"Source__t[7].numRecordsOut": 5.0}), "j", 1.0).watermark is None


def test_a_cluster_that_does_not_answer_is_no_failure() -> None:
    told: list[Progress] = []
    watcher = Watcher(told.append)
    watcher(rest(READING, None), "j")
    assert told == []
    watcher(rest(READING), "another")
    assert [one.rows_in for one in told] == [5]


def test_what_was_lost_is_told_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine()
    Watcher(line)(rest(GROUPING), "j")
    line.take_away()
    line.take_away()
    assert capsys.readouterr().err == "3 late rows dropped\n"
