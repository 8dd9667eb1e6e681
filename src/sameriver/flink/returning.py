"""Savepoints of a script on Flink, and the way back to the version before."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

from sameriver.checkpoint import disk
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.time import Clock
from sameriver.deploy.versions import Version
from sameriver.flink.gateway import Gateway
from sameriver.flink.launch import PATIENCE
from sameriver.flink.rest import Rest
from sameriver.flink.standing import found, savepoint_folder
from sameriver.flink.state import ENDED, STOPPED, FlinkFolder, Job, flink_path
from sameriver.flink.upgrade import Deployment, returned, version_before

_FILE = "file:"


def take_savepoint(folder: FlinkFolder, target: Path | None, *, timeout: float) -> str:
    """A savepoint of where the job is now or, if it is stopped, of what it was stopped with.

    Args:
        folder: of the script; its job may be attended to by another process.
        target: folder to put it into; None: where savepoints of the job go.
        timeout: how many seconds a running job has for it.

    Returns:
        Its path, as Flink writes it.

    Raises:
        UserError: NO_STATE if there is nothing to save, TARGET_EXISTS.
        ExternalError: SAVEPOINT_FAILED, NO_CLUSTER, JOB_LOST, CANT_WRITE.
    """
    entry = folder.latest()
    if entry is None:
        raise _no_state(folder, "has not run yet")
    if entry.job.stands not in (STOPPED, ENDED):
        rest = Rest(entry.job.cluster)
        if _runs(rest, entry.job):
            to = savepoint_folder(entry, rest) or flink_path(folder.savepoints)
            to = to if target is None else flink_path(target)
            return rest.savepoint(entry.job.id, to, timeout=timeout)
        with folder.locked():
            entry = found(folder, entry, "")
    if entry.job.stands == ENDED or not entry.job.savepoint:
        raise _no_state(folder, "has ended" if entry.job.stands == ENDED else "kept nothing")
    return _saved(folder, entry.job.savepoint, target)


def _runs(rest: Rest, job: Job) -> bool:
    try:
        return job.id in (jobs := rest.jobs()) and jobs[job.id] == "RUNNING"
    except ExternalError:
        if job.local:
            return False  # its cluster went with its process
        raise


def _no_state(folder: FlinkFolder, why: str) -> UserError:
    return UserError(
        "NO_STATE",
        f"the job on '{folder.path}' {why}, so there is no state to save",
        hint="Savepoints are made of jobs that run, or that were stopped while they ran.",
    )


def _saved(folder: FlinkFolder, savepoint: str, target: Path | None) -> str:
    """What a job was left with, for good: in the folder it may be removed when the job goes on."""
    if target is not None:
        return _copy(savepoint, target)
    if folder.path not in Path(savepoint.removeprefix(_FILE)).parents:
        return savepoint
    target = folder.savepoints / Path(savepoint).name
    return flink_path(target) if target.is_dir() else _copy(savepoint, target)


def _copy(savepoint: str, target: Path) -> str:
    source = Path(savepoint.removeprefix(_FILE))
    if not source.is_dir():
        raise ExternalError(
            "CANT_WRITE",
            f"'{savepoint}' can't be copied from here",
            hint="Copy it with the tools of the file system that it is on.",
        )
    if target.exists():
        raise UserError("TARGET_EXISTS", f"'{target}' exists", hint="Name a new folder.")
    with disk.writing("the savepoint", target.parent):
        shutil.copytree(source, target)
    return flink_path(target)


def roll_back(
    folder: FlinkFolder, clock: Clock, start: Callable[[str], Gateway], *, timeout: float = PATIENCE
) -> Version:
    """Returns to the version before, which goes on where it was left.

    On a session cluster the newer version is stopped with a savepoint, and the older one runs when
    this returns. A job of a local cluster is stopped already: the next run starts the older one.
    Rolling back again goes one version further back.

    Args:
        folder: of the script.
        clock: for when the version starts.
        start: makes the gateway to a cluster.
        timeout: seconds that a savepoint or a start may take.

    Raises:
        UserError: NOTHING_TO_ROLL_BACK.
        ExternalError: STATE_IN_USE; UPGRADE_FAILED: the newer version is in force; JOB_LOST, and
            what the cluster says.
    """
    with folder.locked():
        before = version_before(folder)
        latest = folder.latest()
        assert latest is not None, "there is one before it"
        if not latest.job.local:
            with start(latest.job.cluster) as gateway:
                return Deployment(folder, gateway, clock, timeout=timeout).roll_back().version
        found(folder, latest, "")
        folder.forget_drafts()
        job = Job(
            cluster="", local=True, id=uuid.uuid4().hex, stands=STOPPED,
            savepoint=before.job.savepoint,
        )  # fmt: skip
        drafted = folder.draft(returned(before, job, clock))
        folder.settle(drafted)
        folder.sweep()
        return drafted.version
