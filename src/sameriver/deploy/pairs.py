"""Which saved job, and which of its sinks, those of a changed script go on with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sameriver.checkpoint.manifest import SavedJob
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.compat import CompatibilityReport, Verdict
from sameriver.deploy.plans import PlannedJob, describe_jobs, description_of
from sameriver.plan.physical.sink import Sink

_WAITING = -1
"""Stands for jobs that had not started."""
Place = tuple[int, int]
"""A sink: number of its job, and its place among the sinks of that."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """What goes on with what.

    Attributes:
        jobs: for each new job the number of the saved one; None: it starts afresh.
        sinks: new to saved: those of the same table and connector, and queries.
    """

    jobs: tuple[int | None, ...]
    sinks: dict[Place, Place]


def pair(
    saved: Sequence[SavedJob], new: Sequence[PlannedJob], report: CompatibilityReport
) -> Pairs:
    """Pairs jobs by the state that goes on, then by their sinks, then by their places.

    Raises:
        UserError: JOBS_MERGED, NOT_IN_ORDER.
    """
    sinks = dict(_sinks(saved, new))
    known = [_owners(number, saved, new, report, sinks) for number in range(len(new))]
    claimed = {owner for owners in known for owner in owners}
    jobs: list[int | None] = []
    for number, owners in enumerate(known):
        if len(owners) > 1:
            raise _merged(number)
        free = number if number < len(saved) and number not in claimed else _WAITING
        owner = min(owners, default=free)
        jobs.append(None if owner == _WAITING else owner)
    while jobs and jobs[-1] is None:
        jobs.pop()
    if None in jobs:
        raise UserError(
            "NOT_IN_ORDER",
            f"job {jobs.index(None) + 1} of the script has no state, but later ones do",
            hint="Put new statements behind those that have run.",
        )
    for number, partner in enumerate(jobs):
        if partner is not None and not (
            saved[partner].sinks[0].table or new[number].roots[0].table
        ):
            sinks[number, 0] = partner, 0
    return Pairs((*jobs, *[None] * (len(new) - len(jobs))), sinks)


def _owners(
    number: int,
    saved: Sequence[SavedJob],
    new: Sequence[PlannedJob],
    report: CompatibilityReport,
    sinks: dict[Place, Place],
) -> set[int]:
    """The old jobs whose state, or whose sinks, a new job goes on with.

    State that is of no use tells only where nothing else does.
    """
    owners = [n for n, job in enumerate(saved) for node in job.nodes if node.tables]
    own = {operator.id for operator in describe_jobs(new).operators if operator.job == number}
    pairs = [one for one in report.operators if one.new in own and one.old is not None]
    useless = (Verdict.INCOMPATIBLE, Verdict.UNKNOWN)

    def owner(old: int | None) -> int:
        return owners[old] if old is not None and old < len(owners) else _WAITING

    used = {owner(one.old) for one in pairs if one.verdict not in useless}
    written = {old for (job, _), (old, _) in sinks.items() if job == number}
    met = {owner(one.old) for one in pairs} - {_WAITING}
    return used | written or set(sorted(met)[:1])


def _sinks(saved: Sequence[SavedJob], new: Sequence[PlannedJob]) -> Iterator[tuple[Place, Place]]:
    """Sinks of the same table and connector, the first with the first and so on."""
    left = [
        ((number, place), (sink.table, sink.connector))
        for number, job in enumerate(saved)
        for place, sink in enumerate(description_of(job).sinks)
        if sink.table
    ]
    for number, planned in enumerate(new):
        for place, root in enumerate(planned.roots):
            same = next((one for one in left if one[1] == _table(root)), None)
            if same is not None:
                left.remove(same)
                yield (number, place), same[0]


def _table(root: Sink) -> tuple[str, str]:
    return ("", "") if root.table is None else (root.table.name, root.table.connector)


def _merged(number: int) -> UserError:
    return UserError(
        "JOBS_MERGED",
        f"job {number + 1} of the script would go on with the state of several jobs, and each has"
        " read its input up to a place of its own",
        hint="Leave them separate statements, or start over with --fresh.",
    )
