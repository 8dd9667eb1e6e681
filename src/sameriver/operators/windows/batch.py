"""What windows take and give."""

from __future__ import annotations

from typing import Protocol

import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.dataclass import dataclass
from sameriver.state.kernels.types import Ints

START, END = "$start", "$end"
"""Columns of fired rows: the window, in ms of wall time."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows and where they stand in time.

    Attributes:
        changes: the rows.
        times: of each row, ms of wall time.
        before: of each row, the end (wall time) up to which windows were complete before it.
        after: the same after the batch; None: no watermark moves inside it.
    """

    changes: Changes
    times: Ints
    before: Ints
    after: int | None

    def __len__(self) -> int:
        return len(self.times)


class Windows(Protocol):
    """The open windows of one operator."""

    def add(self, batch: Batch) -> tuple[int, list[pl.DataFrame]]:
        """Takes rows; gives how many were dropped as late, and windows that had to fire inside.

        Fired rows have the keys, a column a call, ``START`` and ``END``.
        """
        ...

    def fire(self, progress: int) -> list[pl.DataFrame]:
        """Fires what ends at or before ``progress`` and has not fired, in order of end."""
        ...

    def next_end(self) -> int | None:
        """The earliest end of a window that is still to fire."""
        ...

    def restored(self, progress: int) -> None:
        """State is back; event-time windows have fired up to ``progress``."""
        ...


def milliseconds(times: pl.Series) -> Ints:
    """Times of a Datetime column, whatever its unit, floored to ms."""
    ticks = {"ms": 1, "us": 1_000, "ns": 1_000_000}[getattr(times.dtype, "time_unit", "ms")]
    values = times.cast(pl.Int64).to_numpy()
    floored: Ints = values // ticks if ticks > 1 else values
    return floored


def earliest(known: int | None, ends: Ints) -> int:
    """The smallest of ``ends`` and what was known before."""
    first = int(ends.min())
    return first if known is None else min(known, first)
