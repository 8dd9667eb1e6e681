"""Where the jobs of a script keep their state, and what else they are run with."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from threading import Event

from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.manifest import CHECKPOINT, Manifest, Metrics
from sameriver.checkpoint.savepoint import adopt, open_savepoint
from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import SameriverError, UserError
from sameriver.common.time import Clock
from sameriver.compat import CompatibilityReport
from sameriver.compat.description_json import to_json
from sameriver.deploy.plans import PlannedJob
from sameriver.deploy.rules import rules_of
from sameriver.deploy.upgrade import Change
from sameriver.deploy.versions import FIRST, FRESH, Version, add_version, tidy, versions
from sameriver.engine.checkpoints import Saving
from sameriver.engine.driver import Progress
from sameriver.session.plans import Plan

Watch = Callable[[Progress], None]
"""Told how far a running job is, after each batch."""


@dataclass(frozen=True, slots=True)
class StateDir:
    """A folder for the state of a script.

    Attributes:
        path: of the folder, which is made if there is none.
        savepoint: what the script begins with: a savepoint, or another state folder. A folder that
            began with it goes on where it is.
        fresh: forget the state there is.
        allow_partial: when the script has changed, what is new may start empty.
        backfill: when the script has changed, sources are read again for what can't go on.
        changed: told of a new version that takes over state.
    """

    path: str | Path
    savepoint: str | Path | None = None
    fresh: bool = False
    allow_partial: bool = False
    backfill: bool = False
    changed: Callable[[Version], None] | None = None


Planner = Callable[[str], tuple[list[Plan], Config]]
"""Plans all jobs of a script, with the options at its end; nothing else happens."""


class Keeper:
    """Gives the jobs of a script their places in its state folder.

    State that another text of the script has left is compared with this one first.

    Attributes:
        report: the comparison, if the script has changed and goes on.

    Raises:
        UserError: FOREIGN_FOLDER, NO_SAVEPOINT, STATE_EXISTS, and what is wrong with the script.
        UpgradeRefused: the state is not good enough for the changed script.
        ExternalError: STATE_IN_USE, CANT_WRITE, and what is wrong with the savepoint.
    """

    def __init__(
        self, state: StateDir | str | Path, script: str, planner: Planner, clock: Clock
    ) -> None:
        if not isinstance(state, StateDir):
            state = StateDir(state)
        self._folder = StateFolder.make(Path(state.path))
        self._script = script
        self._planner = planner
        self._clock = clock
        self._jobs = 0
        self.report: CompatibilityReport | None = None
        with self._folder.locked():
            latest = self._folder.latest()
            if state.savepoint is not None:
                self._begin_with(Path(state.savepoint), latest, state)
            elif state.fresh and latest is not None:
                self._forget(latest)
            elif latest is None and not self._is_known():
                self._begin(FIRST, checkpoint=0)
            latest = self._folder.latest()
            change = None if latest is None else self._change(latest)
            if change is not None:
                self.report = change.make(
                    allow_partial=state.allow_partial, backfill=state.backfill
                )
            tidy(self._folder)
        if change is not None and state.changed is not None:
            state.changed(versions(self._folder)[-1])

    def _is_known(self) -> bool:
        return any(version.script == self._script for version in versions(self._folder))

    def _change(self, saved: Manifest) -> Change | None:
        """The change from another text of the script to this one; None: there is none."""
        if not saved.jobs:
            return None
        plans, config = self._planner(self._script)
        new = [_planned(plan) for plan in plans]
        change = Change(
            folder=self._folder,
            manifest=saved,
            old=new if saved.script == self._script else self._planned_before(saved.script),
            new=new,
            script=self._script,
            rules=rules_of(config),
            clock=self._clock,
        )
        return None if change.is_none() else change

    def _planned_before(self, script: str) -> list[PlannedJob] | None:
        """The jobs of the old text; None if it can't be planned any more."""
        try:
            plans, _ = self._planner(script)
        except SameriverError:
            return None
        return [_planned(plan) for plan in plans]

    def _begin(self, way: str, *, checkpoint: int, savepoint: str = "") -> None:
        """Tells of a version that does not go on from another."""
        version = Version(
            number=0,
            started=self._clock.now(),
            way=way,
            verdict=None,
            checkpoint=checkpoint,
            previous=0,
            savepoint=savepoint,
            exact=True,
            script=self._script,
        )
        add_version(self._folder, version, None)

    def next(self, planned: Plan) -> Saving:
        """The place of the next job of the script."""
        self._jobs += 1
        job = _planned(planned)
        return Saving(
            folder=self._folder,
            script=self._script,
            number=self._jobs,
            name=job.name,
            description=to_json(job.describe()),
        )

    def _begin_with(self, path: Path, latest: Manifest | None, state: StateDir) -> None:
        savepoint = open_savepoint(path)
        if latest is None or state.fresh:
            change = self._change(savepoint.manifest)
            if change is not None:
                change.check(allow_partial=state.allow_partial, backfill=state.backfill)
            number = max(self._folder.numbers(), default=0) + 1
            self._begin(FRESH if state.fresh else FIRST, checkpoint=number, savepoint=str(path))
            adopt(self._folder, savepoint, savepoint.manifest.script)
        elif latest.origin != savepoint.checksum:
            raise UserError(
                "STATE_EXISTS",
                f"'{self._folder.path}' holds state that did not begin with '{path}'",
                hint="Leave the savepoint out to go on with that state, add --fresh to replace it, "
                "or name another folder.",
            )

    def _forget(self, latest: Manifest) -> None:
        """A checkpoint without any job takes the place of the last one."""
        number = latest.number + 1
        self._begin(FRESH, checkpoint=number)
        empty = Manifest(
            kind=CHECKPOINT,
            version=version("sameriver"),
            number=number,
            created=latest.created,
            script=self._script,
            origin="",
            jobs=(),
            metrics=Metrics(duration=0, pause=0, rows=0, bytes=0),
        )
        self._folder.add(number, lambda draft, below: empty)


def _planned(plan: Plan) -> PlannedJob:
    tables = [root.table.name for root in plan.roots if root.table is not None]
    name = f"INSERT INTO {', '.join(tables)}" if tables else "SELECT"
    return PlannedJob(name=name, roots=plan.roots, config=plan.config)


@dataclass(frozen=True, slots=True)
class Running:
    """What a job is run with.

    Attributes:
        stop: set from another thread to stop the job.
        progress: told after each batch.
        keeper: of the state; None: state goes with the job.
    """

    stop: Event | None = None
    progress: Watch | None = None
    keeper: Keeper | None = None

    @property
    def stopped(self) -> bool:
        return self.stop is not None and self.stop.is_set()
