"""Exceptions of Flink as errors of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError, Position, SameriverError, UserError

_OF_THE_USER = ("ValidationException", "TableException", "SqlParserException", "CatalogException")
"""Java classes that tell what is wrong with a statement."""
_WRAPPERS = ("CompletionException", "ExecutionException", "RuntimeException")
_LISTS = ("Was expecting", "Supported options", "Table options are", "Available", "FlinkLogical")
"""How lines open behind which only long lists come."""
_PLACE = re.compile(r"(?:At|From|at) line (\d+), column (\d+)(?: to line \d+, column \d+)?:? ?")
_LACKS = (
    (
        re.compile(r"(DENSE_RANK|RANK)\(\) on streaming table"),
        "Flink has no {}() under a bound in streams",
        "Write ROW_NUMBER() if ties do not matter, or run it on the embedded engine.",
    ),
    (
        re.compile(r"Could not find any(?: \w+)? factory for identifier '([^']+)'"),
        "Flink has no connector or format '{}' in its package",
        "Give its jar with --jar: from Maven's central repository 'flink-sql-connector-{0}', or"
        " 'flink-sql-{0}' for a format.",
    ),
    (
        re.compile(r"(?:NoClassDefFoundError|ClassNotFoundException): (\S+)"),
        "Flink lacks the Java class '{}'",
        "A jar of --jar needs it: give the jar that holds it too, each with a --jar of its own.",
    ),
    (
        re.compile(r"All aggregates must be computed on the same (window)"),
        "Flink computes calls over one {} in a query",
        "Compute the others in a query around it.",
    ),
)
"""What scripts may hold that Flink lacks: how it says so, and what to say instead."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the text that was handed to Flink stands in the script."""

    position: Position
    sql: str

    def at(self, line: int, column: int) -> Position:
        """The position of a line and a column of the text."""
        first = self.position
        return Position(first.line + line - 1, column + (first.column - 1 if line == 1 else 0))

    def of(self, word: str) -> Position:
        """The position of a word of the text; if it is not there, that of the text."""
        found = re.search(rf"\b{re.escape(word)}\b", self.sql, re.IGNORECASE)
        if found is None:
            return self.position
        before = self.sql[: found.start()].split("\n")
        start = self.at(len(before), len(before[-1]) + 1)
        return Position(start.line, start.column, len(word))


@contextmanager
def flink_errors(place: Place | None = None) -> Iterator[None]:
    """Turns an exception of Java into an error that tells what Flink said.

    Raises:
        UserError: NOT_ON_FLINK: Flink lacks something; FLINK_REFUSED: the statement is wrong.
        ExternalError: FLINK_FAILED: anything else.
    """
    try:
        yield
    except SameriverError as error:
        raise error.at(None if place is None else place.position) from None
    except Exception as error:
        thrown = getattr(error, "java_exception", None)
        if thrown is None:
            raise
        raise _error(list(_causes(thrown)), place) from None


def _error(causes: list[tuple[str, str]], place: Place | None) -> SameriverError:
    texts = [_short(text) for name, text in causes if text and name not in _WRAPPERS]
    outer, inner = (texts[0], texts[-1]) if texts else (causes[-1][0], causes[-1][0])
    # the outermost says what was tried, the innermost why it failed
    said = inner if inner in outer else f"{outer} {inner}"
    everything = " ".join(f"{name}: {text}" for name, text in causes)
    for pattern, message, hint in _LACKS:
        if lack := pattern.search(everything):
            position = None if place is None else place.of(lack[1])
            return UserError(
                "NOT_ON_FLINK",
                message.format(lack[1]),
                hint=hint.format(lack[1]),
                position=position,
            )
    if any(name in _OF_THE_USER for name, _ in causes):
        told = _PLACE.search(everything)
        position = None if place is None else place.position
        if place is not None and told is not None:
            position = place.at(int(told[1]), int(told[2]))
        return UserError("FLINK_REFUSED", f"Flink says: {said}", position=position)
    return ExternalError(
        "FLINK_FAILED", f"Flink says: {said}", position=None if place is None else place.position
    )


def _short(text: str) -> str:
    """A message in one line, without its place and without lists of what there is."""
    lines = []
    for line in text.splitlines():
        if line.startswith(_LISTS):
            break
        lines.append(line.strip())
    return _PLACE.sub("", " ".join(filter(None, lines)))


def _causes(thrown: Any) -> Iterator[tuple[str, str]]:
    """Class name and message of an exception and of what caused it, outermost first."""
    while thrown is not None:
        yield thrown.getClass().getSimpleName(), thrown.getMessage() or ""
        thrown = thrown.getCause()
