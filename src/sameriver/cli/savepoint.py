"""``sameriver savepoint``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.requests import take_savepoint
from sameriver.cli.script import errors_of
from sameriver.flink import returning
from sameriver.flink.state import FlinkFolder

StateArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of 'run --state'.")]


def savepoint(
    folder: StateArgument,
    target: Annotated[
        Path | None, typer.Argument(metavar="[TARGET]", help="Folder to make; else one in DIR.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that a running job has for it.")] = 60,
) -> None:
    """Makes a savepoint of a job that is stopped or running, and prints where it is."""
    with errors_of(str(folder)):
        to = None if target is None else target.absolute()
        if (flink := FlinkFolder.find(folder)) is not None:
            print(returning.take_savepoint(flink, to, timeout=timeout))
        else:
            print(take_savepoint(StateFolder.find(folder), to, timeout=timeout))
