"""The REST client, against a server that answers as Flink does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from sameriver.common.errors import ExternalError, UserError
from sameriver.flink.causes import root_cause
from sameriver.flink.rest import Checkpoints, Rest

TRACE = """java.util.concurrent.CompletionException: org.apache.flink.X: outer
\tat org.apache.flink.A.b(A.java:1)
Caused by: org.apache.flink.runtime.Outer$StateMigrationException: types differ,
all of them
\tat org.apache.flink.A.c(A.java:2)
\t... 3 more
"""
CAUSE = "StateMigrationException: types differ, all of them"


class Cluster(BaseHTTPRequestHandler):
    """Gives each request the next of the answers for it; the last one stays."""

    answers: dict[str, list[tuple[int, object]]] = {}
    asked: list[tuple[str, object]] = []

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        self.asked.append((f"{self.command} {self.path}", body))
        waiting = self.answers[f"{self.command} {self.path}"]
        status, told = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815 - names that the base class looks for

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def rest() -> Iterator[Rest]:
    Cluster.answers, Cluster.asked = {}, []
    server = HTTPServer(("localhost", 0), Cluster)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Rest(f"localhost:{server.server_port}", timeout=5)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def answer(request: str, *told: object, status: int = 200) -> None:
    Cluster.answers[request] = [(status, one) for one in told]


def job(state: str, *vertices: str) -> dict[str, object]:
    parts = [
        {"id": f"v{n}", "name": f"part {n}", "parallelism": 2, "status": one}
        for n, one in enumerate(vertices)
    ]
    return {"jid": "j", "name": "totals", "state": state, "vertices": parts}


def test_a_job_runs_when_all_its_parts_do(rest: Rest) -> None:
    answer("GET /jobs/j", job("RUNNING", "RUNNING", "INITIALIZING"), job("RUNNING", "RUNNING"))
    restoring, running = rest.job("j"), rest.job("j")
    assert (restoring.running, running.running, running.ended) == (False, True, False)
    assert running.vertices[0].parallelism == 2
    answer("GET /jobs/j", job("FAILED", "CANCELED"), job("FINISHED", "FINISHED"))
    failed, finished = rest.job("j"), rest.job("j")
    assert (failed.running, failed.ended) == (False, True)
    assert (finished.running, finished.ended) == (True, True)


def test_what_the_cluster_tells(rest: Rest) -> None:
    answer("GET /overview", {"flink-version": "2.3.0"})
    answer("GET /jobs", {"jobs": [{"id": "a", "status": "RUNNING"}]})
    answer(
        "GET /jobs/j/vertices/v/subtasks/metrics?get=numRecordsIn%2Cx&agg=sum",
        [{"id": "numRecordsIn", "sum": 7.0}],
    )
    answer("GET /jobs/j/vertices/v/subtasks/metrics", [{"id": "numRecordsIn"}])
    answer(
        "GET /jobs/j/vertices/v/subtasks/metrics?get=mark&agg=min", [{"id": "mark", "min": -2.0}]
    )
    answer("GET /jobmanager/config", [{"key": "a", "value": "b"}])
    answer("GET /jobs/j/exceptions", {"exceptionHistory": {"entries": [{"stacktrace": TRACE}]}})
    assert rest.version() == "2.3.0"
    assert rest.jobs() == {"a": "RUNNING"}
    assert rest.metric_names("j", "v") == ["numRecordsIn"]
    assert rest.metrics("j", "v", ["numRecordsIn", "x"]) == {"numRecordsIn": 7.0}
    assert rest.metrics("j", "v", ["mark"], of="min") == {"mark": -2.0}
    assert (rest.setting("a"), rest.setting("b")) == ("b", "")
    assert rest.failures("j") == [CAUSE]


def test_the_last_of_checkpoints_and_savepoints(rest: Rest) -> None:
    saved: dict[str, object] = {
        "completed": {"id": 4, "external_path": "c", "checkpoint_type": "CHECKPOINT"},
        "savepoint": {"id": 5, "external_path": "s", "checkpoint_type": "SYNC_SAVEPOINT"},
        "restored": {"id": 1, "external_path": "r"},
    }
    in_memory = {"id": 1, "external_path": "<checkpoint-not-externally-addressable>"}
    nothing = {"completed": None, "savepoint": None, "restored": None}
    answer(
        "GET /jobs/j/checkpoints",
        {"counts": {"completed": 5}, "latest": saved},
        {"counts": {"completed": 4}, "latest": {**saved, "savepoint": None}},
        {"counts": {"completed": 0}, "latest": nothing},
        {"counts": {"completed": 1}, "latest": {**nothing, "completed": in_memory}},
    )
    assert rest.checkpoints("j") == Checkpoints(5, last="s", stopped=True, restored="r")
    assert rest.checkpoints("j") == Checkpoints(4, last="c", stopped=False, restored="r")
    assert rest.checkpoints("j") == Checkpoints(0, last="", stopped=False, restored="")
    assert rest.checkpoints("j") == Checkpoints(1, last="", stopped=False, restored="")


def test_stop_waits_for_savepoint_and_end(rest: Rest) -> None:
    answer("POST /jobs/j/stop", {"request-id": "t"}, status=202)
    done = {"status": {"id": "COMPLETED"}, "operation": {"location": "file:/s/1"}}
    answer("GET /jobs/j/savepoints/t", {"status": {"id": "IN_PROGRESS"}}, done)
    answer("GET /jobs/j/status", {"status": "RUNNING"}, {"status": "FINISHED"})
    assert rest.stop("j", "/s") == "file:/s/1"
    assert Cluster.asked[0] == (
        "POST /jobs/j/stop",
        {"targetDirectory": "/s", "drain": False, "formatType": "CANONICAL"},
    )
    assert [request for request, _ in Cluster.asked[1:]] == [
        "GET /jobs/j/savepoints/t", "GET /jobs/j/savepoints/t",
        "GET /jobs/j/status", "GET /jobs/j/status",
    ]  # fmt: skip


def test_a_savepoint_that_fails_or_takes_too_long(rest: Rest) -> None:
    answer("POST /jobs/j/savepoints", {"request-id": "t"}, status=202)
    cause = {"failure-cause": {"class": "X", "stack-trace": TRACE}}
    answer("GET /jobs/j/savepoints/t", {"status": {"id": "COMPLETED"}, "operation": cause})
    with pytest.raises(ExternalError, match="could not be saved: StateMigration") as failed:
        rest.savepoint("j", None)
    assert failed.value.code == "SAVEPOINT_FAILED"
    assert Cluster.asked[0][1] == {"formatType": "CANONICAL"}
    answer("GET /jobs/j/savepoints/t", {"status": {"id": "IN_PROGRESS"}})
    with pytest.raises(ExternalError, match=r"took longer than 0\.05 s"):
        rest.savepoint("j", None, timeout=0.05)


def test_cancel(rest: Rest) -> None:
    answer("PATCH /jobs/j?mode=cancel", {}, status=202)
    answer("GET /jobs/j/status", {"status": "CANCELLING"}, {"status": "CANCELED"})
    rest.cancel("j")
    answer("GET /jobs/j/status", {"status": "CANCELLING"})
    with pytest.raises(ExternalError, match=r"has not ended within 0\.05 s"):
        rest.cancel("j", timeout=0.05)


def test_what_the_cluster_refuses(rest: Rest) -> None:
    trace = "org.apache.flink.NotFoundException: Job j not found\n\tat x"
    answer("GET /jobs/j", {"errors": [trace]}, status=404)
    with pytest.raises(ExternalError, match="knows no job 'j': NotFoundException: Job j") as gone:
        rest.job("j")
    answer("GET /overview", {"errors": ["a.b.RestHandlerException: busy"]}, status=500)
    with pytest.raises(ExternalError, match="GET /overview: RestHandlerException: busy") as busy:
        rest.version()
    assert (gone.value.code, busy.value.code) == ("NO_SUCH_JOB", "CLUSTER_REFUSED")


def test_addresses() -> None:
    with pytest.raises(ExternalError, match="no Flink cluster answers at 'localhost:1'"):
        Rest("localhost:1", timeout=5).version()
    for wrong in ("localhost", "http://localhost:8081", ":80", "a:b"):
        with pytest.raises(UserError, match="is no REST address"):
            Rest(wrong)


def test_root_causes() -> None:
    assert root_cause(TRACE) == CAUSE
    assert root_cause("just words") == "just words"
    assert root_cause("two words: and more") == "two words: and more"
