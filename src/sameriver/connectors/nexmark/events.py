"""Events by their numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from sameriver.common.schema import Field, Schema
from sameriver.common.types import to_polars
from sameriver.connectors.nexmark.columns import KINDS
from sameriver.connectors.nexmark.draws import Draws
from sameriver.connectors.nexmark.fields import narrowed, share_column, stages_of
from sameriver.connectors.nexmark.kernels import IN_FLIGHT, LENGTH
from sameriver.connectors.nexmark.schedule import Schedule
from sameriver.connectors.nexmark.settings import Settings

Columns = dict[str, pl.Series]


class Events:
    """Makes the wanted columns of events; an event depends on its number and the options alone."""

    def __init__(self, settings: Settings, wanted: Schema) -> None:
        self._settings = settings
        self._schema = wanted
        self._schedule = Schedule(settings)
        self._draws = Draws(settings)
        stages = stages_of(settings)
        self._made = {
            field.name: narrowed(stages[field.name], field.type.names)
            for field in wanted
            if field.name in KINDS
        }

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
        stages, needed = self._made[field.name]
        made = pl.DataFrame(self._given(field.name, needed, numbers[own]), height=int(own.sum()))
        for stage in stages:
            made = made.with_columns(**stage)
        counted = pl.DataFrame({"own": own, "place": np.cumsum(own, dtype=np.uint32)})
        place = counted.select(pl.when("own").then(pl.col("place") - 1)).to_series()
        return made.select(field.type.names).to_struct().gather(place)

    def _given(self, name: str, needed: set[str], numbers: np.ndarray) -> Columns:
        """The columns that fields are made of."""
        shares = {share_column(draw): draw for draw in range(64)}
        columns: Columns = {
            column: self._draws.shares(shares[column], numbers)
            for column in needed
            if column in shares
        }
        makers: dict[str, Callable[[np.ndarray], Columns]] = {
            "person": self._draws.people,
            "auction": self._draws.auctions,
            "bid": self._draws.bids,
        }
        if needed - {*columns, "time", "expires"}:
            columns |= makers[name](numbers)
        if "time" in needed:
            columns["time"] = pl.Series(self._schedule.times(numbers))
        if "expires" in needed:
            columns["expires"] = self._expiries(numbers)
        return columns

    def _expiries(self, numbers: np.ndarray) -> pl.Series:
        """An auction lasts at random as long as it takes, on average, till so many more began."""
        ahead = IN_FLIGHT * self._settings.round // self._settings.auctions
        start = self._schedule.times(numbers)
        horizon = self._schedule.times(numbers + ahead) - start
        share = self._draws.shares(LENGTH, numbers).to_numpy()
        return pl.Series(start + 1 + (share * np.maximum(2 * horizon, 1)).astype(np.int64))
