"""Draws of events: numbers that depend on the seed and the event's number alone.

Each draw hashes a counter made of the event's number and the draw's, so that any event can be made
without those before it, and batches may be cut anywhere. A text is drawn as a place in a long text
and a length.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, types, uint8, uint64, void

from sameriver.common.kernel import helper, kernel

HOT = 100
"""Of so many auctions or people that came last, one is hot."""
LEAD = 10
"""Ids so far ahead of the last one may be spoken of before they come."""
IN_FLIGHT = 100
ACTIVE_PEOPLE = 1000
CATEGORIES = 5
CHANNELS = 10_000
HOT_CHANNELS = 4
STATES = 6
SHORTEST = 3
"""Letters of a word, at least."""
NUMBER = 8
"""Bytes of a number."""

_DRAWS = 32
"""Draws of an event, at most."""

PERSON = (
    "id", "name", "city", "state", "card 1", "card 2", "card 3", "card 4",
    "user at", "user length", "host at", "host length", "extra at", "extra length",
)  # fmt: skip
AUCTION = (
    "id", "first bid", "reserve", "seller", "category", "name at", "name length",
    "description at", "description length", "extra at", "extra length",
)  # fmt: skip
BID = ("auction", "bidder", "price", "channel", "extra at", "extra length")
LASTS = 20
"""The draw of how long an auction lasts."""

_NUMBERS = int64[::1]
_LENGTHS = types.Array(int64, 1, "C", readonly=True)
_BYTES = uint8[::1]
_OUT = int64[:, ::1]


@helper
def _share(seed: int, number: int, draw: int) -> float:
    """A draw from [0, 1): the finish of SplitMix64 over a counter."""
    counter = np.uint64(number) * np.uint64(_DRAWS) + np.uint64(draw) + np.uint64(1)
    bits = np.uint64(seed) + counter * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits = bits ^ (bits >> np.uint64(31))
    return float(np.float64(bits >> np.uint64(11)) * 2.0**-53)


@helper
def _below(seed: int, number: int, draw: int, bound: int) -> int:
    return int(np.int64(_share(seed, number, draw) * bound))


@helper
def _price(seed: int, number: int, draw: int) -> int:
    """From 1 to 1,000,000 dollars, in cents, all magnitudes alike."""
    return int(np.int64(np.rint(10.0 ** (_share(seed, number, draw) * 6.0) * 100.0)))


@helper
def _last_person(number: int, people: int, total: int) -> int:
    """The person that came last, this event included; people count from 0."""
    return int(number // total * people + min(number % total, people - 1))


@helper
def _last_auction(number: int, people: int, auctions: int, total: int) -> int:
    """The auction that came last; -1 if none did."""
    done = min(max(number % total - people + 1, 0), auctions)
    return int(number // total * auctions + done - 1)


@helper
def _any_person(seed: int, number: int, draw: int, last: int) -> int:
    active = min(last + 1, ACTIVE_PEOPLE)
    return int(last + 1 - active + _below(seed, number, draw, active + LEAD))


@helper
def _any_auction(seed: int, number: int, draw: int, last: int) -> int:
    first = max(last - IN_FLIGHT, 0)
    return int(first + _below(seed, number, draw, last - first + 1 + LEAD))


@helper
def _fill(seed: int, number: int, draw: int, missing: int) -> int:
    """The length of what makes up for ``missing`` bytes on average, a fifth more or less."""
    if missing <= 0:
        return 0
    delta = int(np.int64(missing * 0.2 + 0.5))
    return int(missing - delta + _below(seed, number, draw, 2 * delta))


@helper
def _word(seed: int, number: int, draw: int, most: int) -> int:
    """The length of a word of less than ``most`` letters."""
    return int(SHORTEST + _below(seed, number, draw, most - SHORTEST))


@kernel(void(uint64, int64, _NUMBERS, float64[::1]))
def shares(seed: int, draw: int, numbers: np.ndarray, out: np.ndarray) -> None:
    """One draw from [0, 1) for each event."""
    for i in range(numbers.shape[0]):
        out[i] = _share(seed, numbers[i], draw)


@kernel(void(uint64, int64, uint8[::1]))
def letters(seed: int, blanks: int, out: np.ndarray) -> None:
    """Letters; one of ``blanks`` characters is a space, none if it is 0."""
    for i in range(out.shape[0]):
        out[i] = 97 + _below(seed, i, 0, 26)
        if blanks > 0 and _below(seed, i, 1, blanks) == 0:
            out[i] = 32


@kernel(void(uint64, _NUMBERS, _NUMBERS, int64, _LENGTHS, _LENGTHS, _OUT))
def people(
    seed: int,
    numbers: np.ndarray,
    given: np.ndarray,
    pool: int,
    names: np.ndarray,
    cities: np.ndarray,
    out: np.ndarray,
) -> None:
    """What ``PERSON`` names.

    Args:
        seed: of all draws.
        numbers: of the events.
        given: people, auctions and events of a round; bytes of a person.
        pool: bytes of the text that others are cut from.
        names: their lengths.
        cities: theirs.
        out: a row for each column.
    """
    for i in range(numbers.shape[0]):
        number = numbers[i]
        out[0, i] = _last_person(number, given[0], given[2])
        out[1, i] = _below(seed, number, 0, names.shape[0])
        out[2, i] = _below(seed, number, 1, cities.shape[0])
        out[3, i] = _below(seed, number, 2, STATES)
        for part in range(4):
            out[4 + part, i] = _below(seed, number, 3 + part, 10_000)
        user = _word(seed, number, 7, 7)
        host = _word(seed, number, 8, 5)
        out[8, i] = _below(seed, number, 9, pool - user)
        out[9, i] = user
        out[10, i] = _below(seed, number, 10, pool - host)
        out[11, i] = host
        # Besides the texts an id, the @ and .com, 16 digits with 3 spaces, 2 letters of a state.
        used = NUMBER + names[out[1, i]] + user + host + 5 + 19 + cities[out[2, i]] + 2
        extra = _fill(seed, number, 11, given[3] - used)
        out[12, i] = _below(seed, number, 12, pool - extra)
        out[13, i] = extra


@helper
def _trim(text: np.ndarray, at: int, length: int) -> tuple[int, int]:
    """Leaves out the spaces at both ends."""
    while length > 0 and text[at] == 32:
        at += 1
        length -= 1
    while length > 0 and text[at + length - 1] == 32:
        length -= 1
    return at, length


@kernel(void(uint64, _NUMBERS, _NUMBERS, _BYTES, _OUT))
def auctions(
    seed: int, numbers: np.ndarray, given: np.ndarray, text: np.ndarray, out: np.ndarray
) -> None:
    """What ``AUCTION`` names.

    Args:
        seed: of all draws.
        numbers: of the events.
        given: people, auctions and events of a round; bytes of an auction; ratio of hot sellers.
        text: with spaces; names and descriptions are cut from it.
        out: a row for each column.
    """
    pool = text.shape[0]
    for i in range(numbers.shape[0]):
        number = numbers[i]
        seller = _last_person(number, given[0], given[2])
        if _below(seed, number, 0, given[4]) > 0:
            seller = seller // HOT * HOT
        else:
            seller = _any_person(seed, number, 1, seller)
        price = _price(seed, number, 2)
        out[0, i] = _last_auction(number, given[0], given[1], given[2])
        out[1, i] = price
        out[2, i] = price + _price(seed, number, 3)
        out[3, i] = seller
        out[4, i] = _below(seed, number, 4, CATEGORIES)
        used = 6 * NUMBER
        for part in range(2):
            length = _word(seed, number, 5 + part, 20 if part == 0 else 100)
            at = _below(seed, number, 7 + part, pool - length)
            at, length = _trim(text, at, length)
            out[5 + 2 * part, i] = at
            out[6 + 2 * part, i] = length
            used += length
        extra = _fill(seed, number, 9, given[3] - used)
        out[9, i] = _below(seed, number, 10, pool - extra)
        out[10, i] = extra


@kernel(void(uint64, _NUMBERS, _NUMBERS, int64, _OUT))
def bids(seed: int, numbers: np.ndarray, given: np.ndarray, pool: int, out: np.ndarray) -> None:
    """What ``BID`` names. Hot bidders come second in their hundred: they are not the hot sellers.

    Args:
        seed: of all draws.
        numbers: of the events.
        given: people, auctions and events of a round; bytes of a bid; ratios of hot auctions and
            of hot bidders.
        pool: bytes of the text that others are cut from.
        out: a row for each column.
    """
    missing = given[3] - 4 * NUMBER
    for i in range(numbers.shape[0]):
        number = numbers[i]
        auction = _last_auction(number, given[0], given[1], given[2])
        if _below(seed, number, 0, given[4]) > 0:
            auction = auction // HOT * HOT
        else:
            auction = _any_auction(seed, number, 1, auction)
        bidder = _last_person(number, given[0], given[2])
        if _below(seed, number, 2, given[5]) > 0:
            bidder = bidder // HOT * HOT + 1
        else:
            bidder = _any_person(seed, number, 3, bidder)
        channel = _below(seed, number, 4, 2 * HOT_CHANNELS)
        if channel >= HOT_CHANNELS:
            channel = HOT_CHANNELS + _below(seed, number, 5, CHANNELS)
        extra = _fill(seed, number, 6, missing)
        out[0, i] = auction
        out[1, i] = bidder
        out[2, i] = _price(seed, number, 7)
        out[3, i] = channel
        out[4, i] = _below(seed, number, 8, pool - extra)
        out[5, i] = extra
