"""Arithmetic on batches that carry watermarks: cut, spread over shards, put together again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from sameriver.common.changes import (
    MAX_WATERMARK,
    MIN_WATERMARK,
    Changes,
    Event,
    Watermark,
)
from sameriver.common.frames import picked, stacked
from sameriver.state.kernels.deal import own
from sameriver.state.kernels.types import NO_INTS, Ints
from sameriver.state.words import encode, fits_word

_WORDS = 2
"""Columns of a key that are taken as they are; more of them are hashed."""

Times = npt.NDArray[np.int64]
"""Watermarks in ms."""


def cut(changes: Changes, start: int) -> Iterator[tuple[Changes, int]]:
    """Runs of rows and the watermark after each run; ``start`` is in force before the batch."""
    if changes.watermarks is None:
        yield changes, start
        return
    after = changes.watermarks.to_numpy()
    moves = np.flatnonzero(np.diff(after, prepend=start))
    bare = Changes(changes.rows, changes.kinds)
    begin = 0
    for end in moves.tolist():
        yield bare.slice(begin, end + 1 - begin), int(after[end])
        begin = end + 1
    if begin < len(after):
        yield bare.slice(begin, len(after) - begin), int(after[-1])


def clip(after: pl.Series, low: int, high: int) -> pl.Series | None:
    """Watermarks of one input seen by a node whose other inputs stand at ``high``.

    None if that leaves the node's watermark at ``low`` throughout.
    """
    values = np.clip(after.to_numpy(), low, max(low, high))
    return pl.Series(values) if values[-1] > low else None


def delayed(event: Event, delay: int) -> Event:
    """The event with watermarks ``delay`` ms earlier, but for the one at the end of input."""
    if isinstance(event, Watermark):
        return Watermark(event.time if event.time == MAX_WATERMARK else event.time - delay)
    if event.watermarks is None:
        return event
    after = event.watermarks.to_numpy()
    earlier = np.maximum(after, MIN_WATERMARK + delay) - delay
    earlier[after == MAX_WATERMARK] = MAX_WATERMARK
    return Changes(event.rows, event.kinds, pl.Series(earlier))


@dataclass(slots=True)
class _Piece:
    """Rows, and the watermark in force right before each of them."""

    changes: Changes
    before: Times


def merge(outputs: Sequence[Sequence[Event]], start: int) -> list[Event]:
    """What the shards of a node gave for one batch, as one stream.

    ``start`` is the watermark in force before. No row comes after a watermark that its shard had
    not reached when it gave the row; rows of one shard keep their order.
    """
    if len(outputs) == 1 and len(outputs[0]) <= 1:
        return list(outputs[0])
    rows = [event for events in outputs for event in events if isinstance(event, Changes)]
    if len(rows) == sum(map(len, outputs)) and all(part.watermarks is None for part in rows):
        return [_concat(rows)] if rows else []
    pieces: list[_Piece] = []
    finals = []
    for events in outputs:
        final = start
        for event in events:
            if isinstance(event, Watermark):
                final = max(final, event.time)
            elif len(event):
                before, final = _before(event, final)
                pieces.append(_Piece(event, before))
        finals.append(final)
    return _stream(pieces, start, min(finals, default=start))


def _before(changes: Changes, start: int) -> tuple[Times, int]:
    """The watermark before each row, and the one after the last."""
    if changes.watermarks is None:
        return np.full(len(changes), start, np.int64), start
    after = np.maximum(changes.watermarks.to_numpy(), start)
    return np.concatenate([[start], after[:-1]]), int(after[-1])


def _stream(pieces: Sequence[_Piece], start: int, final: int) -> list[Event]:
    if not pieces:
        return [Watermark(final)] if final > start else []
    changes = _concat([piece.changes for piece in pieces])
    before = np.concatenate([piece.before for piece in pieces])
    if before.max() == start:
        return [changes, Watermark(final)] if final > start else [changes]
    if np.any(before[1:] < before[:-1]):
        order = np.argsort(before, kind="stable")
        before = before[order]
        changes = changes.gather(pl.Series(order))
    after = np.maximum(np.append(before[1:], final), before)
    events: list[Event] = [Watermark(int(before[0]))] if before[0] > start else []
    return [*events, Changes(changes.rows, changes.kinds, pl.Series(after))]


def _concat(batches: Sequence[Changes]) -> Changes:
    if len(batches) == 1:
        return Changes(batches[0].rows, batches[0].kinds)
    kinds = None
    if any(batch.kinds is not None for batch in batches):
        kinds = pl.concat([batch.kinds_or_inserts() for batch in batches])
    return Changes(stacked([batch.rows for batch in batches]), kinds)


@dataclass(frozen=True, slots=True)
class Keys:
    """What tells the shard of each row: one word, or two.

    Attributes:
        seconds: empty where one word does.
        hashed: whether that word is a hash.
    """

    firsts: Ints
    seconds: Ints = field(default_factory=lambda: NO_INTS)
    hashed: bool = False

    def rows(self, shard: int, shards: int) -> pl.Series:
        """Numbers of the rows of a shard."""
        numbers = np.empty(len(self.firsts), np.uint32)
        count = own(self.firsts, self.seconds, self.hashed, shard, shards, numbers)
        return pl.Series(numbers[:count])


def keys_of(rows: pl.DataFrame, columns: Sequence[str]) -> Keys:
    """The keys by which rows are spread over shards; without columns all go to one."""
    if not columns:
        return Keys(np.zeros(rows.height, np.int64), hashed=True)
    key = picked(rows, columns)
    if len(columns) <= _WORDS and all(map(_is_word, key.dtypes)):
        first, *second = map(encode, key.get_columns())
        return Keys(first, second[0] if second else NO_INTS)
    return Keys(key.hash_rows(17).to_numpy().view(np.int64), hashed=True)


def _is_word(dtype: pl.DataType) -> bool:
    """Whether equal values, of types like it too, are equal words."""
    return (dtype.is_integer() and fits_word(dtype)) or dtype.is_temporal()


def share(changes: Changes, rows: pl.Series) -> list[Event]:
    """What a shard gets of a batch: the rows of these numbers.

    Between two rows of a shard the watermark may have moved at rows of others: a row's watermark
    becomes the one in force before the shard's next row.
    """
    taken = Changes(changes.rows, changes.kinds).gather(rows) if len(rows) else None
    if changes.watermarks is None:
        return [] if taken is None else [taken]
    after = changes.watermarks.to_numpy()
    if taken is None:
        return [Watermark(int(after[-1]))]
    positions = rows.to_numpy().astype(np.int64)
    events: list[Event] = []
    if positions[0] > 0:
        events.append(Watermark(int(after[positions[0] - 1])))
    ends = np.append(positions[1:] - 1, len(after) - 1)
    return [*events, Changes(taken.rows, taken.kinds, pl.Series(after[ends]))]
