"""The numbers that events are made of, as columns."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.connectors.nexmark import kernels
from sameriver.connectors.nexmark.schedule import Schedule
from sameriver.connectors.nexmark.settings import Settings
from sameriver.connectors.nexmark.texts import CITIES, NAMES, POOL, pool

Columns = dict[str, np.ndarray]


class Draws:
    """Draws by the numbers of events."""

    def __init__(self, settings: Settings, schedule: Schedule) -> None:
        self._settings = settings
        self._schedule = schedule
        self._text = pool(settings.seed, spaces=True)
        self._names, self._cities = (
            known.str.len_bytes().cast(pl.Int64).to_numpy() for known in (NAMES, CITIES)
        )

    def of(self, kind: str, numbers: np.ndarray) -> pl.DataFrame:
        """The draws of events as if all were of this kind: ``PERSON``, ``AUCTION`` or ``BID`` of
        ``kernels``, and times in ms since 1970.
        """
        make = {"person": self._people, "auction": self._auctions, "bid": self._bids}[kind]
        return pl.DataFrame(make(numbers) | {"time": self._schedule.times(numbers)})

    def _given(self, *more: int) -> np.ndarray:
        given = self._settings
        return np.array([given.people, given.auctions, given.round, *more], dtype=np.int64)

    def _people(self, numbers: np.ndarray) -> Columns:
        made = np.empty((len(kernels.PERSON), len(numbers)), dtype=np.int64)
        given = self._given(self._settings.person_size)
        kernels.people(self._settings.seed, numbers, given, POOL, self._names, self._cities, made)
        return dict(zip(kernels.PERSON, made, strict=True))

    def _auctions(self, numbers: np.ndarray) -> Columns:
        made = np.empty((len(kernels.AUCTION), len(numbers)), dtype=np.int64)
        given = self._given(self._settings.auction_size, self._settings.hot_sellers)
        kernels.auctions(self._settings.seed, numbers, given, self._text, made)
        drawn = dict(zip(kernels.AUCTION, made, strict=True))
        return drawn | {"expires": self._expiries(numbers)}

    def _expiries(self, numbers: np.ndarray) -> np.ndarray:
        """An auction lasts at random as long as it takes, on average, till so many more began."""
        ahead = kernels.IN_FLIGHT * self._settings.round // self._settings.auctions
        start = self._schedule.times(numbers)
        horizon = self._schedule.times(numbers + ahead) - start
        share = np.empty(len(numbers))
        kernels.shares(self._settings.seed, kernels.LASTS, numbers, share)
        expiries: np.ndarray = start + 1 + (share * np.maximum(2 * horizon, 1)).astype(np.int64)
        return expiries

    def _bids(self, numbers: np.ndarray) -> Columns:
        made = np.empty((len(kernels.BID), len(numbers)), dtype=np.int64)
        given = self._settings
        more = self._given(given.bid_size, given.hot_auctions, given.hot_bidders)
        kernels.bids(given.seed, numbers, more, POOL, made)
        return dict(zip(kernels.BID, made, strict=True))
