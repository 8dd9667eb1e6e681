"""Events of a kind as a column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.row_column import RowBlock, row_block, row_column
from sameriver.connectors.nexmark import kernels
from sameriver.connectors.nexmark.schedule import Schedule
from sameriver.connectors.nexmark.settings import Settings
from sameriver.connectors.nexmark.texts import POOL, texts_of
from sameriver.connectors.nexmark.views import CARD, EMAIL

_TIMES = ("dateTime", "expires")


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Events, of all kinds.

    Attributes:
        numbers: of each.
        times: of each, in ms since 1970.
    """

    numbers: np.ndarray
    times: np.ndarray


class Draws:
    """Makes events by their numbers."""

    def __init__(self, settings: Settings, schedule: Schedule) -> None:
        self._settings = settings
        self._schedule = schedule
        self._texts = texts_of(settings.seed)

    def people(self, batch: Batch, rows: np.ndarray, fields: tuple[str, ...]) -> pl.Series:
        """These fields of the people, which are in ``rows`` of the batch; NULL elsewhere."""
        texts = self._texts

        def fill(made: RowBlock) -> None:
            kernels.people(
                self._settings.seed, rows, batch.numbers, batch.times,
                self._given(self._settings.person_size, POOL), texts.shared,
                texts.names, texts.cities, texts.states,
                made.valid, made.numbers, made.texts, made.own,
            )  # fmt: skip

        own = (EMAIL + CARD) * len(rows)
        return self._column(batch, rows, fields, kernels.PEOPLE, fill, own)

    def auctions(self, batch: Batch, rows: np.ndarray, fields: tuple[str, ...]) -> pl.Series:
        """The same of auctions."""

        def fill(made: RowBlock) -> None:
            kernels.auctions(
                self._settings.seed, rows, batch.numbers, batch.times,
                self._expiries(batch.numbers[rows]),
                self._given(self._settings.auction_size, POOL, self._settings.hot_sellers),
                self._texts.shared, made.valid, made.numbers, made.texts,
            )  # fmt: skip

        return self._column(batch, rows, fields, kernels.AUCTIONS, fill)

    def bids(self, batch: Batch, rows: np.ndarray, fields: tuple[str, ...]) -> pl.Series:
        """The same of bids."""
        given, texts = self._settings, self._texts

        def fill(made: RowBlock) -> None:
            kernels.bids(
                given.seed, rows, batch.numbers, batch.times,
                self._given(given.bid_size, POOL, given.hot_auctions, given.hot_bidders),
                texts.shared, texts.channels, texts.urls, made.valid, made.numbers, made.texts,
            )  # fmt: skip

        return self._column(batch, rows, fields, kernels.BIDS, fill)

    def _column(
        self,
        batch: Batch,
        rows: np.ndarray,
        fields: tuple[str, ...],
        known: tuple[tuple[str, ...], tuple[str, ...]],
        fill: Callable[[RowBlock], None],
        own: int = 0,
    ) -> pl.Series:
        numbers, texts = known
        height = len(batch.numbers)
        made = row_block(height, numbers=len(numbers), texts=len(texts), own=own)
        fill(made)
        places = dict(zip(numbers, made.numbers, strict=True))
        for name in _TIMES:
            if name in places:
                places[name] = places[name].view("M8[ms]")
        places |= dict(zip(texts, made.texts, strict=True))
        wanted = {name: places[name] for name in fields}
        return row_column(made, wanted, self._texts.shared, nulls=height - len(rows))

    def _given(self, *more: int) -> np.ndarray:
        given = self._settings
        return np.array([given.people, given.auctions, given.round, *more], dtype=np.int64)

    def _expiries(self, numbers: np.ndarray) -> np.ndarray:
        """An auction lasts at random as long as it takes, on average, till so many more began."""
        ahead = kernels.IN_FLIGHT * self._settings.round // self._settings.auctions
        start = self._schedule.times(numbers)
        horizon = self._schedule.times(numbers + ahead) - start
        share = np.empty(len(numbers))
        kernels.shares(self._settings.seed, kernels.LASTS, numbers, share)
        expiries: np.ndarray = start + 1 + (share * np.maximum(2 * horizon, 1)).astype(np.int64)
        return expiries
