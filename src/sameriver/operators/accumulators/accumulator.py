"""What every accumulator does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, Self

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.state.kernels.types import Ints, Signs
from sameriver.state.written import Written

Words = np.ndarray[tuple[int, int], np.dtype[np.int64]]
"""Rows of accumulator words, one row a slot."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the fold program.

    Attributes:
        operation: of ``state.kernels.fold``.
        at: first word.
        columns: words of the rows, as the operation takes them.
        signs: of the rows; None: all +1.
    """

    operation: int
    at: int
    columns: tuple[Ints, ...]
    signs: Signs | None


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a batch as one call sees them, in order of arrival.

    Attributes:
        slots: slot of each row.
        values: the call's arguments.
        signs: +1, -1, or 0 where the row passes by (filtered out, NULL, not distinct); None: +1.
    """

    slots: Ints
    values: pl.DataFrame
    signs: Signs | None

    def present(self) -> Rows:
        """Without the rows that pass by."""
        if self.signs is None:
            return self
        kept = np.flatnonzero(self.signs)
        return Rows(self.slots[kept], self.values[pl.Series(kept)], self.signs[kept])

    def weights(self) -> Ints | None:
        """The signs as words."""
        return None if self.signs is None else self.signs.astype(np.int64)


class Held(Protocol):
    """Values by slot, numbered in a way of their own.

    Attributes:
        written: marks numbers.
    """

    written: Written

    def numbers(self) -> Ints:
        """All numbers, of what is gone too."""

    def save(self, ids: Ints) -> tuple[Ints, Ints, pl.DataFrame]:
        """What is there under these numbers: number, slot, and the columns of a table."""


class Accumulator(Protocol):
    """The accumulators of one call, by slot.

    Attributes:
        operation: how its words are merged (of ``state.kernels.fold``).
        at: its first word.
        resident: whether words alone give the result (with what they point to).
        running: whether words hold the result after each row of a batch, not at its end only.
    """

    operation: int
    at: int
    resident: bool
    running: bool

    def reserve(self, capacity: int) -> None:
        """Makes room for slots below ``capacity``."""

    def fold(self, words: Words, rows: Rows) -> Step | None:
        """The step that folds rows into words; what isn't in words changes at once."""

    def result(self, words: Words, slots: Ints) -> pl.Series:
        """The call's values; ``words`` are those of ``slots``, now or at another moment."""

    def absorb(self, words: Words, into: Ints, other: Self, slots: Ints, theirs: Words) -> None:
        """Adds what isn't in words of another's ``slots`` to own slots ``into``, in order.

        ``theirs`` are a copy of the other's words, about to be merged into ``words``: what they
        point to moves over.
        """

    def clear(self, slots: Ints) -> None:
        """Forgets slots (each once)."""

    def tidy(self, words: Words, slots: Callable[[], Ints]) -> None:
        """Reclaims room; ``slots`` gives those in use, ``words`` those of all slots."""

    def save(self, words: Words) -> list[pl.Series]:
        """Columns of the accumulators table."""

    def load(self, columns: Sequence[pl.Series], words: Words) -> None:
        """Fills words (fresh, a row each) from columns of the table."""


class Beside(Accumulator, Protocol):
    """An accumulator with a table of its own.

    Attributes:
        values: what is in it.
    """

    values: Held

    def load_side(self, words: Words, slots: Ints, rows: pl.DataFrame) -> None:
        """Takes rows of the table over and brings the words of all slots up to date."""
