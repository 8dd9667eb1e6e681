"""Starting a plan on a cluster, and seeing that it runs and has taken its state."""

from __future__ import annotations

import time

from sameriver.common.errors import ExternalError, SameriverError
from sameriver.flink.gateway import Gateway
from sameriver.flink.rest import Rest
from sameriver.flink.state import Entry, FlinkFolder, flink_path

SAVEPOINT_FOLDER = "execution.checkpointing.savepoint-dir"
_JOB_ID = "$internal.pipeline.job-id"
_IGNORE = "execution.state-recovery.ignore-unclaimed-state"
CHECKPOINT_FOLDER = "execution.checkpointing.dir"
_RETAINED = {"execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION"}
"""What a job that failed or was killed goes on from."""
PATIENCE = 600.0
"""Seconds for saving or restoring much state."""
_POLL = 0.1


class NotStarted(SameriverError):
    """A plan does not run; what was submitted has been cancelled. ``message`` is the cause."""

    def __init__(self, cause: str) -> None:
        super().__init__("NOT_STARTED", cause)


def launch(
    gateway: Gateway, folder: FlinkFolder, entry: Entry, *, leaves: bool, timeout: float
) -> None:
    """Starts the job of an entry, and returns when every part of it runs with its state.

    Args:
        gateway: to the cluster.
        folder: of the script.
        entry: ``job.id`` is given to the job, ``job.began`` is what it is started from.
        leaves: whether state that the plan has no place for is left behind.
        timeout: seconds until it must run.

    Raises:
        NotStarted: it can't be started, can't take its state, or takes too long.
    """
    job = entry.job
    options = {**_RETAINED, _JOB_ID: job.id, _IGNORE: str(leaves).lower()}
    try:
        rest = Rest(job.cluster)
        if not (entry.options.get(CHECKPOINT_FOLDER) or rest.setting(CHECKPOINT_FOLDER)):
            options[CHECKPOINT_FOLDER] = flink_path(folder.checkpoints)
        # options of a job stay with its environment, so each has one of its own
        environment = gateway.environment(entry.options)
        environment.execute_plan(entry.plan, options, savepoint=job.began or None)
        _await(rest, entry, timeout)
    except NotStarted:
        raise
    except SameriverError as error:
        raise NotStarted(error.message) from error


def _await(rest: Rest, entry: Entry, timeout: float) -> None:
    id, began = entry.job.id, entry.job.began
    deadline = time.monotonic() + timeout
    while not (facts := rest.job(id)).running:
        failures = rest.failures(id)
        if failures or facts.ended:
            give_up(rest, id)
            raise NotStarted(failures[0] if failures else f"the job is {facts.state}")
        if time.monotonic() > deadline:
            give_up(rest, id)
            raise NotStarted(f"the job did not run within {timeout:g} s; it may lack free slots")
        time.sleep(_POLL)
    if began and not rest.checkpoints(id).restored:
        give_up(rest, id)
        raise NotStarted(f"the job runs, but has not begun with '{began}'")


def give_up(rest: Rest, id: str) -> None:
    """Cancels a job that may have ended by itself."""
    try:
        rest.cancel(id)
    except ExternalError as error:
        if error.code != "CLUSTER_REFUSED":  # it has ended by itself
            raise
