"""Texts of events.

Random text is cut out of one long text: making letters for each row would cost more than all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import polars as pl

from sameriver.common.text_column import text_column
from sameriver.connectors.formats.cells import Kind
from sameriver.connectors.nexmark.kernels import CHANNELS, HOT_CHANNELS, SHORTEST, letters, shares
from sameriver.connectors.nexmark.settings import MAX_SIZE

_FIRST_NAMES = (
    "Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter",
)  # fmt: skip
_LAST_NAMES = (
    "Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris",
)  # fmt: skip
NAMES = pl.Series([" ".join(names) for names in product(_FIRST_NAMES, _LAST_NAMES)])
CITIES = pl.Series(
    ["Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle",
     "Kent", "Cheyenne"]
)  # fmt: skip
STATES = pl.Series(["AZ", "CA", "ID", "OR", "WA", "WY"])

POOL = 2 * MAX_SIZE
"""Bytes of a text that others are cut from."""
_BLANKS = 13
"""In text with spaces one character of so many is one."""
_CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
_UNMARKED = 0.1
"""Of the channels that are not hot, so many have addresses that don't tell their id."""


def pool(seed: int, *, spaces: bool = False) -> np.ndarray:
    """A long text of the seed, as bytes."""
    made = np.empty(POOL, dtype=np.uint8)
    letters(seed, _BLANKS if spaces else 0, made)
    return made


def cut(text: np.ndarray, name: str) -> pl.Expr:
    """The part of a text that two columns say."""

    def run(places: Sequence[pl.Series]) -> pl.Series:
        start, length = (part.to_numpy(writable=True) for part in places)
        filled = np.full(len(start), Kind.TEXT, dtype=np.uint8)
        return text_column(text, start, start + length, filled, text=True)

    return pl.map_batches([f"{name} at", f"{name} length"], run, return_dtype=pl.String)


def one_of(known: pl.Series, name: str) -> pl.Expr:
    """The text that a column numbers."""
    return pl.lit(known).gather(pl.col(name))


def channels() -> pl.Series:
    """Names of the channels, the hot ones first."""
    return pl.Series([*_CHANNELS, *(f"channel-{number}" for number in range(CHANNELS))])


def urls(seed: int, text: np.ndarray) -> pl.Series:
    """Addresses of the channels, in the same order: three folders each, and for most that are not
    hot the channel's id, which is its number with all bits turned round.
    """
    rows = HOT_CHANNELS + CHANNELS
    drawn = np.empty((4, rows))
    for draw in range(4):
        shares(seed, draw, np.arange(rows), drawn[draw])
    folders = [_folder(text, draw) for draw in drawn[:3]]
    ids = pl.Series([None] * HOT_CHANNELS + [_turned(number) for number in range(CHANNELS)])
    marked = pl.when(pl.Series(drawn[3] >= _UNMARKED)).then("&channel_id=" + ids.cast(pl.String))
    page = pl.format("https://www.nexmark.com/{}/{}/{}/item.htm?query=1", *folders)
    return pl.select(page + marked.fill_null("")).to_series()


def _folder(text: np.ndarray, shares: np.ndarray) -> pl.Series:
    """A word of 3 or 4 letters for each share."""
    at = pl.Series("word at", (shares * (len(text) - SHORTEST - 1)).astype(np.int64))
    places = at.to_frame().with_columns((SHORTEST + at % 2).alias("word length"))
    return places.select(cut(text, "word")).to_series()


def _turned(number: int) -> int:
    """The number that the 32 bits in reverse are, without its sign."""
    turned = int(f"{number:032b}"[::-1], 2)
    return min(turned, 2**32 - turned)
