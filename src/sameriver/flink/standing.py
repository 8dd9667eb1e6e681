"""Where the job of a version stands, and stopping it."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.errors import ExternalError
from sameriver.flink.launch import PATIENCE, SAVEPOINT_FOLDER, give_up
from sameriver.flink.rest import ENDED as JOB_ENDED
from sameriver.flink.rest import Rest
from sameriver.flink.state import (
    ENDED,
    RUNNING,
    STARTING,
    STOPPED,
    Entry,
    FlinkFolder,
    flink_path,
)


def stop_with_savepoint(folder: FlinkFolder, entry: Entry, *, timeout: float = PATIENCE) -> Entry:
    """Stops the job of a version with a savepoint.

    One that fails again and again can't be saved: it is cancelled, and its last checkpoint counts.

    Raises:
        ExternalError: SAVEPOINT_FAILED; the job goes on.
    """
    rest = Rest(entry.job.cluster)
    if rest.state(entry.job.id) in ("RESTARTING", "FAILING"):
        give_up(rest, entry.job.id)
        return found(folder, entry, entry.job.cluster)
    target = savepoint_folder(entry, rest) or flink_path(folder.stops)
    path = rest.stop(entry.job.id, target, timeout=timeout)
    return folder.put_job(entry, replace(entry.job, stands=STOPPED, savepoint=path))


def savepoint_folder(entry: Entry, rest: Rest) -> str:
    """Where savepoints go as the script says, or the cluster; empty: into the state folder."""
    return entry.options.get(SAVEPOINT_FOLDER) or rest.setting(SAVEPOINT_FOLDER)


def found(folder: FlinkFolder, entry: Entry, cluster: str) -> Entry:
    """The version with what has become of its job since that was noted.

    Args:
        folder: of the script.
        entry: a version.
        cluster: the one at hand.

    Raises:
        ExternalError: JOB_LOST; NO_CLUSTER.
    """
    job = entry.job
    if job.stands in (STOPPED, ENDED):
        return entry
    left = folder.last_checkpoint(job)
    # a local cluster goes with its process
    is_there = job.cluster == cluster or not job.local
    if is_there and job.id in (rest := Rest(job.cluster)).jobs():
        state, saved = rest.state(job.id), rest.checkpoints(job.id)
        if state not in JOB_ENDED:
            return folder.put_job(entry, replace(job, stands=RUNNING))
        if state == "FINISHED" and not saved.stopped:
            return folder.put_job(entry, replace(job, stands=ENDED))
        left = saved.last or left
    left = left or job.began
    if not left and not job.local and job.stands != STARTING:
        raise ExternalError(
            "JOB_LOST",
            f"job '{job.id}' on the cluster at '{job.cluster}' is gone, and has left no checkpoint",
            hint="If you know of one, start from it with --fresh --from PATH; else start over with"
            " --fresh.",
        )
    return folder.put_job(entry, replace(job, stands=STOPPED, savepoint=left))
