"""``sameriver check``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from sameriver.cli.engine import Engine, FlinkFlags, JarOption, OnOption
from sameriver.cli.script import DONE, FAILED, WRONG, SetOption, options_of, read_script
from sameriver.common.errors import SameriverError, UserError, render
from sameriver.compat import CompatibilityReport, JobDescription, Verdict
from sameriver.compat.render import report_markdown, report_text
from sameriver.flink.check import judged_on_flink, old_plan
from sameriver.flink.gateway import Gateway
from sameriver.flink.report import FlinkReport, flink_markdown, flink_text
from sameriver.session.check import judged, load_old

OldArgument = Annotated[
    str,
    typer.Argument(metavar="OLD", help="The script that runs, its state folder, or a savepoint."),
]
NewArgument = Annotated[
    str | None, typer.Argument(metavar="NEW", help="The changed script; - for stdin.")
]
StateOption = Annotated[
    str | None, typer.Option("--state", help="State folder of the job that runs, for OLD.")
]


class Required(Enum):
    """The value is the word for ``--require``."""

    FULL = "full"
    PARTIAL = "partial"


class Format(Enum):
    """The value is the word for ``--format``."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


_NEEDED = {Required.FULL: Verdict.FULL, Required.PARTIAL: Verdict.PARTIAL}


def check(
    old: OldArgument,
    new: NewArgument = None,
    options: SetOption = None,
    require: Annotated[
        Required, typer.Option(help="The verdict that is good enough.")
    ] = Required.PARTIAL,
    format: Annotated[
        Format, typer.Option(help="Text for people, JSON for programs, markdown for reviews.")
    ] = Format.TEXT,
    state: StateOption = None,
    on: OnOption = Engine.EMBEDDED,
    jars: JarOption = None,
) -> None:
    """Says what the state of a job is worth to a changed script. Nothing is started or touched."""
    with _errors_of(new or old):
        before, after = _sides(old, new, state)
        config = options_of(options)
        text = read_script(after)
        flags = FlinkFlags(None, None, jars)
        flags.check(on)
    if on is Engine.FLINK:
        with _errors_of(after, text), flags.start() as gateway:
            told = judged_on_flink(gateway, _old_on_flink(gateway, before, config), text, config)
        _show_flink(told, format, before, after)
        verdict = told.verdict
    else:
        description = _old(before, config)
        with _errors_of(after, text):
            report = judged(description, text, config)
        _show(report, format, before, after)
        verdict = report.verdict
    raise typer.Exit(DONE if verdict.satisfies(_NEEDED[require]) else FAILED)


def _sides(old: str, new: str | None, state: str | None) -> tuple[str, str]:
    """What is compared: with ``--state`` the only argument is the new script.

    Raises:
        UserError: BAD_USAGE.
    """
    if (new is None) == (state is None):
        cause = "'check' takes OLD and NEW, or --state DIR and NEW"
        raise UserError("BAD_USAGE", cause, hint="Write: sameriver check OLD NEW")
    if state is not None and not Path(state).is_dir():
        raise UserError("NO_STATE", f"there is no folder '{state}'", hint="Correct --state.")
    return (old, new) if new is not None else (str(state), old)


def _old(name: str, config: dict[str, str]) -> JobDescription:
    if Path(name).is_dir():
        with _errors_of(name):
            return load_old(Path(name), config)
    with _errors_of(name):
        text = read_script(name)
    with _errors_of(name, text):
        return load_old(text, config)


def _old_on_flink(gateway: Gateway, name: str, config: dict[str, str]) -> str:
    if Path(name).is_dir():
        with _errors_of(name):
            return old_plan(gateway, Path(name), config)
    with _errors_of(name):
        text = read_script(name)
    with _errors_of(name, text):
        return old_plan(gateway, text, config)


def _show(report: CompatibilityReport, format: Format, old: str, new: str) -> None:
    match format:
        case Format.TEXT:
            print(report_text(report, old, new), end="")
        case Format.JSON:
            print(json.dumps(report.to_json(), indent=2, ensure_ascii=False))
        case Format.MARKDOWN:
            print(report_markdown(report, old, new), end="")


def _show_flink(report: FlinkReport, format: Format, old: str, new: str) -> None:
    match format:
        case Format.TEXT:
            print(flink_text(report), end="")
        case Format.JSON:
            print(json.dumps(report.to_json(), indent=2, ensure_ascii=False))
        case Format.MARKDOWN:
            print(flink_markdown(report, old, new), end="")


@contextmanager
def _errors_of(name: str, script: str | None = None) -> Iterator[None]:
    """Prints an error and exits with 2: 1 says that the state is not good enough."""
    try:
        yield
    except SameriverError as error:
        print(render(error, script, name), file=sys.stderr)
        raise typer.Exit(WRONG) from error
