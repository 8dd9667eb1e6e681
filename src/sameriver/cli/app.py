"""The ``sameriver`` command."""

from __future__ import annotations

import os
import sys
import traceback

import typer
from polars.exceptions import PanicException

from sameriver.cli import state
from sameriver.cli.check import check
from sameriver.cli.explain import explain
from sameriver.cli.history import history, rollback
from sameriver.cli.run import run
from sameriver.cli.savepoint import savepoint
from sameriver.cli.script import FAILED
from sameriver.cli.test import run_cases
from sameriver.common.kernel import warm

app = typer.Typer(
    name="sameriver",
    help="Streaming SQL that you can change while it runs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(run)
app.command()(explain)
app.command()(check)
app.command("test")(run_cases)
app.command()(savepoint)
app.command()(history)
app.command()(rollback)
app.add_typer(state.app, name="state")


_DEFECT = """error[INTERNAL]: {kind}: {error}
  = This is a defect of sameriver. Please report it, with what SAMERIVER_TRACEBACK=1 shows."""


def main() -> None:
    """Runs the command line; a defect shows as one line unless SAMERIVER_TRACEBACK is set."""
    warm()
    try:
        app()
    except BrokenPipeError:
        # whoever reads our output has seen enough; nothing more can be said to them
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except (Exception, PanicException) as error:
        if os.environ.get("SAMERIVER_TRACEBACK"):
            traceback.print_exc()
        print(_DEFECT.format(kind=type(error).__name__, error=error), file=sys.stderr)
        sys.exit(FAILED)
