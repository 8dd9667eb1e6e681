"""Checkpoints of a running job: when they are taken, written beside the loop, and gone on from."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.manifest import CHECKPOINT, Manifest, Metrics, SavedJob
from sameriver.checkpoint.requests import Request, pending
from sameriver.checkpoint.savepoint import write_savepoint
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.engine.job import Job
from sameriver.engine.saving import Saver, declared, job_state, told
from sameriver.engine.shape import difference
from sameriver.engine.snapshot import JobCapture

INTERVAL = "execution.checkpointing.interval"
RETAINED = "execution.checkpointing.num-retained"
_LOOK = 0.1
"""Seconds between two looks for requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """Where a job keeps its state.

    Attributes:
        folder: of the script.
        script: its text.
        number: of the job in the script, from 1.
        name: of the job, for people.
        description: what the compatibility check compares, if known.
    """

    folder: StateFolder
    script: str
    number: int
    name: str
    description: dict[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """A copy of a job's state, to be written."""

    number: int
    created: int
    began: float
    pause: float
    capture: JobCapture
    requests: tuple[Request, ...]


class Checkpointer:
    """Saves one job. All calls come from the thread that drives the job.

    The order of calls: ``start``, ``step`` between batches, then ``end`` or ``abandon``.

    Attributes:
        last: the last checkpoint of this run that is safe.
    """

    def __init__(self, saving: Saving) -> None:
        self._saving = saving
        self._folder = saving.folder
        self._stack = ExitStack()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
        self._writing: tuple[_Moment, Future[Manifest]] | None = None
        self._looked = 0.0
        self._idle = False
        self.last: Manifest | None = None

    # The course of a job.

    def start(self, job: Job) -> bool:
        """Takes the lock and takes over saved state; True if the job had finished.

        Raises:
            UserError: CHANGED_JOB if the state is that of another job; NOT_IN_ORDER if the jobs
                before it have not ended.
            ExternalError: STATE_IN_USE; a file is torn, altered, missing or foreign.
        """
        self._stack.enter_context(self._folder.locked())
        self._job = job
        self._interval = job.config.duration(INTERVAL).total_seconds()
        self._began = time.monotonic()
        self._manifest = self._folder.latest()
        number = self._saving.number
        self._saved = declared(job, self._saving.name, self._saving.description)
        known = () if self._manifest is None else self._manifest.jobs
        self._check_order(known[: number - 1])
        if number > len(known):
            job.recover(None)
            return False
        assert self._manifest is not None
        self._saved = self._continue(known[number - 1], self._manifest)
        return self._saved.finished

    def _check_order(self, before: Sequence[SavedJob]) -> None:
        """Saved jobs are a script's first ones, all but the last at their end."""
        number = self._saving.number
        if len(before) < number - 1 or not all(job.finished for job in before):
            raise UserError(
                "NOT_IN_ORDER",
                f"job {number} of the script starts before those in front of it have ended",
                hint="With a state folder, read the result of each query to its end before the "
                "next statement.",
            )

    def _continue(self, known: SavedJob, manifest: Manifest) -> SavedJob:
        """Goes on from ``known``: the job with its files, as it is declared now."""
        differs = difference(self._saved, known)
        if differs:
            raise UserError(
                "CHANGED_JOB",
                f"the state in '{self._folder.path}' is that of another job: {differs}",
                hint="Run the script it was saved by, or start anew with --fresh.",
            )
        root = self._folder.checkpoints
        changes = {n: sink.changes for n, sink in enumerate(known.sinks) if sink.changes}
        self._idle = known.finished and not changes
        if not self._idle:
            self._job.restore(job_state(self._job, known, root, manifest.created))
        self._job.recover([sink.committable for sink in known.sinks])
        for number, file in changes.items():
            self._job.tell(number, told(root, file))
        return known if known.finished else self._saved

    def step(self) -> None:
        """Between two batches: takes a checkpoint if it is time, commits one that is safe.

        Raises:
            ExternalError: a checkpoint could not be written.
        """
        self._settle(wait=False)
        now = time.monotonic()
        requests: list[Request] = []
        if now - self._looked >= _LOOK:
            self._looked = now
            requests = pending(self._folder)
        due = 0 < self._interval <= now - self._began
        if self._writing is None and (due or requests):
            self._begin(tuple(requests), last=False)

    def take(self, *, last: bool) -> Manifest:
        """Takes a checkpoint, waits until it is safe, and commits the sinks.

        Raises:
            ExternalError: it could not be written.
        """
        self._settle(wait=True)
        self._begin(tuple(pending(self._folder)), last=last)
        self._settle(wait=True)
        assert self.last is not None
        return self.last

    def end(self, *, finished: bool) -> None:
        """The job stops in good order: saves it, and makes a savepoint if it isn't finished.

        Raises:
            ExternalError: what can't be written.
        """
        try:
            if not self._idle:
                manifest = self.take(last=finished)
                if not finished:
                    write_savepoint(manifest, self._folder.checkpoints, self._target(manifest))
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Lets go of the folder; what is being written now may still become a checkpoint."""
        self._writer.shutdown()
        self._stack.close()

    # One checkpoint.

    def _begin(self, requests: tuple[Request, ...], *, last: bool) -> None:
        """Copies the state and has it written by the other thread."""
        self._began = began = time.monotonic()
        created = self._job.clock.now()
        capture = self._job.capture(last=last)
        pause = time.monotonic() - began
        number = 1 if self._manifest is None else self._manifest.number + 1
        moment = _Moment(
            number=number,
            created=created,
            began=began,
            pause=pause,
            capture=capture,
            requests=requests,
        )
        self._writing = moment, self._writer.submit(self._write, moment)

    def _settle(self, *, wait: bool) -> None:
        """Commits what a checkpoint covers once it is safe."""
        if self._writing is None:
            return
        moment, writing = self._writing
        if not wait and not writing.done():
            return
        self._writing = None
        self.last = self._manifest = writing.result()
        self._saved = self._manifest.jobs[self._saving.number - 1]
        self._job.commit(moment.capture.sinks)

    # In the other thread.

    def _write(self, moment: _Moment) -> Manifest:
        folder, place = self._folder, self._saving.number - 1

        def write(draft: Path, below: str) -> Manifest:
            saver = Saver(folder.checkpoints, draft, below, self._saving.number)
            saved = saver.save(self._saved, moment.capture)
            jobs = () if self._manifest is None else self._manifest.jobs
            return Manifest(
                kind=CHECKPOINT,
                version=version("sameriver"),
                number=moment.number,
                created=moment.created,
                script=self._saving.script,
                origin="" if self._manifest is None else self._manifest.origin,
                jobs=(*jobs[:place], saved, *jobs[place + 1 :]),
                metrics=Metrics(
                    duration=round((time.monotonic() - moment.began) * 1000),
                    pause=round(moment.pause * 1000),
                    rows=saver.rows,
                    bytes=saver.bytes,
                ),
            )

        manifest = folder.add(moment.number, write)
        for request in moment.requests:
            self._answer(request, manifest)
        folder.retain(self._job.config.integer(RETAINED))
        return manifest

    def _answer(self, request: Request, manifest: Manifest) -> None:
        target = request.target or self._target(manifest)
        request.answer(lambda: write_savepoint(manifest, self._folder.checkpoints, target))

    def _target(self, manifest: Manifest) -> Path:
        return self._folder.new_savepoint(manifest.number)
