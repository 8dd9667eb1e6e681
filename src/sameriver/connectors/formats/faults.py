"""What can't be read of a text: counted, or told with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sameriver.common.errors import ExternalError
from sameriver.connectors.formats.cells import Cells, Index, Mask, shown

_SHOWN = 120
"""Most characters of a bad value in a message."""


@dataclass(slots=True)
class BadRow(Exception):
    """A row that can't be read.

    Attributes:
        line: 0-based line within the text given.
        what: what is wrong, to follow the text.
        text: the offending text.
        column: field, or None if the row as a whole is wrong.
        character: 1-based place of the text in its line, where that is known.
        ask: what may be behind it; may be empty.
    """

    line: int
    what: str
    text: str
    column: str | None = None
    character: int | None = None
    ask: str = ""

    def error(self, path: Path, first_line: int, hint: str) -> ExternalError:
        """The error for a text whose first line is ``first_line`` (0-based) of the file."""
        place = f"'{path}', line {first_line + self.line + 1}"
        place += f", character {self.character}" if self.character else ""
        place += f", column '{self.column}'" if self.column else ""
        if first_line + self.line == 0 and self.text.lower() == (self.column or "").lower():
            hint = "The line looks like a header, and files have none: remove it."
        elif self.ask:
            hint = f"{self.ask} {hint}"
        shown = self.text if len(self.text) <= _SHOWN else self.text[: _SHOWN - 3] + "..."
        return ExternalError("BAD_ROW", f"{place}: '{shown}' {self.what}", hint=hint)


class Faults:
    """Gathers what can't be read.

    Columns are read one after the other, so what is found first need not be in the first bad row.

    Args:
        ignore: counts instead.
        lines: how many are before those that are looked at.
    """

    def __init__(self, ignore: bool, lines: int = 0) -> None:
        self._ignore = ignore
        self._lines = lines
        self._counters: Counter[str] = Counter()
        self._first: BadRow | None = None

    def rows(self, bad: Mask, tell: Callable[[int], BadRow]) -> None:
        """Rows that are wrong as a whole; ``tell`` says what is wrong with one of them."""
        self._add("ignored_rows", bad, tell)

    def fields(self, bad: Mask, tell: Callable[[int], BadRow]) -> None:
        """Values of a column that are wrong; they are NULL if they may be ignored."""
        self._add("ignored_fields", bad, tell)

    def _add(self, counter: str, bad: Mask, tell: Callable[[int], BadRow]) -> None:
        if not bad.any():
            return
        if self._ignore:
            self._counters[counter] += int(bad.sum())
            return
        found = tell(int(np.argmax(bad)))
        if self._first is None or found.line < self._first.line:
            self._first = found

    def settle(self) -> Counter[str]:
        """What was ignored.

        Raises:
            BadRow: the first of those that must not be.
        """
        if self._first is not None:
            self._first.line += self._lines
            raise self._first
        return self._counters


def character(cells: Cells, row: int, spots: Index) -> int:
    """The 1-based place of a cell in its row.

    Args:
        cells: as they stand in the text.
        row: which.
        spots: line (0-based) and first byte of each row.
    """
    return len(shown(cells.data, int(spots[row, 1]), int(cells.start[row]))) + 1
