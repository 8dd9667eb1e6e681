"""Events by their numbers."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.schema import Schema
from sameriver.connectors.nexmark import kernels
from sameriver.connectors.nexmark.columns import KINDS
from sameriver.connectors.nexmark.draws import Batch, Draws
from sameriver.connectors.nexmark.schedule import Schedule
from sameriver.connectors.nexmark.settings import Settings


class Events:
    """Makes the wanted columns of events; an event depends on its number and the options alone."""

    def __init__(self, settings: Settings, wanted: Schema) -> None:
        self._settings = settings
        self._schema = wanted
        self._schedule = Schedule(settings)
        self._round = np.array([settings.people, settings.auctions, settings.round], np.int64)
        draws = Draws(settings, self._schedule)
        self._makers = dict(zip(KINDS, (draws.people, draws.auctions, draws.bids), strict=True))

    def times(self, first: int, rows: int) -> np.ndarray:
        """When events are due, in ms since 1970; never earlier than those before them."""
        return self._schedule.times(np.arange(first, first + rows))

    def rows(self, first: int, rows: int) -> pl.DataFrame:
        """The events that come at the places from ``first`` on."""
        numbers = self._schedule.shuffled(np.arange(first, first + rows))
        batch = Batch(numbers, self._schedule.times(numbers))
        kinds, counts = np.empty(rows, np.int32), np.empty(len(KINDS), np.int64)
        places = np.empty((len(KINDS), rows), np.int64)
        kernels.deal(numbers, self._round, kinds, places, counts)
        columns = [pl.Series("event_type", kinds)] if "event_type" in self._schema else []
        for kind, own, count in zip(KINDS, places, counts, strict=True):
            if kind in self._schema:
                fields = self._schema[kind].names
                columns.append(self._makers[kind](batch, own[:count], fields).alias(kind))
        return pl.DataFrame(columns or None, height=rows).select(self._schema.names)
