"""How the fields of an event are made of its draws."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import polars as pl

from sameriver.connectors.nexmark.draws import Draws
from sameriver.connectors.nexmark.kernels import CITY, FIRST_NAME, FREE, STATE
from sameriver.connectors.nexmark.settings import Settings
from sameriver.connectors.nexmark.texts import (
    CITIES,
    STATES,
    Letters,
    channels,
    credit_card,
    filling,
    one_of,
    person_names,
    urls,
)

FIRST_ID = 1000
FIRST_CATEGORY = 10

Stage = dict[str, pl.Expr]
"""Columns that are made at once, of draws and of columns made before."""


def share_column(draw: int) -> str:
    """The column of a draw."""
    return f"share {draw}"


def _share(draw: int) -> pl.Expr:
    return pl.col(share_column(draw))


def _free(shares: int) -> list[pl.Expr]:
    return [_share(FREE + i) for i in range(shares)]


def _time(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Datetime("ms"))


@lru_cache(maxsize=4)
def stages_of(settings: Settings) -> dict[str, list[Stage]]:
    """The stages of each kind of event. Kept, since the texts that they cut from take time."""
    letters = Letters(settings.seed)
    return {
        "person": _person(letters, settings.person_size),
        "auction": _auction(letters, settings.auction_size),
        "bid": _bid(letters, settings.bid_size, urls(letters, Draws(settings))),
    }


def narrowed(stages: Iterable[Stage], wanted: Iterable[str]) -> tuple[list[Stage], set[str]]:
    """What of the stages makes the wanted fields, and the columns that are needed before them."""
    needed, kept = set(wanted), list[Stage]()
    for stage in reversed(list(stages)):
        made = {name: expression for name, expression in stage.items() if name in needed}
        read = {name for expression in made.values() for name in expression.meta.root_names()}
        needed = needed - made.keys() | read
        kept.insert(0, made)
    return kept, needed


def _extra(letters: Letters, size: int, used: pl.Expr, *shares: pl.Expr) -> list[Stage]:
    """Text that brings an event of which ``used`` bytes are there to its size, on average."""
    return [
        {"missing": size - used.cast(pl.Int64)},
        {"length": filling(pl.col("missing"), shares[0])},
        {"extra": letters.exact(pl.col("length"), shares[1])},
    ]


def _bytes(number: int, *texts: str) -> pl.Expr:
    """Bytes of so many numbers and of texts."""
    return pl.sum_horizontal(pl.lit(8 * number), *(pl.col(text).str.len_bytes() for text in texts))


def _person(letters: Letters, size: int) -> list[Stage]:
    free = _free(10)
    email = letters.word(7, *free[:2]), letters.word(5, *free[2:4])
    texts = {
        "name": one_of(person_names(), _share(FIRST_NAME)),
        "emailAddress": pl.format("{}@{}.com", *email),
        "creditCard": credit_card(free[4:8]),
        "city": one_of(CITIES, _share(CITY)),
        "state": one_of(STATES, _share(STATE)),
    }
    own = {"id": pl.col("id") + FIRST_ID, "dateTime": _time("time")}
    return [texts | own, *_extra(letters, size, _bytes(1, *texts), *free[8:])]


def _auction(letters: Letters, size: int) -> list[Stage]:
    free = _free(6)
    texts = {
        "itemName": letters.sentence(20, *free[:2]),
        "description": letters.sentence(100, *free[2:4]),
    }
    own = {
        "id": pl.col("id") + FIRST_ID,
        "initialBid": pl.col("first_bid"),
        "reserve": pl.col("reserve"),
        "dateTime": _time("time"),
        "expires": _time("expires"),
        "seller": pl.col("seller") + FIRST_ID,
        "category": pl.col("category") + FIRST_CATEGORY,
    }
    return [texts | own, *_extra(letters, size, _bytes(6, *texts), *free[4:])]


def _bid(letters: Letters, size: int, urls: pl.Series) -> list[Stage]:
    own = {
        "auction": pl.col("auction") + FIRST_ID,
        "bidder": pl.col("bidder") + FIRST_ID,
        "price": pl.col("price"),
        "channel": pl.lit(channels()).gather(pl.col("channel")),
        "url": pl.lit(urls).gather(pl.col("channel")),
        "dateTime": _time("time"),
    }
    return [own, *_extra(letters, size, _bytes(4), *_free(2))]
