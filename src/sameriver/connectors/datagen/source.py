"""Makes rows at a given pace."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.connectors.connector import Position, SourceBatch, TableContext
from sameriver.connectors.datagen.generators import Block, generator
from sameriver.connectors.options import integer

_BLOCK = 1 << 16
_BLOCKS_A_SECOND = 10


class DatagenSource:
    """Rows in blocks, each with random numbers of its own, so that a position is exact.

    A block is made at once, at one moment of the clock: the pace says how large it is.
    """

    def __init__(self, context: TableContext) -> None:
        options = context.options
        self._clock = context.clock
        self._generators = {
            field.name: generator(field, options, f"fields.{field.name}")
            for field in context.declared
        }
        self._wanted = context.schema.names
        ends = [made.rows for made in self._generators.values() if made.rows is not None]
        number = integer(options, "number-of-rows", None)
        self._end = min([*ends, *([] if number is None else [number])], default=None)
        self._rate = integer(options, "rows-per-second", 10_000, 1) or 1
        self._size = max(1, min(_BLOCK, self._rate // _BLOCKS_A_SECOND))
        self._seed = secrets.randbits(62)
        self._row = 0
        self._started: float | None = None
        self._first = 0
        self._held: tuple[int, pl.DataFrame] | None = None

    @property
    def bounded(self) -> bool:
        return self._end is not None

    def poll(self, rows: int) -> SourceBatch:
        if self._end is not None and self._row >= self._end:
            return SourceBatch(None, self._position(), finished=True)
        due = min(rows, self._due())
        if due <= 0:
            return SourceBatch(None, self._position())
        frame = self._block(self._row // self._size)
        part = frame.slice(self._row % self._size, due)
        self._row += part.height
        return SourceBatch(
            Changes(part), self._position(), finished=self._row == self._end,
            drained=part.height == due < rows,
        )  # fmt: skip

    def seek(self, position: Position) -> None:
        self._row = self._first = int(str(position["row"]))
        self._seed = int(str(position["seed"]))
        self._size = int(str(position["block"]))

    def counters(self) -> Mapping[str, int]:
        return {}

    def close(self) -> None:
        self._end = self._row

    def _position(self) -> Position:
        return {"row": self._row, "seed": self._seed, "block": self._size}

    def _due(self) -> int:
        """How many rows more the pace allows by now; the first second's start at once."""
        now = time.monotonic()
        if self._started is None:
            self._started = now
        allowed = int((now - self._started) * self._rate) + max(1, self._rate // 100)
        left = allowed - (self._row - self._first)
        return left if self._end is None else min(left, self._end - self._row)

    def _block(self, number: int) -> pl.DataFrame:
        if self._held is None or self._held[0] != number:
            first = number * self._size
            rows = self._size if self._end is None else min(self._size, self._end - first)
            now = self._clock.now()
            columns = []
            for name in self._wanted:
                # Each column draws its own numbers, whatever other columns are read.
                column = list(self._generators).index(name)
                random = np.random.default_rng([self._seed, number, column])
                made = self._generators[name].make(Block(rows, first, random, now))
                columns.append(made.alias(name))
            self._held = number, pl.DataFrame(columns or None, height=rows)
        return self._held[1]
