"""``sameriver run``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Annotated

import typer

from sameriver.cli.output import Output, writer
from sameriver.cli.progress import ProgressLine
from sameriver.cli.script import (
    FAILED,
    ScriptArgument,
    SetOption,
    errors_of,
    options_of,
    read_script,
)
from sameriver.common.errors import UserError
from sameriver.compat.render import report_text
from sameriver.deploy.upgrade import UpgradeRefused
from sameriver.deploy.versions import Version, outcome
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
) -> None:
    """Executes the statements of a script in order."""
    with errors_of(script):
        text = read_script(script)
        kept = None
        if state is not None:
            kept = StateDir(state, savepoint, fresh, allow_partial, backfill, _changed)
        else:
            _needs_state(
                {
                    "--from": savepoint is not None,
                    "--fresh": fresh,
                    "--allow-partial": allow_partial,
                    "--backfill": backfill,
                }
            )
    line = ProgressLine()
    with errors_of(script, text), _refusals(script), _stoppable() as stop:
        try:
            session = Session(options_of(options))
            for result in session.results(text, stop=stop, progress=line, state=kept):
                _show(result, output, line)
                if stop.is_set():
                    break
            if stop.is_set() and kept is not None:
                _say("stopped; the same command goes on from here")
        finally:
            line.close()


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
        _answer(result, output)
    if line.last is not None and line.last.ended_before:
        _say("this job ended in an earlier run and has nothing left to do; --fresh runs it anew")
    line.close()


def _changed(version: Version) -> None:
    _say(f"version {version.number} of the script: {outcome(version)}")


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _answer(result: Result, output: Output) -> None:
    rows = [row for _, rows in result.rendered() for row in rows]
    if output is Output.NONE or not rows:
        return
    if len(result.schema) == 1:
        print("\n".join(str(row[0]) for row in rows))
        return
    widths = [
        max(len(str(cell)) for cell in column)
        for column in zip(result.schema.names, *rows, strict=True)
    ]
    for row in (result.schema.names, *rows):
        cells = (str(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


@contextmanager
def _refusals(script: str) -> Iterator[None]:
    """Prints the whole comparison where state is not good enough for a changed script."""
    try:
        yield
    except UpgradeRefused as refused:
        print(report_text(refused.report, "saved", script), file=sys.stderr)
        print(f"error[{refused.code}]: {refused.message}", file=sys.stderr)
        raise typer.Exit(FAILED) from refused


@contextmanager
def _stoppable() -> Iterator[Event]:
    """Ctrl-C and SIGTERM ask the job to stop between two batches; a second one is the usual."""
    stop = Event()

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)

    before = {n: signal.signal(n, ask) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
