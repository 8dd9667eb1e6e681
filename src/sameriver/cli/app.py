"""The ``sameriver`` command."""

from __future__ import annotations

import os
import sys
import traceback
from importlib.metadata import version
from typing import Annotated

import typer
from polars.exceptions import PanicException

from sameriver.cli import state
from sameriver.cli.check import check
from sameriver.cli.explain import explain
from sameriver.cli.history import history, rollback
from sameriver.cli.run import run
from sameriver.cli.savepoint import savepoint
from sameriver.cli.script import FAILED, INTERRUPTED, say
from sameriver.cli.test import run_cases
from sameriver.common.kernel import before_compiling, warm

app = typer.Typer(
    name="sameriver",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(asked: bool) -> None:
    if asked:
        print(f"sameriver {version('sameriver')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Its version.")
    ] = False,
) -> None:
    """Streaming SQL that you can change while it runs."""


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
_COMPILING = "compiling kernels, which takes some seconds and is done once on a machine"


def main() -> None:
    """Runs the command line; a defect shows as one line unless SAMERIVER_TRACEBACK is set."""
    warm()
    if sys.stderr.isatty():
        before_compiling(lambda: say(_COMPILING))
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # whoever reads our output has seen enough; nothing more can be said to them
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except (Exception, PanicException) as error:
        if os.environ.get("SAMERIVER_TRACEBACK"):
            traceback.print_exc()
        print(_DEFECT.format(kind=type(error).__name__, error=error), file=sys.stderr)
        sys.exit(FAILED)
