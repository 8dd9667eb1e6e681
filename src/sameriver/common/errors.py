"""Errors: each has a stable code, says what is wrong, what exists instead, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from sameriver.common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a script: 1-based line and column, and how many characters it spans."""

    line: int
    column: int
    length: int = 1


class Placed(str):
    """Text that stands somewhere in a script, such as the key or the value of an option.

    It goes with its place wherever options are copied and laid over each other.

    Attributes:
        position: the place.
    """

    position: Position

    def __new__(cls, text: str, position: Position) -> Placed:
        placed = super().__new__(cls, text)
        placed.position = position
        return placed


def place_of(text: str) -> Position | None:
    """Where a text stands in a script, if it comes from one."""
    return text.position if isinstance(text, Placed) else None


class SameriverError(Exception):
    """Any error that sameriver raises on purpose.

    Attributes:
        code: stable, upper case, such as ``UNKNOWN_COLUMN``.
        message: what is wrong, with the name in quotes.
        hint: what exists instead and what to do; may be empty.
        position: where in the script, if known.
    """

    def __init__(
        self, code: str, message: str, *, hint: str = "", position: Position | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.position = position

    def at(self, position: Position | None) -> SameriverError:
        """The same error, placed, unless it already has a place."""
        if self.position is None:
            self.position = position
        return self

    def __str__(self) -> str:
        return f"[{self.code}] {self.message}" + (f"\n{self.hint}" if self.hint else "")


class UserError(SameriverError):
    """The script, an option or a call is wrong: syntax, name, type, unsupported."""


class ExternalError(SameriverError):
    """Something outside failed: a file, a row that can't be parsed, a full disk.

    Attributes:
        retry: whether the same may work later.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str = "",
        position: Position | None = None,
        retry: bool = False,
    ) -> None:
        super().__init__(code, message, hint=hint, position=position)
        self.retry = retry


class InternalError(SameriverError):
    """A defect of sameriver."""


def closest(name: str, known: Iterable[str]) -> str:
    """``Did you mean 'x'?`` with the closest known name, or empty if none is close."""
    folded = {candidate.lower(): candidate for candidate in sorted(known)}
    close = difflib.get_close_matches(name.lower(), list(folded), n=1, cutoff=0.6)
    return f"Did you mean '{folded[close[0]]}'?" if close else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """``Did you mean 'x'?`` with the closest known name, else the list of them, else empty."""
    names = sorted(set(known))
    close = closest(name, names)
    if close or not names:
        return close
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"Known: {shown}."


def render(error: SameriverError, script: str | None = None, name: str | None = None) -> str:
    """The error as shown to a person: message, line and caret of the script, way out."""
    lines = [f"error[{error.code}]: {error.message}"]
    position = error.position
    if position is not None and script is not None:
        source = script.splitlines()
        text = source[position.line - 1] if 0 < position.line <= len(source) else ""
        gutter = len(str(position.line))
        lines.append(f"{' ' * gutter}--> {name or 'script'}:{position.line}:{position.column}")
        lines.append(f"{position.line} | {text}")
        marks = "^" * max(1, min(position.length, len(text) - position.column + 1))
        lines.append(f"{' ' * gutter} | {' ' * (position.column - 1)}{marks}")
    if error.hint:
        lines.append(f"  = {error.hint}")
    return "\n".join(lines)
