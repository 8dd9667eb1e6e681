"""Flags that choose the engine, and Flink when it is chosen."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.flink.gateway import Gateway


class Engine(Enum):
    """The value is the word for ``--on``."""

    EMBEDDED = "embedded"
    FLINK = "flink"


OnOption = Annotated[Engine, typer.Option("--on", help="The engine: this process, or Flink.")]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="HOST:PORT",
        help="REST address of a Flink session cluster; without it a local one is started.",
    ),
]
ParallelismOption = Annotated[
    int | None, typer.Option("--parallelism", min=1, help="Parallelism of jobs on Flink.")
]
JarOption = Annotated[
    list[Path] | None,
    typer.Option("--jar", metavar="FILE", help="A connector or format that Flink lacks."),
]

DetachedOption = Annotated[
    bool,
    typer.Option(
        "--detached", help="With --cluster and --state: return as soon as the job runs there."
    ),
]


@dataclass(frozen=True, slots=True)
class FlinkFlags:
    """What is said about Flink on the command line."""

    cluster: str | None
    parallelism: int | None
    jars: list[Path] | None

    def check(self, on: Engine, *, detached: bool = False) -> None:
        """Refuses them where the script does not run on Flink.

        Raises:
            UserError: BAD_USAGE.
        """
        given = {
            "--cluster": self.cluster,
            "--parallelism": self.parallelism,
            "--jar": self.jars,
            "--detached": detached,
        }
        for flag, value in given.items():
            if on is not Engine.FLINK and value:
                raise UserError("BAD_USAGE", f"'{flag}' is for Flink", hint="Add --on flink.")

    def start(self) -> Gateway:
        """Flink's planner, with the way to the cluster.

        Raises:
            UserError: BAD_CLUSTER, NO_JAR.
            ExternalError: NO_FLINK, NO_JAVA, and what else is wrong with them.
        """
        return Gateway.start(
            cluster=self.cluster, parallelism=self.parallelism, jars=self.jars or []
        )
