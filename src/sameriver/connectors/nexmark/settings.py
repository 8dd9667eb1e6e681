"""What the options of a table say."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.connectors.connector import ConnectorOption
from sameriver.connectors.options import (
    Options,
    bad_option,
    boolean,
    choice,
    integer,
    milliseconds,
    size,
)

OPTIONS = (
    ConnectorOption("events.num", "makes the table bounded; 0: it never ends", "0"),
    ConnectorOption("seed", "other numbers make other events", "0"),
    ConnectorOption("base-time", "time of the first event, in ms since 1970", "1436918400000"),
    ConnectorOption("first-event.rate", "events per second of event time", "10000"),
    ConnectorOption("next-event.rate", "the rate that it changes to and back", "10000"),
    ConnectorOption("rate.shape", "square or sine", "square"),
    ConnectorOption("rate.period", "time of a change of the rate and back", "600 s"),
    ConnectorOption("rate.limited", "events come when they are due", "false"),
    ConnectorOption("out-of-order.group-size", "events in groups whose order is mixed", "1"),
    ConnectorOption("person.proportion", "people among person + auction + bid", "1"),
    ConnectorOption("auction.proportion", "auctions among them", "3"),
    ConnectorOption("bid.proportion", "bids among them", "46"),
    ConnectorOption("person.avg-size", "bytes of a person", "200 b"),
    ConnectorOption("auction.avg-size", "bytes of an auction", "500 b"),
    ConnectorOption("bid.avg-size", "bytes of a bid", "100 b"),
    ConnectorOption("bid.hot-ratio.auctions", "1 bid of so many is not for a hot auction", "2"),
    ConnectorOption("bid.hot-ratio.bidders", "1 bid of so many is not by a hot bidder", "4"),
    ConnectorOption("auction.hot-ratio.sellers", "1 auction of so many has no hot seller", "4"),
)

_DEFAULTS = {option.key: option.default or "" for option in OPTIONS}

MAX_SIZE = 512 << 10
"""Bytes of an event on average, at most."""
MIXER = 953
"""Mixes the order within a group, unless it divides the size of the group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Options as values; sizes in bytes, times in ms."""

    events: int | None
    seed: int
    base_time: int
    rates: tuple[int, int]
    sine: bool
    period: int
    limited: bool
    group: int
    people: int
    auctions: int
    bids: int
    person_size: int
    auction_size: int
    bid_size: int
    hot_auctions: int
    hot_bidders: int
    hot_sellers: int

    @classmethod
    def of(cls, given: Options) -> Settings:
        """Reads the options of a table.

        Raises:
            UserError: BAD_OPTION, BAD_DURATION.
        """
        options = {**_DEFAULTS, **given}
        return cls(
            events=_number(options, "events.num", 0) or None,
            seed=_number(options, "seed", 0),
            base_time=_number(options, "base-time", 0),
            rates=(
                _number(options, "first-event.rate", 1),
                _number(options, "next-event.rate", 1),
            ),
            sine=choice(options, "rate.shape", "square", ("square", "sine")) == "sine",
            period=_period(options),
            limited=boolean(options, "rate.limited"),
            group=_group(options),
            people=_number(options, "person.proportion", 1),
            auctions=_number(options, "auction.proportion", 1),
            bids=_number(options, "bid.proportion", 0),
            person_size=_size(options, "person.avg-size"),
            auction_size=_size(options, "auction.avg-size"),
            bid_size=_size(options, "bid.avg-size"),
            hot_auctions=_number(options, "bid.hot-ratio.auctions", 1),
            hot_bidders=_number(options, "bid.hot-ratio.bidders", 1),
            hot_sellers=_number(options, "auction.hot-ratio.sellers", 1),
        )

    @property
    def round(self) -> int:
        """Events after which the kinds repeat: people first, then auctions, then bids."""
        return self.people + self.auctions + self.bids


_MOST = {"base-time": 2**52, "seed": 2**63 - 1, "events.num": 2**52}


def _number(options: Options, key: str, least: int) -> int:
    value = integer(options, key, None, least)
    assert value is not None
    most = _MOST.get(key, 10**9 if key.endswith(".rate") else 10**6)
    if value > most:
        raise bad_option(key, options[key], f"a whole number of at most {most}")
    return value


def _size(options: Options, key: str) -> int:
    value = size(options, key, "")
    if value > MAX_SIZE:
        raise bad_option(key, options[key], f"at most {MAX_SIZE >> 10} kb")
    return value


def _period(options: Options) -> int:
    period = milliseconds(options, "rate.period", "")
    if period < 1000:
        raise bad_option("rate.period", options["rate.period"], "at least 1 s")
    return period


def _group(options: Options) -> int:
    group = _number(options, "out-of-order.group-size", 1)
    if group % MIXER == 0:
        raise UserError(
            "BAD_OPTION",
            f"option 'out-of-order.group-size' is {group}, a multiple of {MIXER}, "
            "by which events can't be mixed",
            hint=f"Take {group + 1}.",
        )
    return group
