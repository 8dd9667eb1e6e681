"""Output of sinks that a changed script writes no longer: what the last checkpoint covers shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sameriver.checkpoint.manifest import Manifest
from sameriver.common.errors import UserError
from sameriver.common.time import Clock
from sameriver.connectors.connector import CommittingSink
from sameriver.deploy.pairs import Place
from sameriver.deploy.plans import PlannedJob
from sameriver.engine.tables import open_sink


def show_left(
    saved: Manifest, old: Sequence[PlannedJob] | None, kept: Collection[Place], clock: Clock
) -> None:
    """Commits what waits in sinks that nobody goes on with; to do it twice changes nothing.

    Args:
        saved: the last checkpoint of the old version.
        old: the jobs of its script; None: they can't be planned any more.
        kept: the sinks that go on.
        clock: processing time.

    Raises:
        UserError: OUTPUT_WAITS if the sink is not known any more.
        ExternalError: it can't be written.
    """
    for number, job in enumerate(saved.jobs):
        for place, sink in enumerate(job.sinks):
            if sink.committable is None or (number, place) in kept:
                continue
            table = old[number].roots[place].table if old is not None else None
            if old is None or table is None:
                raise UserError(
                    "OUTPUT_WAITS",
                    f"sink '{sink.table}' is gone, and rows that it was given may not show yet; but"
                    " the script that wrote it can't be planned any more",
                    hint="Define what that script needs, such as its functions, or start over with"
                    " --fresh.",
                )
            opened = open_sink(table, old[number].config, clock)
            try:
                if isinstance(opened, CommittingSink):
                    opened.recover(sink.committable)
            finally:
                opened.abort()
