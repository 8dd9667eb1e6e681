"""The REST interface of a Flink cluster: what jobs do, and stopping them with a savepoint."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from urllib.parse import quote

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError, UserError
from sameriver.flink.causes import root_cause

ENDED = frozenset({"FINISHED", "FAILED", "CANCELED", "SUSPENDED"})
"""States in which a job does no more."""

_POLL = 0.1
"""Seconds between two looks at something that takes its time."""

Method = Literal["GET", "POST", "PATCH"]


@dataclass(frozen=True, slots=True)
class Vertex:
    """Chained operators of a job that run as one."""

    id: str
    name: str
    parallelism: int
    status: str


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What a cluster tells of a job.

    Attributes:
        state: ``RUNNING``, ``FAILED``, ...
        vertices: sources first.
    """

    id: str
    name: str
    state: str
    vertices: tuple[Vertex, ...]

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    @property
    def running(self) -> bool:
        """Whether every part of it has restored its state and works, or has ended."""
        return self.state == "FINISHED" or (
            self.state == "RUNNING"
            and all(vertex.status in ("RUNNING", "FINISHED") for vertex in self.vertices)
        )


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Paths of what a job has saved and begun with; empty: there is none.

    Attributes:
        count: completed checkpoints and savepoints.
        last: the last of them.
        stopped: whether the job was stopped with that one.
        restored: what the job was started or restarted from.
    """

    count: int
    last: str
    stopped: bool
    restored: str


def host_and_port(address: str) -> tuple[str, int]:
    """The parts of ``HOST:PORT``.

    Raises:
        UserError: BAD_CLUSTER.
    """
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal():
        raise UserError(
            "BAD_CLUSTER",
            f"'{address}' is no REST address of a cluster",
            hint="Write HOST:PORT, such as localhost:8081.",
        )
    return host, int(port)


class Rest:
    """A cluster at ``HOST:PORT``.

    Every call raises ExternalError: NO_CLUSTER if nothing answers there, NO_SUCH_JOB, and
    CLUSTER_REFUSED with what the cluster says.

    Attributes:
        address: ``HOST:PORT``.
    """

    def __init__(self, address: str, *, timeout: float = 30) -> None:
        """Nothing is asked yet.

        Args:
            address: ``HOST:PORT``.
            timeout: seconds for one answer.

        Raises:
            UserError: BAD_CLUSTER.
        """
        self.address = address
        self._host, self._port = host_and_port(address)
        self._timeout = timeout

    def version(self) -> str:
        """The version of Flink that runs there."""
        return str(self._ask("GET", "/overview")["flink-version"])

    def jobs(self) -> dict[str, str]:
        """The state of each job that the cluster knows, by id."""
        return {one["id"]: one["status"] for one in self._ask("GET", "/jobs")["jobs"]}

    def state(self, id: str) -> str:
        """``RUNNING``, ``FAILED``, ...; at once, where ``job`` may lag a few seconds behind."""
        return str(self._ask("GET", f"/jobs/{id}/status")["status"])

    def job(self, id: str) -> JobFacts:
        told = self._ask("GET", f"/jobs/{id}")
        return JobFacts(
            id,
            told["name"],
            told["state"],
            tuple(
                Vertex(one["id"], one["name"], one["parallelism"], one["status"])
                for one in told["vertices"]
            ),
        )

    def failures(self, id: str) -> list[str]:
        """Root causes of what has failed in a job, the last one first."""
        told = self._ask("GET", f"/jobs/{id}/exceptions")
        return [root_cause(one["stacktrace"]) for one in told["exceptionHistory"]["entries"]]

    def metric_names(self, id: str, vertex: str) -> list[str]:
        """The metrics that a vertex has so far."""
        return [one["id"] for one in self._ask("GET", _metrics(id, vertex))]

    def metrics(
        self, id: str, vertex: str, names: Sequence[str], *, of: Literal["sum", "min"] = "sum"
    ) -> dict[str, float]:
        """Sums of metrics over the subtasks of a vertex, or least values, of those it has."""
        if not names:
            return {}
        wanted = quote(",".join(names))
        told = self._ask("GET", f"{_metrics(id, vertex)}?get={wanted}&agg={of}")
        return {one["id"]: float(one[of]) for one in told}

    def checkpoints(self, id: str) -> Checkpoints:
        told = self._ask("GET", f"/jobs/{id}/checkpoints")
        latest = told["latest"]
        made = [latest[kind] for kind in ("completed", "savepoint") if latest[kind]]
        last: dict[str, Any] = max(made, key=lambda one: one["id"], default={})
        return Checkpoints(
            count=told["counts"]["completed"],
            last=_path(last),
            stopped=last.get("checkpoint_type") == "SYNC_SAVEPOINT",
            restored=_path(latest["restored"] or {}),
        )

    def setting(self, key: str) -> str:
        """An option of the cluster's own configuration; empty: it is not set."""
        told = self._ask("GET", "/jobmanager/config")
        return next((str(one["value"]) for one in told if one["key"] == key), "")

    def cancel(self, id: str, *, timeout: float = 60) -> None:
        """Ends a job without saving it, and waits until it has."""
        self._ask("PATCH", f"/jobs/{id}?mode=cancel")
        self._await_end(id, timeout)

    def savepoint(self, id: str, target: str | None, *, timeout: float = 60) -> str:
        """Saves a running job in canonical form, which any state backend reads.

        Args:
            id: of the job.
            target: folder for savepoints; None: the one of the cluster's configuration.
            timeout: how many seconds it may take.

        Returns:
            The path of the savepoint.

        Raises:
            ExternalError: SAVEPOINT_FAILED; the job goes on.
        """
        return self._save(id, "savepoints", {"target-directory": target}, timeout)

    def stop(self, id: str, target: str | None, *, timeout: float = 60) -> str:
        """The same, and the job ends with it."""
        path = self._save(id, "stop", {"targetDirectory": target, "drain": False}, timeout)
        self._await_end(id, timeout)
        return path

    def _save(self, id: str, what: str, body: Mapping[str, object], timeout: float) -> str:
        asked = {key: value for key, value in body.items() if value is not None}
        trigger = self._ask("POST", f"/jobs/{id}/{what}", {**asked, "formatType": "CANONICAL"})
        deadline = time.monotonic() + timeout
        while True:
            told = self._ask("GET", f"/jobs/{id}/savepoints/{trigger['request-id']}")
            if told["status"]["id"] == "COMPLETED":
                break
            if time.monotonic() > deadline:
                raise ExternalError(
                    "SAVEPOINT_FAILED",
                    f"job '{id}' has not been saved yet: it took longer than {timeout:g} s",
                    hint="It may still come to an end: the same command then goes on from there.",
                    retry=True,
                )
            time.sleep(_POLL)
        done = told["operation"]
        if "location" not in done:
            raise _not_saved(id, root_cause(done["failure-cause"]["stack-trace"]))
        return str(done["location"])

    def _await_end(self, id: str, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while self.state(id) not in ENDED:
            if time.monotonic() > deadline:
                raise ExternalError(
                    "STILL_RUNNING",
                    f"job '{id}' has not ended within {timeout:g} s",
                    hint=f"See what it waits for at http://{self.address}.",
                    retry=True,
                )
            time.sleep(_POLL)

    def _ask(self, method: Method, path: str, body: object = None) -> Any:
        status, text = self._exchange(method, path, body)
        told = json.loads(text) if text else {}
        if status < 300:
            return told
        cause = root_cause(told["errors"][0]) if told.get("errors") else f"HTTP status {status}"
        if status == 404 and path.startswith("/jobs/"):
            raise ExternalError(
                "NO_SUCH_JOB",
                f"the cluster at '{self.address}' knows no job '{path.split('/')[2]}': {cause}",
                hint="It may have been restarted, or have forgotten a job that ended long ago.",
            )
        raise ExternalError(
            "CLUSTER_REFUSED",
            f"the cluster at '{self.address}' refuses {method} {path}: {cause}",
            hint=f"See http://{self.address} and the logs of its job manager.",
        )

    def _exchange(self, method: Method, path: str, body: object) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        try:
            connection.request(
                method,
                path,
                None if body is None else json.dumps(body),
                {"Content-Type": "application/json"},
            )
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise ExternalError(
                "NO_CLUSTER",
                f"no Flink cluster answers at '{self.address}': {error or type(error).__name__}",
                hint="Start it, or give the address of its REST interface with --cluster.",
                retry=True,
            ) from error
        finally:
            connection.close()


def _metrics(id: str, vertex: str) -> str:
    return f"/jobs/{id}/vertices/{vertex}/subtasks/metrics"


def _path(saved: Mapping[str, Any]) -> str:
    """Where something saved is; what only the job manager's memory holds is nowhere."""
    path = str(saved.get("external_path") or "")
    return "" if path.startswith("<") else path


def _not_saved(id: str, cause: str) -> ExternalError:
    return ExternalError(
        "SAVEPOINT_FAILED",
        f"job '{id}' could not be saved: {cause}",
        hint="Nothing was changed. Look at the job's log, and whether the cluster can write into"
        " the folder for savepoints.",
        retry=True,
    )
