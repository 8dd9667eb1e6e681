"""How the fields of an event are made of its draws."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import polars as pl

from sameriver.connectors.nexmark.texts import (
    CITIES,
    NAMES,
    STATES,
    channels,
    cut,
    one_of,
    pool,
    urls,
)

FIRST_ID = 1000
FIRST_CATEGORY = 10

Fields = dict[str, pl.Expr]


@lru_cache(maxsize=4)
def fields_of(seed: int) -> dict[str, Fields]:
    """The fields of each kind, over the columns that ``Draws`` makes. Kept: texts take time."""
    text = pool(seed)
    extra, time = cut(text, "extra"), _time("time")
    parts = {
        "person": _person(cut(text, "user"), cut(text, "host")),
        "auction": _auction(pool(seed, spaces=True)),
        "bid": _bid(urls(seed, text)),
    }
    return {kind: own | {"dateTime": time, "extra": extra} for kind, own in parts.items()}


def _time(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Datetime("ms"))


def _person(user: pl.Expr, host: pl.Expr) -> Fields:
    digits = pl.Series([f"{number:04}" for number in range(10_000)])
    card = [one_of(digits, f"card {part}") for part in range(1, 5)]
    return {
        "id": pl.col("id") + FIRST_ID,
        "name": one_of(NAMES, "name"),
        "emailAddress": pl.format("{}@{}.com", user, host),
        "creditCard": pl.concat_str(card, separator=" "),
        "city": one_of(CITIES, "city"),
        "state": one_of(STATES, "state"),
    }


def _auction(text: np.ndarray) -> Fields:
    return {
        "id": pl.col("id") + FIRST_ID,
        "itemName": cut(text, "name"),
        "description": cut(text, "description"),
        "initialBid": pl.col("first bid"),
        "reserve": pl.col("reserve"),
        "expires": _time("expires"),
        "seller": pl.col("seller") + FIRST_ID,
        "category": pl.col("category") + FIRST_CATEGORY,
    }


def _bid(urls: pl.Series) -> Fields:
    return {
        "auction": pl.col("auction") + FIRST_ID,
        "bidder": pl.col("bidder") + FIRST_ID,
        "price": pl.col("price"),
        "channel": one_of(channels(), "channel"),
        "url": one_of(urls, "channel"),
    }
