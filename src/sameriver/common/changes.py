"""What flows between operators: batches of changes, and watermarks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.frames import filtered, gathered, in_one_piece, stacked


class ChangeKind(IntEnum):
    """Flink's row kinds, with Flink's numbers."""

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    @property
    def symbol(self) -> str:
        return SYMBOLS[self]


SYMBOLS = ("+I", "-U", "+U", "-D")
KINDS = pl.UInt8
"""Column type of change kinds."""

MAX_WATERMARK = 2**63 - 1
MIN_WATERMARK = -(2**63)


@dataclass(frozen=True, slots=True)
class Watermark:
    """No row with an event time at or below ``time`` (ms since 1970) is still to come."""

    time: int


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """A batch of rows in order of arrival.

    Attributes:
        rows: the columns of the producing node's schema.
        kinds: the change kind of each row (UInt8, see ``ChangeKind``); None: all are inserts.
        watermarks: only with ``'scan.watermark.emit.strategy' = 'on-event'``: the watermark in
            force right after each row (Int64 ms, never falling); None: no watermark moves inside
            the batch.
    """

    rows: pl.DataFrame
    kinds: pl.Series | None = None
    watermarks: pl.Series | None = None

    def __len__(self) -> int:
        return self.rows.height

    def kinds_or_inserts(self) -> pl.Series:
        """The kinds, spelled out if the batch has none."""
        if self.kinds is not None:
            return self.kinds
        return pl.repeat(ChangeKind.INSERT, len(self), dtype=KINDS, eager=True)

    def with_rows(self, rows: pl.DataFrame) -> Changes:
        """Other columns of the same rows."""
        return Changes(rows, self.kinds, self.watermarks)

    def filter(self, mask: pl.Series) -> Changes:
        """The rows where ``mask`` is true (NULL drops)."""
        return Changes(
            filtered(self.rows, mask),
            None if self.kinds is None else self.kinds.filter(mask),
            None if self.watermarks is None else self.watermarks.filter(mask),
        )

    def gather(self, positions: pl.Series) -> Changes:
        """The rows at ``positions``, in that order."""
        return Changes(
            gathered(in_one_piece(self.rows), positions),
            None if self.kinds is None else self.kinds.gather(positions),
            None if self.watermarks is None else self.watermarks.gather(positions),
        )

    def in_one_piece(self) -> Changes:
        """The same in memory of one piece: Polars gathers text from several very slowly."""
        return self.with_rows(in_one_piece(self.rows))

    def slice(self, offset: int, length: int) -> Changes:
        return Changes(
            self.rows.slice(offset, length),
            None if self.kinds is None else self.kinds.slice(offset, length),
            None if self.watermarks is None else self.watermarks.slice(offset, length),
        )

    def signs(self) -> pl.Series | None:
        """+1 for a row that is added, -1 for one that is taken back (Int64); None: all +1."""
        if self.kinds is None:
            return None
        added = (self.kinds == ChangeKind.INSERT) | (self.kinds == ChangeKind.UPDATE_AFTER)
        return added.cast(pl.Int64) * 2 - 1


def keep(changes: Changes, mask: pl.Series) -> Iterator[Event]:
    """The rows where ``mask`` is true (NULL drops), with the watermarks of the dropped ones.

    A dropped row may have moved the watermark: the kept row before it then carries that
    watermark, or a ``Watermark`` comes first if no row was kept before it.
    """
    if changes.watermarks is None:
        yield changes.filter(mask)
        return
    kept = mask.fill_null(False).arg_true().to_numpy().astype(np.int64)
    after = changes.watermarks.to_numpy()
    first = kept[0] if len(kept) else len(after)
    if first > 0:
        yield Watermark(int(after[first - 1]))
    if len(kept):
        ends = np.append(kept[1:] - 1, len(after) - 1)
        yield Changes(
            filtered(changes.rows, mask),
            None if changes.kinds is None else changes.kinds.filter(mask),
            pl.Series(after[ends]),
        )


def concat(batches: Iterable[Changes]) -> Changes:
    """One batch of all rows, in order; at least one batch is needed."""
    parts = list(batches)
    if len(parts) == 1:
        return parts[0]
    rows = stacked([part.rows for part in parts])
    kinds = None
    if any(part.kinds is not None for part in parts):
        kinds = pl.concat([part.kinds_or_inserts() for part in parts])
    watermarks = None
    if all(part.watermarks is not None for part in parts):
        watermarks = pl.concat([part.watermarks for part in parts if part.watermarks is not None])
    return Changes(rows, kinds, watermarks)


Event = Changes | Watermark
"""What an operator takes and gives."""
