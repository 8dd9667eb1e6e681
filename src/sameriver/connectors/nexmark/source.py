"""Gives events as they are made, or as they are due."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.connectors.connector import Position, SourceBatch, TableContext
from sameriver.connectors.nexmark.events import Events
from sameriver.connectors.nexmark.settings import Settings

_BLOCK = 1 << 17


class NexmarkSource:
    """A position is the number of events given.

    Events are made in blocks, since a few are hardly cheaper than many; those that come when they
    are due are made one batch at a time.
    """

    def __init__(self, context: TableContext) -> None:
        settings = Settings.of(context.options)
        self._events = Events(settings, context.schema)
        self._end = settings.events
        self._limited = settings.limited
        self._given = 0
        self._first = 0
        self._started: float | None = None
        self._block = pl.DataFrame()

    @property
    def bounded(self) -> bool:
        return self._end is not None

    def poll(self, rows: int) -> SourceBatch:
        if self._end is not None:
            rows = min(rows, self._end - self._given)
        asked = rows
        if self._limited:
            rows = self._due(rows)
        if rows <= 0:
            return SourceBatch(None, self._position(), finished=self._done())
        if self._block.is_empty():
            self._block = self._events.rows(self._given, rows if self._limited else self._ahead())
        made, self._block = self._block.head(rows), self._block.slice(rows)
        self._given += made.height
        return SourceBatch(
            Changes(made), self._position(), finished=self._done(),
            drained=made.height == rows < asked,
        )  # fmt: skip

    def seek(self, position: Position) -> None:
        self._given = self._first = int(str(position["event"]))

    def counters(self) -> Mapping[str, int]:
        return {}

    def close(self) -> None:
        self._end = self._given

    def _ahead(self) -> int:
        return _BLOCK if self._end is None else min(_BLOCK, self._end - self._given)

    def _done(self) -> bool:
        return self._end is not None and self._given >= self._end

    def _position(self) -> Position:
        return {"event": self._given}

    def _due(self, rows: int) -> int:
        """How many of the next events are due, on a clock that starts with the first one."""
        now = time.monotonic()
        if self._started is None:
            self._started = now
        passed = int((now - self._started) * 1000)
        start = self._events.times(self._first, 1)[0]
        times = self._events.times(self._given, max(rows, 0))
        return int(np.searchsorted(times, start + passed, side="right"))
