"""What commands that take a script share: reading it, ``--set``, and how errors end."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Annotated, NoReturn

import typer

from sameriver.common.errors import SameriverError, UserError, nearest, render

DONE, FAILED, WRONG = 0, 1, 2
"""Exit statuses: done; the job (or a test) failed; the script or the usage is wrong."""
INTERRUPTED = 130
"""Ctrl-C before a job ran, as shells have it; a running job is stopped, which is DONE."""

ScriptArgument = Annotated[str, typer.Argument(help="File of SQL statements; - for stdin.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="An option, as if SET came first."),
]


def read_script(name: str) -> str:
    """The script's text.

    Raises:
        UserError: NO_SCRIPT.
    """
    path = Path(name)
    try:
        data = sys.stdin.buffer.read() if name == "-" else path.read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        folder = next(place for place in (path, path.parent, Path()) if place.is_dir())
        near = nearest(path.name, [entry.name for entry in folder.glob("*.sql")])
        cause = f"can't read '{name}': {error.strerror}"
        raise UserError("NO_SCRIPT", cause, hint=near) from error
    except UnicodeDecodeError as error:
        cause = f"'{name}' is not UTF-8: byte {error.start} is {data[error.start]:#04x}"
        raise UserError("NO_SCRIPT", cause, hint="Save the script as UTF-8.") from error


def options_of(pairs: Sequence[str] | None) -> dict[str, str]:
    """``k=v`` pairs as options.

    Raises:
        UserError: BAD_USAGE.
    """
    options = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals:
            raise UserError(
                "BAD_USAGE",
                f"'--set {pair}' has no value",
                hint="Write --set KEY=VALUE, such as --set parallelism.default=2.",
            )
        options[key.strip()] = value.strip()
    return options


@contextmanager
def errors_of(name: str, script: str | None = None) -> Iterator[None]:
    """Prints a SameriverError with line and caret, and exits with its status."""
    try:
        yield
    except SameriverError as error:
        fail(error, name, script)


def fail(error: SameriverError, name: str, script: str | None = None) -> NoReturn:
    """Prints the error and exits: 2 if the user's input is wrong, 1 if the job failed."""
    print(render(error, script, name), file=sys.stderr)
    raise typer.Exit(WRONG if isinstance(error, UserError) else FAILED)


def say(text: str) -> None:
    """Tells a person something that is no output of the script."""
    print(text, file=sys.stderr)


@contextmanager
def stoppable() -> Iterator[Event]:
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
