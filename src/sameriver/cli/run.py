"""``sameriver run``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from sameriver.cli.engine import (
    ClusterOption,
    DetachedOption,
    Engine,
    FlinkFlags,
    JarOption,
    OnOption,
    ParallelismOption,
)
from sameriver.cli.on_flink import run_on_flink
from sameriver.cli.output import Output, print_answer, writer
from sameriver.cli.progress import ProgressLine
from sameriver.cli.script import (
    FAILED,
    ScriptArgument,
    SetOption,
    errors_of,
    options_of,
    read_script,
    say,
    stoppable,
)
from sameriver.common.errors import UserError
from sameriver.compat.render import report_text
from sameriver.deploy.upgrade import UpgradeRefused
from sameriver.deploy.versions import BACKFILL, Version, outcome
from sameriver.session import Result, Session, StateDir
from sameriver.sql.statements import Describe, Explain, Show
from sameriver.sql.statements import SetOption as SetStatement


def run(
    script: ScriptArgument,
    options: SetOption = None,
    output: Annotated[Output, typer.Option(help="How a SELECT shows changes.")] = Output.TABLE,
    state: Annotated[
        Path | None,
        typer.Option(help="Folder for the state: a script that was stopped goes on from there."),
    ] = None,
    savepoint: Annotated[
        Path | None, typer.Option("--from", help="Savepoint that the state begins with.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget the state there is.")] = False,
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="What a changed script adds starts empty.")
    ] = False,
    backfill: Annotated[
        bool,
        typer.Option(
            "--backfill", help="What a changed script adds is made by reading the sources again."
        ),
    ] = False,
    on: OnOption = Engine.EMBEDDED,
    cluster: ClusterOption = None,
    parallelism: ParallelismOption = None,
    jars: JarOption = None,
    detached: DetachedOption = False,
) -> None:
    """Executes the statements of a script in order."""
    with errors_of(script):
        text = read_script(script)
        flink = FlinkFlags(cluster, parallelism, jars)
        flink.check(on, detached=detached)
        kept, changed = None, _Changed()
        if state is not None:
            kept = StateDir(state, savepoint, fresh, allow_partial, backfill, changed)
        else:
            _needs_state(
                {
                    "--from": savepoint is not None,
                    "--fresh": fresh,
                    "--allow-partial": allow_partial,
                    "--backfill": backfill,
                    "--detached": detached,
                }
            )
    if on is Engine.FLINK:
        run_on_flink(script, text, options, output, flink, kept, detached=detached)
        return
    line = ProgressLine()
    with errors_of(script, text), _refusals(script), stoppable() as stop:
        try:
            session = Session(options_of(options))
            for result in session.results(text, stop=stop, progress=line, state=kept):
                _show(result, output, line)
                if line.last is not None and line.last.ended_before and not changed.filled:
                    say(_ENDED)
                line.close()
                if stop.is_set():
                    break
            if stop.is_set():
                say(_STOPPED if kept is None else "stopped; the same command goes on from here")
        finally:
            line.close()


_ENDED = "this job ended in an earlier run and has nothing left to do; --fresh runs it anew"
_STOPPED = (
    "stopped; what was read so far is written, and a later run starts anew:"
    " --state DIR lets it go on from here"
)


def _needs_state(flags: dict[str, bool]) -> None:
    """Refuses flags that say what to do with state where there is none."""
    for flag, given in flags.items():
        if given:
            raise UserError(
                "BAD_USAGE", f"'{flag}' needs a folder for the state", hint="Add --state DIR."
            )


def _show(result: Result, output: Output, line: ProgressLine) -> None:
    """Prints a query's changelog as it comes, and what SHOW and its like answer."""
    if result.is_query:
        write = writer(output, result.schema, sys.stdout)
        for kinds, rows in result.rendered():
            line.clear()
            write(kinds, rows)
    elif isinstance(result.statement, Describe | Explain | SetStatement | Show):
        rows = [row for _, rows in result.rendered() for row in rows]
        print_answer(result.schema.names, rows, output)


class _Changed:
    """Tells of a new version that takes over state.

    Attributes:
        filled: whether it was filled from history.
    """

    def __init__(self) -> None:
        self.filled = False

    def __call__(self, version: Version) -> None:
        self.filled = version.way == BACKFILL
        say(f"version {version.number} of the script: {outcome(version)}")


@contextmanager
def _refusals(script: str) -> Iterator[None]:
    """Prints the whole comparison where state is not good enough for a changed script."""
    try:
        yield
    except UpgradeRefused as refused:
        print(report_text(refused.report, "saved", script), file=sys.stderr)
        print(f"error[{refused.code}]: {refused.message}", file=sys.stderr)
        raise typer.Exit(FAILED) from refused
