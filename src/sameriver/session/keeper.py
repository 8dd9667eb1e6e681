"""Where the jobs of a script keep their state, and what else they are run with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from threading import Event

from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.manifest import CHECKPOINT, Manifest, Metrics
from sameriver.checkpoint.savepoint import adopt, open_savepoint
from sameriver.common.errors import UserError
from sameriver.compat import describe
from sameriver.compat.description_json import to_json
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
    """

    path: str | Path
    savepoint: str | Path | None = None
    fresh: bool = False


class Keeper:
    """Gives the jobs of a script their places in its state folder.

    Raises:
        UserError: FOREIGN_FOLDER, NO_SAVEPOINT, STATE_EXISTS.
        ExternalError: STATE_IN_USE, CANT_WRITE, and what is wrong with the savepoint.
    """

    def __init__(self, state: StateDir | str | Path, script: str) -> None:
        if not isinstance(state, StateDir):
            state = StateDir(state)
        self._folder = StateFolder.make(Path(state.path))
        self._script = script
        self._jobs = 0
        with self._folder.locked():
            latest = self._folder.latest()
            if state.savepoint is not None:
                self._begin_with(Path(state.savepoint), latest, fresh=state.fresh)
            elif state.fresh and latest is not None:
                self._forget(latest)

    def next(self, planned: Plan) -> Saving:
        """The place of the next job of the script."""
        self._jobs += 1
        tables = [root.table.name for root in planned.roots if root.table is not None]
        name = f"INSERT INTO {', '.join(tables)}" if tables else "SELECT"
        return Saving(
            folder=self._folder,
            script=self._script,
            number=self._jobs,
            name=name,
            description=to_json(describe(planned.roots, planned.config)),
        )

    def _begin_with(self, path: Path, latest: Manifest | None, *, fresh: bool) -> None:
        savepoint = open_savepoint(path)
        if latest is None or fresh:
            adopt(self._folder, savepoint, self._script)
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
