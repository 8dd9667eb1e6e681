"""Where the job of a version stands, and stopping it."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.errors import ExternalError
from sameriver.flink.launch import SAVEPOINT_FOLDER
from sameriver.flink.rest import Rest
from sameriver.flink.state import ENDED, RUNNING, STARTING, STOPPED, Entry, FlinkFolder, Job


def stop_with_savepoint(folder: FlinkFolder, entry: Entry, *, timeout: float = 120) -> Entry:
    """Stops the job of a version with a savepoint.

    Raises:
        ExternalError: SAVEPOINT_FAILED; the job goes on.
    """
    rest = Rest(entry.job.cluster)
    path = rest.stop(entry.job.id, savepoint_folder(folder, entry, rest), timeout=timeout)
    return folder.put_job(entry, replace(entry.job, stands=STOPPED, savepoint=path))


def savepoint_folder(folder: FlinkFolder, entry: Entry, rest: Rest) -> str:
    """Where savepoints go: as the script says, else as the cluster says, else into the folder."""
    own = entry.options.get(SAVEPOINT_FOLDER) or rest.setting(SAVEPOINT_FOLDER)
    return own or folder.savepoints.as_uri()


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
    # a local cluster goes with its process
    is_there = job.cluster == cluster or not job.local
    if is_there and job.id in (rest := Rest(job.cluster)).jobs():
        return folder.put_job(entry, _told(rest, job))
    if job.local:
        left = folder.last_checkpoint(job) or job.began
    elif job.stands == STARTING:
        left = job.began
    else:
        raise ExternalError(
            "JOB_LOST",
            f"the cluster at '{job.cluster}' knows job '{job.id}' no more",
            hint="If it has left a checkpoint or savepoint, start from that with --fresh --from"
            " PATH; else start over with --fresh.",
        )
    return folder.put_job(entry, replace(job, stands=STOPPED, savepoint=left))


def _told(rest: Rest, job: Job) -> Job:
    """A job as its cluster sees it."""
    facts = rest.job(job.id)
    if not facts.ended:
        return replace(job, stands=RUNNING)
    saved = rest.checkpoints(job.id)
    if facts.state == "FINISHED" and not saved.stopped:
        return replace(job, stands=ENDED)
    return replace(job, stands=STOPPED, savepoint=saved.last or job.began)
