"""The jobs of a script as upgrades see them."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.checkpoint.manifest import SavedJob
from sameriver.common.changes import Changes
from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.time import Clock
from sameriver.compat import JobDescription, describe
from sameriver.compat.description import together
from sameriver.compat.description_json import from_json, to_json
from sameriver.engine.job import Job
from sameriver.engine.saving import declared
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.sink import Sink


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedJob:
    """A job that a script runs.

    Attributes:
        name: for people, such as ``INSERT INTO totals``.
        roots: its physical plan.
        config: its options.
    """

    name: str
    roots: tuple[Sink, ...]
    config: Config

    def describe(self) -> JobDescription:
        return describe(self.roots, self.config)

    def open(self, clock: Clock | None = None) -> tuple[Job, list[Collected]]:
        """The job with sinks that keep what they get."""
        kept = {id(root): Collected() for root in self.roots}
        job = Job(self.roots, self.config, clock=clock, sinks=lambda root: kept[id(root)])
        return job, list(kept.values())

    def declared(self, job: Job) -> SavedJob:
        """The job as it would be saved, without any state."""
        return declared(job, self.name, to_json(self.describe()))


class Collected:
    """A sink that keeps what it is given."""

    def __init__(self) -> None:
        self.batches: list[Changes] = []

    def write(self, changes: Changes) -> None:
        self.batches.append(changes)

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def abort(self) -> None: ...


def describe_jobs(jobs: Sequence[PlannedJob]) -> JobDescription:
    """The jobs of a script as one."""
    return together([job.describe() for job in jobs])


def description_of(job: SavedJob) -> JobDescription:
    """What a saved job says of itself.

    Raises:
        UserError: NO_STATE.
    """
    if job.description is None:
        raise UserError(
            "NO_STATE",
            f"the saved state of '{job.name}' does not say what it holds",
            hint="Start over with --fresh.",
        )
    return from_json(job.description)


def stateful(nodes: Sequence[PhysicalNode]) -> list[int]:
    """Places of the stateful ones among nodes that stand inputs first: as descriptions count."""
    return [place for place, node in enumerate(nodes) if node.state()]
