"""Draws of events: numbers that depend on the seed and the event's number alone.

Each draw hashes a counter made of the event's number and the draw's, so that any event can be made
without those before it, and batches may be cut anywhere.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, uint8, uint64, void

from sameriver.common.kernel import helper, kernel

(
    AUCTION_HOT,
    AUCTION,
    BIDDER_HOT,
    BIDDER,
    PRICE,
    CHANNEL_HOT,
    CHANNEL,
    SELLER_HOT,
    SELLER,
    CATEGORY,
    RESERVE,
    LENGTH,
    FIRST_NAME,
    LAST_NAME,
    CITY,
    STATE,
    LETTER,
    SPACE,
) = range(18)
FREE = 24
"""The first of the draws for texts."""
_DRAWS = 64

HOT = 100
"""Of so many auctions or people that came last, one is hot."""
LEAD = 10
"""Ids so far ahead of the last one may be spoken of before they come."""
IN_FLIGHT = 100
ACTIVE_PEOPLE = 1000
CATEGORIES = 5
CHANNELS = 10_000
HOT_CHANNELS = 4

_NUMBERS = int64[::1]


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


@kernel(void(uint64, int64, _NUMBERS, float64[::1]))
def shares(seed: int, draw: int, numbers: np.ndarray, out: np.ndarray) -> None:
    """One draw for each event."""
    for i in range(numbers.shape[0]):
        out[i] = _share(seed, numbers[i], draw)


@kernel(void(uint64, int64, int64, _NUMBERS, _NUMBERS, int64[:, ::1]))
def draw_bids(
    seed: int, people: int, auctions: int, numbers: np.ndarray, ratios: np.ndarray, out: np.ndarray
) -> None:
    """Auction, bidder, price and channel of bids; ``ratios``: events a round, hot auctions and
    bidders. Hot bidders come second in their hundred, so that they are not the hot sellers.
    """
    total = ratios[0]
    for i in range(numbers.shape[0]):
        number = numbers[i]
        auction = _last_auction(number, people, auctions, total)
        if _below(seed, number, AUCTION_HOT, ratios[1]) > 0:
            auction = auction // HOT * HOT
        else:
            auction = _any_auction(seed, number, AUCTION, auction)
        bidder = _last_person(number, people, total)
        if _below(seed, number, BIDDER_HOT, ratios[2]) > 0:
            bidder = bidder // HOT * HOT + 1
        else:
            bidder = _any_person(seed, number, BIDDER, bidder)
        channel = _below(seed, number, CHANNEL, HOT_CHANNELS)
        if _below(seed, number, CHANNEL_HOT, 2) == 0:
            channel = HOT_CHANNELS + _below(seed, number, CHANNEL, CHANNELS)
        out[0, i] = auction
        out[1, i] = bidder
        out[2, i] = _price(seed, number, PRICE)
        out[3, i] = channel


@kernel(void(uint64, int64, int64, _NUMBERS, _NUMBERS, int64[:, ::1]))
def draw_auctions(
    seed: int, people: int, auctions: int, numbers: np.ndarray, ratios: np.ndarray, out: np.ndarray
) -> None:
    """Id, first bid, reserve, seller and category of auctions; ``ratios``: events a round, hot
    sellers.
    """
    total = ratios[0]
    for i in range(numbers.shape[0]):
        number = numbers[i]
        seller = _last_person(number, people, total)
        if _below(seed, number, SELLER_HOT, ratios[1]) > 0:
            seller = seller // HOT * HOT
        else:
            seller = _any_person(seed, number, SELLER, seller)
        price = _price(seed, number, PRICE)
        out[0, i] = _last_auction(number, people, auctions, total)
        out[1, i] = price
        out[2, i] = price + _price(seed, number, RESERVE)
        out[3, i] = seller
        out[4, i] = _below(seed, number, CATEGORY, CATEGORIES)


@kernel(void(int64, int64, _NUMBERS, _NUMBERS))
def number_people(people: int, total: int, numbers: np.ndarray, out: np.ndarray) -> None:
    """Ids of people."""
    for i in range(numbers.shape[0]):
        out[i] = _last_person(numbers[i], people, total)


@kernel(void(uint64, int64, uint8[::1]))
def draw_letters(seed: int, blanks: int, out: np.ndarray) -> None:
    """Letters; one of ``blanks`` characters is a space, none if it is 0."""
    for i in range(out.shape[0]):
        out[i] = 97 + _below(seed, i, LETTER, 26)
        if blanks > 0 and _below(seed, i, SPACE, blanks) == 0:
            out[i] = 32
