"""A script on Flink whose state outlives the run: brought into force, then attended to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event

from sameriver.common.config import Config
from sameriver.common.errors import ExternalError, Position, UserError
from sameriver.common.time import Clock
from sameriver.compat import Rules
from sameriver.compat.ways import IGNORE_FILTER, IGNORE_SINK
from sameriver.flink.gateway import Gateway
from sameriver.flink.rest import ENDED as JOB_ENDED
from sameriver.flink.rest import Rest
from sameriver.flink.run import Watch, follow
from sameriver.flink.script import Answer, InsertJob, QueryJob, Step
from sameriver.flink.standing import found, stop_with_savepoint
from sameriver.flink.state import ENDED, Entry, FlinkFolder
from sameriver.flink.upgrade import Deployment, FlinkUpgradeFailed, Planned
from sameriver.session.keeper import StateDir

_INTERVAL = "execution.checkpointing.interval"
_PARALLELISM = "parallelism.default"
_COMPARING = (IGNORE_FILTER, IGNORE_SINK)
"""Options that are for the comparison alone."""


def run_kept(
    script: str,
    steps: Sequence[Step],
    gateway: Gateway,
    state: StateDir,
    clock: Clock,
    *,
    stop: Event,
    watch: Watch,
    begun: Callable[[Entry], None] = lambda entry: None,
    broken: Callable[[FlinkUpgradeFailed], None] | None = None,
    detached: bool = False,
) -> Entry:
    """Runs the job of a script on its state folder until it ends or is stopped.

    Args:
        script: its text.
        steps: what ``prepare`` made of it.
        gateway: to the cluster.
        state: the folder, and what is wanted of the state in it.
        clock: for when versions start.
        stop: set to stop the job with a savepoint.
        watch: told of the job while it runs.
        begun: told of the version in force as soon as its job runs, or has ended.
        broken: told of a new version that does not run, where the old one then runs here until it
            ends or is stopped; without it, and on clusters that go on by themselves, that is
            raised.
        detached: return as soon as the job runs.

    Returns:
        The version in force; ``job.stands`` says what has become of it.

    Raises:
        FlinkUpgradeRefused: the state is not good enough for a changed script.
        UserError: NO_JOB, ONE_JOB, NOT_ON_FLINK, BAD_USAGE; FOREIGN_FOLDER, STATE_EXISTS,
            JOB_ENDED.
        FlinkUpgradeFailed: the new version does not run; the old one is in force.
        ExternalError: JOB_FAILED, START_FAILED, JOB_LOST, STATE_IN_USE, CANT_WRITE, and what the
            cluster says.
    """
    _check_usage(state, gateway, detached=detached)
    job = _one_job(steps)
    planned = _planned(script, job, gateway.parallelism)
    folder = FlinkFolder.make(Path(state.path))
    with folder.locked():
        try:
            entry = Deployment(folder, gateway, clock).bring(planned, state)
        except FlinkUpgradeFailed as failed:
            if failed.again is None or broken is None or not gateway.is_local:
                raise
            broken(failed)
            return _attend(folder, failed.again, stop, watch)
        begun(entry)
        return entry if detached else _attend(folder, entry, stop, watch, job.statement.position)


def _check_usage(state: StateDir, gateway: Gateway, *, detached: bool) -> None:
    if state.backfill:
        raise UserError(
            "NOT_ON_FLINK",
            "'--backfill' is for the embedded engine: nothing can be written into state of Flink",
            hint="Let what is new start empty with --allow-partial, or start over with --fresh.",
        )
    if detached and gateway.is_local:
        raise UserError(
            "BAD_USAGE",
            "'--detached' needs a cluster that stays when this command ends",
            hint="Add --cluster HOST:PORT.",
        )


def _one_job(steps: Sequence[Step]) -> InsertJob:
    jobs = [step for step in steps if not isinstance(step, Answer)]
    if not jobs:
        raise UserError("NO_JOB", "the script has no INSERT to run", hint="Add an INSERT INTO.")
    if len(jobs) > 1:
        raise UserError(
            "ONE_JOB",
            f"with a state folder a script on Flink is one job, and this one has {len(jobs)}",
            hint="Put them into EXECUTE STATEMENT SET BEGIN ... END; or give each its own script.",
            position=jobs[1].statement.position,
        )
    job = jobs[0]
    if isinstance(job, QueryJob):
        raise UserError(
            "NOT_ON_FLINK",
            "Flink keeps no state of a SELECT that a later run could go on from",
            hint="Write its changelog to a table: INSERT INTO ... SELECT. Or leave out --state.",
            position=job.statement.position,
        )
    return job


def _planned(script: str, job: InsertJob, parallelism: int | None) -> Planned:
    options = {_INTERVAL: Config()[_INTERVAL], **job.options}
    if parallelism is not None:
        options[_PARALLELISM] = str(parallelism)
    rules = Rules(
        ignore_filter=options.get(IGNORE_FILTER, "").lower() == "true",
        ignore_sink=options.get(IGNORE_SINK, "").lower() != "false",
    )
    for key in _COMPARING:
        options.pop(key, None)
    return Planned(script=script, plan=job.plan, options=options, rules=rules)


def _attend(
    folder: FlinkFolder,
    entry: Entry,
    asked: Event,
    watch: Watch,
    position: Position | None = None,
) -> Entry:
    """Waits until the job ends, or stops it when asked to."""
    if entry.job.stands == ENDED:
        return entry
    rest, id = Rest(entry.job.cluster), entry.job.id
    try:
        follow(rest, id, asked, watch, position)
    except ExternalError as error:
        if error.code in ("JOB_FAILED", "JOB_CANCELED"):
            error.hint = "The same command goes on from its last checkpoint."
        raise
    if rest.state(id) in JOB_ENDED:
        return found(folder, entry, entry.job.cluster)
    return stop_with_savepoint(folder, entry)
