"""Reads and writes ``.case`` files.

A case is text: comment lines, then sections that open with ``== name``. ``sql`` is the script.
``input TABLE`` holds what arrives: rows (change kind and cells, two or more spaces or a tab apart)
and the events ``watermark T``, ``clock T``, ``checkpoint``, ``crash`` and ``end``; sections take
effect in the order of the file. ``changelog``, ``plan``, ``state`` and ``error`` are expectations.
A cell is NULL as ``NULL``, the empty string as ``''``; quotes keep spaces: ``'two  spaces'``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position, UserError
from sameriver.testing.scenario import (
    Checkpoint,
    Crash,
    End,
    Row,
    Rows,
    Scenario,
    SetClock,
    SetWatermark,
    Step,
)

EXPECTED = ("changelog", "plan", "state", "error")
_CELL = re.compile(r"'((?:[^']|'')*)'(?=\s|$)|(\S+(?: \S+)*)")
_KINDS = ("+I", "-U", "+U", "-D")


@dataclass(frozen=True, slots=True)
class Section:
    """A section: words of its heading, its lines, and the line number of the first of them."""

    name: str
    argument: str
    lines: tuple[str, ...]
    start: int

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


def read_case(path: Path) -> Scenario:
    """Reads a case.

    Raises:
        UserError: BAD_CASE, naming file and line.
    """
    return parse_case(path.read_text(encoding="utf-8"), path)


def parse_case(text: str, path: Path) -> Scenario:
    """The scenario a case's text describes; ``path`` names it."""
    sections = sections_of(text, path)
    expected = _expected(sections, path)
    scripts = [s for s in sections if s.name == "sql"]
    if len(scripts) != 1:
        raise _bad(path, 1, f"has {len(scripts)} sections 'sql'", "Write exactly one.")
    steps: list[Step] = []
    for section in sections:
        if section.name == "input":
            steps.extend(_steps(section, path))
    error = expected.get("error")
    changelog = expected.get("changelog")
    return Scenario(
        name=path.stem,
        path=path,
        # blank lines keep the positions of errors those of the file
        sql="\n" * (scripts[0].start - 1) + "\n".join(scripts[0].lines),
        steps=tuple(steps),
        changelog=None if changelog is None else _changelog(changelog, path),
        plan=expected["plan"].text if "plan" in expected else None,
        state=expected["state"].text if "state" in expected else None,
        error=None if error is None else tuple(line for line in error.lines if line.strip()),
    )


def _expected(sections: Sequence[Section], path: Path) -> dict[str, Section]:
    """Sections that a run is compared with, each there once; a case without any proves nothing."""
    found: dict[str, Section] = {}
    for section in sections:
        if section.name in found:
            line = section.start - 1
            raise _bad(path, line, f"a second section '{section.name}'", "Write one.")
        if section.name in EXPECTED:
            found[section.name] = section
    if not found:
        hint = "Write '== changelog', and let 'sameriver test --write' fill it in."
        raise _bad(path, 1, "nothing is expected", hint)
    return found


def sections_of(text: str, path: Path) -> list[Section]:
    """Cuts a case at its headings; what stands before the first one is comment."""
    sections: list[Section] = []
    heading: tuple[str, str, int] | None = None
    lines: list[str] = []

    def close() -> None:
        if heading is not None:
            sections.append(Section(heading[0], heading[1], tuple(lines), heading[2]))

    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("== "):
            close()
            name, _, argument = line[3:].strip().partition(" ")
            if name not in ("sql", "input", *EXPECTED):
                known = "sql, input TABLE, changelog, plan, state, error"
                raise _bad(path, number, f"there is no section '{name}'", f"Known: {known}.")
            heading, lines = (name, argument.strip(), number + 1), []
        elif heading is not None:
            lines.append(line)
        elif line.strip() and not line.startswith("#"):
            raise _bad(path, number, f"'{line}' stands before the first section", "Start with #.")
    close()
    return sections


def _steps(section: Section, path: Path) -> list[Step]:
    table = section.argument
    if not table:
        raise _bad(path, section.start - 1, "'== input' names no table", "Write '== input NAME'.")
    steps: list[Step] = []
    run: list[tuple[str, tuple[str | None, ...], int]] = []

    def close_run() -> None:
        if run:
            kinds, cells, numbers = zip(*run, strict=True)
            steps.append(Rows(table, tuple(kinds), tuple(cells), tuple(numbers)))
            run.clear()

    for number, line in enumerate(section.lines, section.start):
        if not line.strip() or line.startswith("#"):
            continue
        if line[:2] in _KINDS:
            run.append((line[:2], cells_of(line[2:]), number))
        else:
            close_run()
            steps.append(_event(line.strip(), table, number, path))
    close_run()
    return steps


def _event(line: str, table: str, number: int, path: Path) -> Step:
    word, _, argument = line.partition(" ")
    match word, bool(argument):
        case "watermark", True:
            return SetWatermark(table, argument.strip(), number)
        case "clock", True:
            return SetClock(argument.strip(), number)
        case "checkpoint", False:
            return Checkpoint()
        case "crash", False:
            return Crash()
        case "end", False:
            return End(table)
    known = "+I, -U, +U, -D with cells; watermark T, clock T, checkpoint, crash, end"
    raise _bad(path, number, f"'{line}' is neither a row nor an event", f"Known: {known}.")


def cells_of(text: str) -> tuple[str | None, ...]:
    """Cells of a row's text; None for NULL."""
    cells: list[str | None] = []
    for match in _CELL.finditer(text):
        quoted, plain = match.groups()
        if quoted is not None:
            cells.append(quoted.replace("''", "'"))
        else:
            cells.append(None if plain == "NULL" else plain)
    return tuple(cells)


def cell_text(value: str | None) -> str:
    """A value as a cell that reads back as the same."""
    if value is None:
        return "NULL"
    plain = value and value != "NULL" and "  " not in value and value.strip() == value
    if plain and "\t" not in value and not value.startswith("'"):
        return value
    return "'" + value.replace("'", "''") + "'"


def _changelog(section: Section, path: Path) -> tuple[Row, ...]:
    rows: list[Row] = []
    for number, line in enumerate(section.lines, section.start):
        if not line.strip() or line.startswith("#"):
            continue
        if line[:2] not in _KINDS:
            raise _bad(path, number, f"'{line}' is no change", "Start with +I, -U, +U or -D.")
        rows.append((line[:2], cells_of(line[2:])))
    return tuple(rows)


def with_expected(text: str, path: Path, found: dict[str, str]) -> str:
    """The case's text with the given expected sections filled in or, if missing, left out."""
    out: list[str] = []
    skipping = False
    for line in text.splitlines():
        if line.startswith("== "):
            name = line[3:].split()[0]
            skipping = name in found
            out.append(line)
            if skipping:
                out.extend(found[name].splitlines())
        elif not skipping:
            out.append(line)
    return "\n".join(out).rstrip("\n") + "\n"


def _bad(path: Path, line: int, message: str, hint: str) -> UserError:
    return UserError(
        "BAD_CASE", f"{path.name}:{line}: {message}", hint=hint, position=Position(line, 1)
    )
