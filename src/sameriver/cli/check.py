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

from sameriver.cli.script import DONE, FAILED, WRONG, SetOption, options_of, read_script
from sameriver.common.errors import SameriverError, render
from sameriver.compat import CompatibilityReport, JobDescription, Verdict
from sameriver.compat.render import report_markdown, report_text
from sameriver.session.check import judged, load_old

OldArgument = Annotated[
    str,
    typer.Argument(metavar="OLD", help="The script that runs, its state folder, or a savepoint."),
]
NewArgument = Annotated[str, typer.Argument(metavar="NEW", help="The changed script; - for stdin.")]


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
    new: NewArgument,
    options: SetOption = None,
    require: Annotated[
        Required, typer.Option(help="The verdict that is good enough.")
    ] = Required.PARTIAL,
    format: Annotated[
        Format, typer.Option(help="Text for people, JSON for programs, markdown for reviews.")
    ] = Format.TEXT,
) -> None:
    """Says what the state of a job is worth to a changed script. Nothing is started or touched."""
    with _errors_of(new):
        config = options_of(options)
        text = read_script(new)
    before = _old(old, config)
    with _errors_of(new, text):
        report = judged(before, text, config)
    _show(report, format, old, new)
    raise typer.Exit(DONE if report.verdict.satisfies(_NEEDED[require]) else FAILED)


def _old(name: str, config: dict[str, str]) -> JobDescription:
    if Path(name).is_dir():
        with _errors_of(name):
            return load_old(Path(name), config)
    with _errors_of(name):
        text = read_script(name)
    with _errors_of(name, text):
        return load_old(text, config)


def _show(report: CompatibilityReport, format: Format, old: str, new: str) -> None:
    match format:
        case Format.TEXT:
            print(report_text(report, old, new), end="")
        case Format.JSON:
            print(json.dumps(report.to_json(), indent=2, ensure_ascii=False))
        case Format.MARKDOWN:
            print(report_markdown(report, old, new), end="")


@contextmanager
def _errors_of(name: str, script: str | None = None) -> Iterator[None]:
    """Prints an error and exits with 2: 1 says that the state is not good enough."""
    try:
        yield
    except SameriverError as error:
        print(render(error, script, name), file=sys.stderr)
        raise typer.Exit(WRONG) from error
