"""Texts of events.

Random text is cut out of one long text: making letters for each row would cost more than all else.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from sameriver.common.dataclass import dataclass
from sameriver.connectors.nexmark.kernels import (
    CHANNELS,
    HOT_CHANNELS,
    SHORTEST,
    letters,
    shares,
)
from sameriver.connectors.nexmark.settings import MAX_SIZE
from sameriver.connectors.nexmark.views import view

_FIRST_NAMES = (
    "Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter",
)  # fmt: skip
_LAST_NAMES = (
    "Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris",
)  # fmt: skip
NAMES = [" ".join(names) for names in product(_FIRST_NAMES, _LAST_NAMES)]
CITIES = [
    "Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle",
    "Kent", "Cheyenne",
]  # fmt: skip
STATES = ["AZ", "CA", "ID", "OR", "WA", "WY"]

POOL = 2 * MAX_SIZE
"""Bytes of a text that others are cut from."""
_BLANKS = 13
"""In text with spaces one character of so many is one."""
_CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
_UNMARKED = 0.1
"""Of the channels that are not hot, so many have addresses that don't tell their id."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Bytes that texts of events are parts of, and views of those that are known.

    Attributes:
        shared: ``POOL`` letters, as many with spaces, and the known texts.
    """

    shared: np.ndarray
    names: np.ndarray
    cities: np.ndarray
    states: np.ndarray
    channels: np.ndarray
    urls: np.ndarray


@cache
def texts_of(seed: int) -> Texts:
    """The texts of a seed. They are kept: columns of events point into them."""
    plain, spaced = pool(seed, spaces=False), pool(seed, spaces=True)
    known = (NAMES, CITIES, STATES, _channels(), _urls(seed, plain.tobytes().decode()))
    joined = "".join(text for texts in known for text in texts).encode()
    shared = np.concatenate([plain, spaced, np.frombuffer(joined, np.uint8)])
    views, start = [], 2 * POOL
    for texts in known:
        lengths = np.array([len(text) for text in texts], np.int64)
        made = np.empty((1, len(texts), 2), np.int64)
        view(shared, start, lengths, made)
        views.append(made[0])
        start += int(lengths.sum())
    return Texts(shared, *views)


def pool(seed: int, *, spaces: bool) -> np.ndarray:
    """A long text of the seed, as bytes."""
    made = np.empty(POOL, dtype=np.uint8)
    letters(seed, _BLANKS if spaces else 0, made)
    return made


def _channels() -> list[str]:
    """Names of the channels, the hot ones first."""
    return [*_CHANNELS, *(f"channel-{number}" for number in range(CHANNELS))]


def _urls(seed: int, text: str) -> list[str]:
    """Addresses of the channels, in the same order: three folders each, and for most that are not
    hot the channel's id, which is its number with all bits turned round.
    """
    rows = HOT_CHANNELS + CHANNELS
    drawn = np.empty((4, rows))
    for draw in range(4):
        shares(seed, draw, np.arange(rows), drawn[draw])
    folders = zip(*(_folders(text, draw) for draw in drawn[:3]), strict=True)
    urls = [f"https://www.nexmark.com/{a}/{b}/{c}/item.htm?query=1" for a, b, c in folders]
    for number in np.flatnonzero(drawn[3, HOT_CHANNELS:] >= _UNMARKED).tolist():
        urls[HOT_CHANNELS + number] += f"&channel_id={_turned(number)}"
    return urls


def _folders(text: str, shares: np.ndarray) -> list[str]:
    """A word of 3 or 4 letters for each share."""
    starts = (shares * (len(text) - SHORTEST - 1)).astype(np.int64).tolist()
    return [text[at : at + SHORTEST + at % 2] for at in starts]


def _turned(number: int) -> int:
    """The number that the 32 bits in reverse are, without its sign."""
    turned = int(f"{number:032b}"[::-1], 2)
    return min(turned, 2**32 - turned)
