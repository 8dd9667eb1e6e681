"""Texts of events, as expressions over draws.

Random text is cut out of one long text: making letters for each row would cost more than all else.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
import polars as pl

from sameriver.connectors.nexmark.draws import Draws
from sameriver.connectors.nexmark.kernels import CHANNELS, FREE, draw_letters
from sameriver.connectors.nexmark.settings import MAX_SIZE

_FIRST_NAMES = (
    "Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter",
)  # fmt: skip
_LAST_NAMES = (
    "Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris",
)  # fmt: skip
CITIES = pl.Series(
    ["Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle",
     "Kent", "Cheyenne"]
)  # fmt: skip
STATES = pl.Series(["AZ", "CA", "ID", "OR", "WA", "WY"])
_HOT_CHANNELS = ("Google", "Facebook", "Baidu", "Apple")

_PAGE = "item.htm?query=1"
_POOL = 2 * MAX_SIZE
_BLANKS = 13
_SHORTEST = 3


def one_of(names: pl.Series, share: pl.Expr) -> pl.Expr:
    """One of the names."""
    return pl.lit(names).gather((share * len(names)).cast(pl.UInt32))


def person_names() -> pl.Series:
    return pl.Series([" ".join(names) for names in product(_FIRST_NAMES, _LAST_NAMES)])


def credit_card(shares: Iterable[pl.Expr]) -> pl.Expr:
    """Four times four digits."""
    parts = [(share * 10_000).cast(pl.Int32).cast(pl.String).str.zfill(4) for share in shares]
    return pl.concat_str(parts, separator=" ")


class Letters:
    """Random text of a seed; places and lengths are shares of [0, 1) unless said otherwise."""

    def __init__(self, seed: int) -> None:
        self._exact = _pool(seed, 0)
        self._blank = _pool(seed, _BLANKS)

    def exact(self, length: pl.Expr, share: pl.Expr) -> pl.Expr:
        """So many letters as ``length`` says."""
        return _cut(self._exact, length, share)

    def word(self, most: int, length: pl.Expr, share: pl.Expr) -> pl.Expr:
        """Letters, 3 and more, less than ``most``."""
        return _cut(self._exact, _shorter(most, length), share)

    def sentence(self, most: int, length: pl.Expr, share: pl.Expr) -> pl.Expr:
        """The same with spaces in between; those at the ends go."""
        return _cut(self._blank, _shorter(most, length), share).str.strip_chars(" ")


def filling(missing: pl.Expr, length: pl.Expr) -> pl.Expr:
    """The length of what makes up for ``missing`` bytes on average, a fifth more or less."""
    delta = (missing * 0.2 + 0.5).cast(pl.Int64)
    return (missing - delta + (length * (2 * delta)).cast(pl.Int64)).clip(lower_bound=0)


def _shorter(most: int, length: pl.Expr) -> pl.Expr:
    return _SHORTEST + (length * (most - _SHORTEST)).cast(pl.Int64)


def _cut(pool: pl.Series, length: pl.Expr, share: pl.Expr) -> pl.Expr:
    at = (share * (_POOL - length)).cast(pl.Int64)
    return pl.lit(pool).bin.slice(at, length).cast(pl.String)


def _pool(seed: int, blanks: int) -> pl.Series:
    made = np.empty(_POOL, dtype=np.uint8)
    draw_letters(seed, blanks, made)
    return pl.Series([made.tobytes()])


def channels() -> pl.Series:
    """Names of the channels, the hot ones first."""
    return pl.Series([*_HOT_CHANNELS, *(f"channel-{number}" for number in range(CHANNELS))])


def urls(letters: Letters, draws: Draws) -> pl.Series:
    """Addresses of the channels, in the same order: three folders each, and for nine of ten that
    are not hot the channel's id, which is its number with all bits turned round.
    """
    rows = len(_HOT_CHANNELS) + CHANNELS
    shares = [pl.lit(draws.shares(FREE + i, np.arange(rows))) for i in range(7)]
    folders = [letters.word(5, *shares[i : i + 2]) for i in (0, 2, 4)]
    address = pl.concat_str(
        pl.lit("https://www.nexmark.com"), *folders, pl.lit(_PAGE), separator="/"
    )
    ids = pl.Series([None] * len(_HOT_CHANNELS) + _turned(CHANNELS))
    marked = pl.when(shares[6] >= 0.1).then("&channel_id=" + pl.lit(ids).cast(pl.String))
    return pl.select(address + marked.fill_null("")).to_series()


def _turned(numbers: int) -> list[int]:
    turned = [int(f"{number:032b}"[::-1], 2) for number in range(numbers)]
    return [min(bits, 2**32 - bits) for bits in turned]
