"""``sameriver explain``."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from sameriver.cli.script import ScriptArgument, SetOption, errors_of, options_of, read_script
from sameriver.session import Session


class Format(Enum):
    """The value is the word for ``--format``."""

    TEXT = "text"
    JSON = "json"


def explain(
    script: ScriptArgument,
    options: SetOption = None,
    format: Annotated[
        Format, typer.Option(help="Text for people, JSON for programs.")
    ] = Format.TEXT,
) -> None:
    """Shows logical and physical plans, change kinds and state tables. Nothing is run."""
    with errors_of(script):
        text = read_script(script)
    with errors_of(script, text):
        print(Session(options_of(options)).explain(text, format=format.value))
