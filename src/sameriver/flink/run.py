"""Jobs of a script on a cluster, from start to end."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event

from sameriver.common.errors import ExternalError, Position
from sameriver.flink.gateway import Gateway
from sameriver.flink.launch import give_up
from sameriver.flink.names import named
from sameriver.flink.rest import ENDED, Rest
from sameriver.flink.script import InsertJob

Watch = Callable[[Rest, str], None]
"""Told of a running job again and again, by its cluster and id."""
_POLL = 0.2
"""Seconds between two looks at a running job."""
_LOOKS = 50
"""How often it is asked why a job failed."""


def run_insert(gateway: Gateway, job: InsertJob, stop: Event, watch: Watch) -> None:
    """Submits a job and follows it to its end; ``stop`` cancels it.

    Raises:
        UserError: FLINK_REFUSED.
        ExternalError: JOB_FAILED, JOB_CANCELED, FLINK_FAILED, and what the cluster refuses.
    """
    # options of a job stay with its environment, so each has one of its own
    id = gateway.environment(job.options).execute_plan(named(job.plan))
    rest = Rest(gateway.rest)
    try:
        follow(rest, id, stop, watch, job.statement.position)
    finally:
        if rest.state(id) not in ENDED:
            give_up(rest, id)


def follow(
    rest: Rest, id: str, stop: Event, watch: Watch, position: Position | None = None
) -> None:
    """Waits until a job has ended or ``stop`` is set, which leaves it running.

    Args:
        rest: its cluster.
        id: of the job.
        stop: ends the wait.
        watch: told of it.
        position: of its statement in the script.

    Raises:
        ExternalError: JOB_FAILED, JOB_CANCELED, NO_CLUSTER, NO_SUCH_JOB.
    """
    while not has_ended(rest, id, position):
        watch(rest, id)
        if stop.wait(_POLL):
            return


def has_ended(rest: Rest, id: str, position: Position | None = None) -> bool:
    """Whether a job has come to its end.

    Raises:
        ExternalError: JOB_FAILED, JOB_CANCELED: it has ended in another way.
    """
    state = rest.state(id)
    if state in ("FAILED", "FAILING"):
        cause = f"the job failed on Flink: {_cause(rest, id)}"
        raise ExternalError("JOB_FAILED", cause, position=position)
    if state in ("CANCELED", "CANCELLING"):
        raise ExternalError(
            "JOB_CANCELED",
            f"job '{id}' was cancelled on the cluster",
            hint="Run the script again to start over.",
            position=position,
        )
    return state == "FINISHED"


def _cause(rest: Rest, id: str) -> str:
    """Why a job failed, which a cluster tells a few seconds later than that it did."""
    for _ in range(_LOOKS):
        if causes := rest.failures(id):
            return causes[0]
        time.sleep(_POLL)
    return "it does not say why"
