"""The ``sameriver`` command."""

from __future__ import annotations

import typer

from sameriver.cli.explain import explain
from sameriver.cli.run import run
from sameriver.cli.test import run_cases

app = typer.Typer(
    name="sameriver",
    help="Streaming SQL that you can change while it runs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(run)
app.command()(explain)
app.command("test")(run_cases)


def main() -> None:
    """Runs the command line."""
    app()
