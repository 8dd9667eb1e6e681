"""The numbers that events are made of, as columns."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.connectors.nexmark.kernels import (
    draw_auctions,
    draw_bids,
    number_people,
    shares,
)
from sameriver.connectors.nexmark.settings import Settings


class Draws:
    """Draws by the numbers of events."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._seed = settings.seed

    def shares(self, draw: int, numbers: np.ndarray) -> pl.Series:
        """Numbers of [0, 1)."""
        made = np.empty(len(numbers))
        shares(self._seed, draw, numbers, made)
        return pl.Series(made)

    def people(self, numbers: np.ndarray) -> dict[str, pl.Series]:
        made = np.empty(len(numbers), dtype=np.int64)
        number_people(self._settings.people, self._settings.round, numbers, made)
        return {"id": pl.Series(made)}

    def auctions(self, numbers: np.ndarray) -> dict[str, pl.Series]:
        names = ("id", "first_bid", "reserve", "seller", "category")
        made = np.empty((len(names), len(numbers)), dtype=np.int64)
        given = self._settings
        ratios = np.array([given.round, given.hot_sellers])
        draw_auctions(self._seed, given.people, given.auctions, numbers, ratios, made)
        return dict(zip(names, map(pl.Series, made), strict=True))

    def bids(self, numbers: np.ndarray) -> dict[str, pl.Series]:
        names = ("auction", "bidder", "price", "channel")
        made = np.empty((len(names), len(numbers)), dtype=np.int64)
        given = self._settings
        ratios = np.array([given.round, given.hot_auctions, given.hot_bidders])
        draw_bids(self._seed, given.people, given.auctions, numbers, ratios, made)
        return dict(zip(names, map(pl.Series, made), strict=True))
