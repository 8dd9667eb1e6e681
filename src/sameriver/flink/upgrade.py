"""A script on the state that an earlier text of it left on Flink: compare, then go on, or stop.

Nothing is touched before the comparison says that the state is good enough. A new version that
does not come to run leaves the old one as it was: running again from the savepoint that it was
stopped with, if it ran.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import replace
from importlib.metadata import version as version_of
from pathlib import Path

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError, SameriverError, UserError
from sameriver.common.time import Clock
from sameriver.compat import Rules, Verdict
from sameriver.deploy.upgrade import NOT_COMPATIBLE, refusal
from sameriver.deploy.versions import FIRST, FRESH, ROLLBACK, UPGRADE, Version
from sameriver.flink.compiled import read_plan
from sameriver.flink.gateway import Gateway
from sameriver.flink.judging import digest, judge
from sameriver.flink.jvm import VERSION
from sameriver.flink.launch import PATIENCE, NotStarted, give_up, launch
from sameriver.flink.names import named
from sameriver.flink.report import FlinkReport
from sameriver.flink.rest import Rest
from sameriver.flink.standing import found, stop_with_savepoint
from sameriver.flink.state import ENDED, RUNNING, STOPPED, Entry, FlinkFolder, Job, flink_path
from sameriver.session.keeper import StateDir

_URI = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)")


class FlinkUpgradeRefused(SameriverError):
    """The state is not good enough for the changed script; nothing was touched.

    Attributes:
        report: the comparison.
    """

    def __init__(self, report: FlinkReport) -> None:
        super().__init__(NOT_COMPATIBLE, refusal(report.verdict), hint="\n".join(report.ways))
        self.report = report


class FlinkUpgradeFailed(ExternalError):
    """A new version does not run on the state there is; the old one is in force.

    Attributes:
        again: the old version if it runs again, else None.
    """

    def __init__(self, old: Entry, again: Entry | None, failed: NotStarted, where: str) -> None:
        becomes = "stays stopped at" if again is None else "runs again from"
        super().__init__(
            "UPGRADE_FAILED",
            f"the new version does not run on the state of version {old.number}: {failed.message}",
            hint=f"Version {old.number} {becomes} '{old.job.savepoint}', as if nothing had"
            f" happened. {where}",
        )
        self.again = again


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A script made ready for Flink.

    Attributes:
        script: its text.
        plan: the compiled plan, without names.
        options: for Flink.
        rules: how to compare with the version before.
    """

    script: str
    plan: str
    options: dict[str, str]
    rules: Rules


class Deployment:
    """The versions of a script on a cluster. Its folder is locked by whoever has it.

    Attributes:
        folder: of the script.
        cluster: ``HOST:PORT``.
    """

    def __init__(
        self, folder: FlinkFolder, gateway: Gateway, clock: Clock, *, timeout: float = PATIENCE
    ) -> None:
        """Nothing is asked yet.

        Args:
            folder: of the script.
            gateway: to Flink's planner and the cluster.
            clock: for when versions start.
            timeout: seconds that a savepoint or a start may take.
        """
        self.folder = folder
        self.cluster = gateway.rest
        self._gateway = gateway
        self._clock = clock
        self._timeout = timeout

    def bring(self, planned: Planned, state: StateDir) -> Entry:
        """Lets a script run on the state there is; its job runs when this returns, or has ended.

        Args:
            planned: the script.
            state: what is wanted of the state.

        Raises:
            FlinkUpgradeRefused: the state is not good enough; nothing was touched.
            UserError: STATE_EXISTS; JOB_ENDED; NO_SAVEPOINT.
            FlinkUpgradeFailed: the old version is in force.
            ExternalError: START_FAILED; JOB_LOST, and what the cluster says.
        """
        entry = self._brought(planned, state)
        self.folder.sweep()
        return entry

    def _brought(self, planned: Planned, state: StateDir) -> Entry:
        self._end_drafts()
        known = self.folder.latest()
        if known is None or state.fresh:
            return self._begin(planned, known, state)
        latest = found(self.folder, known, self.cluster)
        began = savepoint_path(state.savepoint)
        if began not in ("", *(entry.version.savepoint for entry in self.folder.entries())):
            raise UserError(
                "STATE_EXISTS",
                f"'{self.folder.path}' holds state that did not begin with '{state.savepoint}'",
                hint="Leave the savepoint out to go on with that state, add --fresh to replace it, "
                "or name another folder.",
            )
        if (digest(planned.plan), planned.options) == (latest.compiled, latest.options):
            return self._restart(latest) if latest.job.stands == STOPPED else latest
        return self._upgrade(planned, latest, state)

    def _end_drafts(self) -> None:
        """Ends jobs that were being started when the process before this one ended."""
        for job in self.folder.drafts():
            if not job.local and job.id in (rest := Rest(job.cluster)).jobs():
                give_up(rest, job.id)
        self.folder.forget_drafts()

    # Ways to start a version.

    def _begin(self, planned: Planned, latest: Entry | None, state: StateDir) -> Entry:
        """Starts a version that does not go on from another, which is stopped if it runs."""
        began = savepoint_path(state.savepoint)
        latest = None if latest is None else self._found_at_all(latest)
        old = None if latest is None else self._stopped(latest)
        way, previous = (FIRST, 0) if old is None else (FRESH, old.number)
        version = self._version(way, planned.script, began, previous)
        entry = self._entry(version, planned, named(planned.plan))
        try:
            return self._start(entry, leaves=False)
        except NotStarted as failed:
            if latest is not None and old is not None and latest.job.stands == RUNNING:
                self._restart(old)
            raise ExternalError(
                "START_FAILED", f"the job does not run: {failed.message}", hint=self._where()
            ) from failed

    def _restart(self, entry: Entry) -> Entry:
        """Goes on with a version that was stopped."""
        job = self._new_job(began=entry.job.savepoint)
        started = self.folder.put_job(entry, job)
        try:
            launch(self._gateway, self.folder, started, leaves=False, timeout=self._timeout)
        except NotStarted as failed:
            self.folder.put_job(entry, entry.job)
            raise ExternalError(
                "START_FAILED",
                f"the job does not go on from '{job.began}': {failed.message}",
                hint=self._where(),
            ) from failed
        return self.folder.put_job(started, replace(job, stands=RUNNING))

    def _upgrade(self, planned: Planned, latest: Entry, state: StateDir) -> Entry:
        if latest.job.stands == ENDED:
            raise UserError(
                "JOB_ENDED",
                f"the input of version {latest.number} has ended, and Flink keeps no state then",
                hint="Start the changed script over with --fresh.",
            )
        judged = judge(latest.plan, planned.plan, planned.rules)
        report = judged.report
        enough = Verdict.PARTIAL if state.allow_partial else Verdict.FULL
        if not report.verdict.satisfies(enough):
            raise FlinkUpgradeRefused(report)
        old = self._stopped(latest)
        version = self._version(UPGRADE, planned.script, old.job.savepoint, latest.number)
        version = replace(
            version,
            verdict=report.verdict.value,
            exact=judged.exact and latest.version.exact and report.verdict is Verdict.FULL,
        )
        entry = self._entry(version, planned, judged.plan)
        entry = self._succeed(latest, old, entry)
        if state.changed is not None:
            state.changed(entry.version)
        return entry

    def roll_back(self) -> Entry:
        """Stops the version in force, and goes on with the one before where that was left.

        Raises:
            UserError: NOTHING_TO_ROLL_BACK.
            FlinkUpgradeFailed: the newer version is in force.
            ExternalError: JOB_LOST, and what the cluster says.
        """
        self._end_drafts()
        before, latest = version_before(self.folder), self.folder.latest()
        assert latest is not None, "there is one before it"
        latest = found(self.folder, latest, self.cluster)
        job = self._new_job(began=before.job.savepoint)
        entry = returned(before, job, self._clock)
        entry = self._succeed(latest, self._stopped(latest), entry)
        self.folder.sweep()
        return entry

    def _succeed(self, running: Entry, old: Entry, entry: Entry) -> Entry:
        """Starts a version on the savepoint of another, or else that one again.

        A cluster that others share is left as it was: what did not run there is not started.
        """
        try:
            return self._start(entry, leaves=bool(_names(old.plan) - _names(entry.plan)))
        except NotStarted as failed:
            ran = running.job.stands == RUNNING or self._gateway.is_local
            try:
                again = self._restart(old) if ran else None
            except ExternalError as worse:
                worse.message += f" The new version did not run either: {failed.message}"
                raise
            raise FlinkUpgradeFailed(old, again, failed, self._where()) from failed

    def _start(self, entry: Entry, *, leaves: bool) -> Entry:
        drafted = self.folder.draft(entry)
        try:
            launch(self._gateway, self.folder, drafted, leaves=leaves, timeout=self._timeout)
        except NotStarted:
            self.folder.forget_drafts()
            raise
        self.folder.settle(drafted)
        return self.folder.put_job(drafted, replace(drafted.job, stands=RUNNING))

    # Small things.

    def _found_at_all(self, entry: Entry) -> Entry:
        """The version as it stands; that it was lost does not hinder a fresh start."""
        try:
            return found(self.folder, entry, self.cluster)
        except ExternalError as error:
            if error.code != "JOB_LOST":
                raise
            return self.folder.put_job(entry, replace(entry.job, stands=STOPPED))

    def _stopped(self, entry: Entry) -> Entry:
        """The version after its job was stopped with a savepoint, if it runs."""
        if entry.job.stands != RUNNING:
            return entry
        return stop_with_savepoint(self.folder, entry, timeout=self._timeout)

    def _version(self, way: str, script: str, savepoint: str, previous: int) -> Version:
        return Version(
            number=0,
            started=self._clock.now(),
            way=way,
            verdict=None,
            checkpoint=0,
            previous=previous,
            savepoint=savepoint,
            exact=True,
            script=script,
        )

    def _entry(self, version: Version, planned: Planned, plan: str) -> Entry:
        return Entry(
            version=version,
            flink=VERSION,
            sameriver=version_of("sameriver"),
            options=planned.options,
            compiled=digest(planned.plan),
            plan=plan,
            job=self._new_job(began=version.savepoint),
        )

    def _new_job(self, *, began: str) -> Job:
        local = self._gateway.is_local
        return Job(cluster=self.cluster, local=local, id=uuid.uuid4().hex, began=began)

    def _where(self) -> str:
        return f"See http://{self.cluster} for more, while it is there."


def savepoint_path(path: str | Path | None) -> str:
    """A savepoint as Flink names it: absolute, or a URI.

    Raises:
        UserError: NO_SAVEPOINT.
    """
    if path is None:
        return ""
    uri = _URI.match(str(path))
    if uri is not None and uri[1] != "file":
        return f"{uri[1]}://{uri[2]}"  # a path of Python has lost one of the slashes
    local = Path(f"/{uri[2]}" if uri is not None else path).absolute()
    if not (local / "_metadata").is_file():
        raise UserError(
            "NO_SAVEPOINT",
            f"'{path}' holds no savepoint of Flink",
            hint="Name a folder that 'sameriver savepoint' printed, or that Flink wrote.",
        )
    return flink_path(local)


def version_before(folder: FlinkFolder) -> Entry:
    """The version that the one in force went on from, or replaced.

    It is never one that came later: files that are written on from there may hold other rows now.

    Raises:
        UserError: NOTHING_TO_ROLL_BACK.
    """
    entries = {entry.number: entry for entry in folder.entries()}
    latest = entries[max(entries)] if entries else None
    before = None if latest is None else entries.get(latest.version.previous)
    if before is None or before.job.stands != STOPPED:
        raise UserError(
            "NOTHING_TO_ROLL_BACK",
            f"'{folder.path}' holds no version before the one that it is at",
            hint="See 'sameriver history' for its versions.",
        )
    return before


def returned(before: Entry, job: Job, clock: Clock) -> Entry:
    """A version that is an earlier one again."""
    version = replace(
        before.version,
        started=clock.now(),
        way=ROLLBACK,
        verdict=None,
        savepoint=before.job.savepoint,
    )
    return replace(before, version=version, job=job)


def _names(plan: str) -> set[str]:
    return {node.name for node in read_plan(plan) if node.name}
