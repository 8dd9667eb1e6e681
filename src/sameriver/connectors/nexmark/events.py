"""Events by their numbers."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.common.schema import Field, Schema
from sameriver.common.types import to_polars
from sameriver.connectors.nexmark.columns import KINDS
from sameriver.connectors.nexmark.draws import Draws
from sameriver.connectors.nexmark.fields import fields_of
from sameriver.connectors.nexmark.schedule import Schedule
from sameriver.connectors.nexmark.settings import Settings


class Events:
    """Makes the wanted columns of events; an event depends on its number and the options alone."""

    def __init__(self, settings: Settings, wanted: Schema) -> None:
        self._settings = settings
        self._schema = wanted
        self._schedule = Schedule(settings)
        self._draws = Draws(settings, self._schedule)
        self._fields = fields_of(settings.seed)

    def times(self, first: int, rows: int) -> np.ndarray:
        """When events are due, in ms since 1970; never earlier than those before them."""
        return self._schedule.times(np.arange(first, first + rows))

    def rows(self, first: int, rows: int) -> pl.DataFrame:
        """The events that come at the places from ``first`` on."""
        numbers = self._schedule.shuffled(np.arange(first, first + rows))
        place = numbers % self._settings.round
        people = self._settings.people
        kinds = (place >= people).astype(np.int32) + (place >= people + self._settings.auctions)
        columns = [
            self._kind(field, numbers, kinds).alias(field.name)
            if field.name in KINDS
            else pl.Series(field.name, kinds, dtype=to_polars(field.type))
            for field in self._schema
        ]
        return pl.DataFrame(columns or None, height=rows)

    def _kind(self, field: Field, numbers: np.ndarray, kinds: np.ndarray) -> pl.Series:
        """Events of a kind as rows, NULL where the event is of another."""
        own = kinds == KINDS.index(field.name)
        made = self._fields[field.name]
        fields = pl.struct([made[name].alias(name) for name in field.type.names])
        if 2 * np.count_nonzero(own) > len(own):
            # Making all and hiding some is cheaper than moving many to their places.
            drawn = self._draws.of(field.name, numbers)
            return drawn.select(pl.when(pl.Series(own)).then(fields)).to_series()
        rows = self._draws.of(field.name, numbers[own]).select(fields).to_series()
        places = pl.DataFrame({"own": own, "place": np.cumsum(own, dtype=np.uint32) - 1})
        # Outside of an expression, in which the rows would be looked through for each use.
        return rows.gather(places.select(pl.when("own").then("place")).to_series())
