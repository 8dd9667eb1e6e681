"""``sameriver history`` and ``sameriver rollback``."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sameriver.checkpoint.folder import StateFolder
from sameriver.cli.engine import JarOption
from sameriver.cli.script import errors_of, say
from sameriver.common.time import SystemClock
from sameriver.deploy.versions import BACKFILL, Version, origin, outcome, sql_diff, versions
from sameriver.deploy.versions import rollback as roll_back
from sameriver.flink import returning
from sameriver.flink.gateway import Gateway
from sameriver.flink.state import FlinkFolder

_TOLD = (
    "note: the backfill told sinks that take changes what differs, and going back does not undo"
    " that: rebuild what they hold, or go back again"
)

FolderArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder given to 'run --state'.")
]


def history(directory: FolderArgument) -> None:
    """Tells the versions of a script: when, from what, how compatible, and what changed in it."""
    with errors_of(str(directory)):
        known = _versions(directory)
    before = ""
    for version in known:
        print(f"{version.number}  {_moment(version.started)}  {outcome(version)}")
        print(f"   from {origin(version)}")
        if before:
            print("\n".join(f"   {line}" for line in sql_diff(before, version.script)))
        before = version.script


def rollback(directory: FolderArgument, jars: JarOption = None) -> None:
    """Returns to the version before: run its script to go on where it stopped.

    What the newer version has written meanwhile stays where it is. On a session cluster of Flink
    the version before runs again at once.
    """
    with errors_of(str(directory)):
        if (flink := FlinkFolder.find(directory)) is not None:
            version = returning.roll_back(flink, SystemClock(), partial(_start, jars))
        else:
            folder = StateFolder.find(directory)
            left = versions(folder)
            version = roll_back(folder, SystemClock().now())
            if left[-1].way == BACKFILL:
                say(_TOLD)
    print(f"version {version.number} is the state and the script from before:")
    print(version.script.rstrip())


def _start(jars: list[Path] | None, cluster: str) -> Gateway:
    return Gateway.start(cluster=cluster, jars=jars or [])


def _versions(directory: Path) -> list[Version]:
    flink = FlinkFolder.find(directory)
    if flink is None:
        return versions(StateFolder.find(directory))
    return [entry.version for entry in flink.entries()]


def _moment(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
