"""Draws of events: numbers that depend on the seed and the event's number alone.

Each draw hashes a counter made of the event's number and the draw's, so that any event can be made
without those before it, and batches may be cut anywhere. A text is drawn as a place in a long text
and a length.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, types, uint8, uint64, void

from sameriver.common.kernel import helper, kernel
from sameriver.connectors.nexmark.views import (
    BYTES,
    CARD,
    EMAIL,
    KNOWN,
    SHARED,
    TEXTS,
    put,
    put_card,
    put_email,
    put_known,
    show,
    trim,
)

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

PEOPLE = (("id", "dateTime"), ("name", "emailAddress", "creditCard", "city", "state", "extra"))
AUCTIONS = (
    ("id", "initialBid", "reserve", "dateTime", "expires", "seller", "category"),
    ("itemName", "description", "extra"),
)
BIDS = (("auction", "bidder", "price", "dateTime"), ("channel", "url", "extra"))
"""Fields of each kind that are numbers, and texts, in the order in which kernels make them."""
FIRST_ID = 1000
FIRST_CATEGORY = 10
LASTS = 20
"""The draw of how long an auction lasts."""

_NUMBERS = int64[::1]
_KINDS = types.int32[::1]
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


@helper
def _card(seed: int, number: int) -> tuple[int, int, int, int]:
    """The four parts of the number of a credit card."""
    return (
        _below(seed, number, 3, 10_000),
        _below(seed, number, 4, 10_000),
        _below(seed, number, 5, 10_000),
        _below(seed, number, 6, 10_000),
    )


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


@kernel(void(_NUMBERS, _NUMBERS, _KINDS, _OUT, _NUMBERS))
def deal(
    numbers: np.ndarray, given: np.ndarray, kinds: np.ndarray, rows: np.ndarray, counts: np.ndarray
) -> None:
    """The kind of each event, the rows of each kind, and how many these are.

    Args:
        numbers: of the events.
        given: people, auctions and events of a round.
        kinds: by event, as ``event_type`` has them.
        rows: a row for each kind.
        counts: of each kind.
    """
    counts[:] = 0
    for i in range(numbers.shape[0]):
        place = int64(np.uint64(numbers[i]) % np.uint64(given[2]))
        kind = int64(place >= given[0]) + int64(place >= given[0] + given[1])
        kinds[i] = kind
        rows[kind, counts[kind]] = i
        counts[kind] += 1


@kernel(
    void(
        uint64, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, SHARED, KNOWN, KNOWN, KNOWN,
        BYTES, _OUT, TEXTS, BYTES,
    )
)  # fmt: skip
def people(
    seed: int,
    rows: np.ndarray,
    numbers: np.ndarray,
    times: np.ndarray,
    given: np.ndarray,
    text: np.ndarray,
    names: np.ndarray,
    cities: np.ndarray,
    states: np.ndarray,
    valid: np.ndarray,
    out: np.ndarray,
    texts: np.ndarray,
    own: np.ndarray,
) -> None:
    """What ``PEOPLE`` names.

    Args:
        seed: of all draws.
        rows: those of people.
        numbers: of all events.
        times: theirs.
        given: people, auctions and events of a round; bytes of a person; bytes at the start of
            ``text`` that texts are cut from.
        text: buffer 0 of the views.
        names: views of those that are known.
        cities: theirs.
        states: theirs.
        valid: a bit for each row.
        out: numbers, by field.
        texts: views, by field.
        own: buffer 1 of the views.
    """
    pool = given[4]
    for i in range(rows.shape[0]):
        row = rows[i]
        number = numbers[row]
        show(valid, row)
        out[0, row] = FIRST_ID + _last_person(number, given[0], given[2])
        out[1, row] = times[row]
        name = _below(seed, number, 0, names.shape[0])
        city = _below(seed, number, 1, cities.shape[0])
        put_known(texts, 0, row, names, name)
        put_known(texts, 3, row, cities, city)
        put_known(texts, 4, row, states, _below(seed, number, 2, STATES))
        start = i * (EMAIL + CARD)
        user = _word(seed, number, 7, 7)
        host = _word(seed, number, 8, 5)
        users = _below(seed, number, 9, pool - user)
        hosts = _below(seed, number, 10, pool - host)
        email = put_email(text, (users, user), (hosts, host), own, start)
        put(texts, 1, row, own, start, email, 1)
        put_card(_card(seed, number), own, start + EMAIL)
        put(texts, 2, row, own, start + EMAIL, CARD, 1)
        # Besides the texts an id, the @ and .com, 16 digits with 3 spaces, 2 letters of a state.
        known = np.int32(names[name, 0]) + np.int32(cities[city, 0])
        used = NUMBER + known + email + CARD + 2
        extra = _fill(seed, number, 11, given[3] - used)
        put(texts, 5, row, text, _below(seed, number, 12, pool - extra), extra, 0)


@kernel(
    void(
        uint64, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, SHARED,
        BYTES, _OUT, TEXTS,
    )
)  # fmt: skip
def auctions(
    seed: int,
    rows: np.ndarray,
    numbers: np.ndarray,
    times: np.ndarray,
    expiries: np.ndarray,
    given: np.ndarray,
    text: np.ndarray,
    valid: np.ndarray,
    out: np.ndarray,
    texts: np.ndarray,
) -> None:
    """What ``AUCTIONS`` names.

    Args:
        seed: of all draws.
        rows: those of auctions.
        numbers: of all events.
        times: theirs.
        expiries: of the auctions.
        given: people, auctions and events of a round; bytes of an auction; bytes at the start of
            ``text`` that texts are cut from, and as many follow with spaces, that names and
            descriptions are cut from; ratio of hot sellers.
        text: buffer 0 of the views.
        valid: a bit for each row.
        out: numbers, by field.
        texts: views, by field.
    """
    pool = given[4]
    for i in range(rows.shape[0]):
        row = rows[i]
        number = numbers[row]
        show(valid, row)
        seller = _last_person(number, given[0], given[2])
        if _below(seed, number, 0, given[5]) > 0:
            seller = seller // HOT * HOT
        else:
            seller = _any_person(seed, number, 1, seller)
        price = _price(seed, number, 2)
        out[0, row] = FIRST_ID + _last_auction(number, given[0], given[1], given[2])
        out[1, row] = price
        out[2, row] = price + _price(seed, number, 3)
        out[3, row] = times[row]
        out[4, row] = expiries[i]
        out[5, row] = FIRST_ID + seller
        out[6, row] = FIRST_CATEGORY + _below(seed, number, 4, CATEGORIES)
        used = 6 * NUMBER
        for part in range(2):
            length = _word(seed, number, 5 + part, 20 if part == 0 else 100)
            at = pool + _below(seed, number, 7 + part, pool - length)
            at, length = trim(text, at, length)
            put(texts, part, row, text, at, length, 0)
            used += length
        extra = _fill(seed, number, 9, given[3] - used)
        put(texts, 2, row, text, _below(seed, number, 10, pool - extra), extra, 0)


@kernel(
    void(
        uint64, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, SHARED, KNOWN, KNOWN,
        BYTES, _OUT, TEXTS,
    )
)  # fmt: skip
def bids(
    seed: int,
    rows: np.ndarray,
    numbers: np.ndarray,
    times: np.ndarray,
    given: np.ndarray,
    text: np.ndarray,
    channels: np.ndarray,
    urls: np.ndarray,
    valid: np.ndarray,
    out: np.ndarray,
    texts: np.ndarray,
) -> None:
    """What ``BIDS`` names. Hot bidders come second in their hundred: they are not the hot sellers.

    Args:
        seed: of all draws.
        rows: those of bids.
        numbers: of all events.
        times: theirs.
        given: people, auctions and events of a round; bytes of a bid; bytes at the start of
            ``text`` that texts are cut from; ratios of hot auctions and of hot bidders.
        text: buffer 0 of the views.
        channels: views of those that are known.
        urls: theirs.
        valid: a bit for each row.
        out: numbers, by field.
        texts: views, by field.
    """
    pool = given[4]
    missing = given[3] - 4 * NUMBER
    for i in range(rows.shape[0]):
        row = rows[i]
        number = numbers[row]
        show(valid, row)
        # Both ways are drawn: a branch that can't be foretold costs more.
        last = _last_auction(number, given[0], given[1], given[2])
        hot, other = last // HOT * HOT, _any_auction(seed, number, 1, last)
        auction = hot if _below(seed, number, 0, given[5]) > 0 else other
        last = _last_person(number, given[0], given[2])
        hot, other = last // HOT * HOT + 1, _any_person(seed, number, 3, last)
        bidder = hot if _below(seed, number, 2, given[6]) > 0 else other
        channel = _below(seed, number, 4, 2 * HOT_CHANNELS)
        other = HOT_CHANNELS + _below(seed, number, 5, CHANNELS)
        channel = channel if channel < HOT_CHANNELS else other
        extra = _fill(seed, number, 6, missing)
        out[0, row] = FIRST_ID + auction
        out[1, row] = FIRST_ID + bidder
        out[2, row] = _price(seed, number, 7)
        out[3, row] = times[row]
        put_known(texts, 0, row, channels, channel)
        put_known(texts, 1, row, urls, channel)
        put(texts, 2, row, text, _below(seed, number, 8, pool - extra), extra, 0)
