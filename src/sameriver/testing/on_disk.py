"""State of a scenario in files, as a running job keeps it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sameriver.checkpoint.folder import StateFolder
from sameriver.engine.checkpoints import Checkpointer, Saving
from sameriver.engine.job import Job


class OnDisk:
    """A state folder that goes when it is closed.

    Attributes:
        taken: whether the job that runs now has been saved: what follows is saved by increments.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="sameriver-")
        state = StateFolder.make(Path(self._folder.name) / "state")
        self._saving = Saving(folder=state, script="", number=1, name="")
        self._checkpoints: Checkpointer | None = None
        self.taken = False

    def start(self, job: Job) -> None:
        """Restores the job from the last checkpoint, if there is one."""
        self._checkpoints = Checkpointer(self._saving)
        self._checkpoints.start(job)
        self.taken = False

    def take(self) -> None:
        """Takes a checkpoint."""
        assert self._checkpoints is not None
        self._checkpoints.take(last=False)
        self.taken = True

    def stop(self) -> None:
        """The job ends or crashes."""
        if self._checkpoints is not None:
            self._checkpoints.abandon()

    def close(self) -> None:
        self.stop()
        self._folder.cleanup()
