"""``sameriver explain``."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from sameriver.cli.engine import Engine, FlinkFlags, JarOption, OnOption, ParallelismOption
from sameriver.cli.on_flink import explain_on_flink
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
    on: OnOption = Engine.EMBEDDED,
    parallelism: ParallelismOption = None,
    jars: JarOption = None,
) -> None:
    """Shows logical and physical plans, change kinds and state tables. Nothing is run."""
    with errors_of(script):
        text = read_script(script)
        flink = FlinkFlags(None, parallelism, jars)
        flink.check(on)
    if on is Engine.FLINK:
        explain_on_flink(script, text, options, flink, as_json=format is Format.JSON)
        return
    with errors_of(script, text):
        print(Session(options_of(options)).explain(text, format=format.value))
