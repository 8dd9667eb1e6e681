"""The events of the ``nexmark`` connector."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType

import numpy as np
import polars as pl
import pytest
from connector_tables import context, drain, source
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common import types
from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.connectors.nexmark.columns import COLUMNS
from sameriver.connectors.registry import check_options

START = 1436918400000


def events(
    rows: int,
    more: Mapping[str, str] = MappingProxyType({}),
    columns: Schema = COLUMNS,
    batch: int = 100_000,
) -> pl.DataFrame:
    options = {"connector": "nexmark", "events.num": str(rows), **more}
    return drain(source(context(columns, options)), rows=batch).rows


def mean(values: pl.Series) -> float:
    found = values.cast(pl.Float64).mean()
    assert isinstance(found, float)
    return found


def of(frame: pl.DataFrame, kind: str) -> pl.DataFrame:
    place = COLUMNS.names.index(kind) - 1
    return frame.filter(pl.col("event_type") == place).select(kind).unnest(kind)


def test_kinds_come_in_the_published_proportions() -> None:
    frame = events(5_000)
    assert frame.schema == COLUMNS.to_polars()
    assert frame["event_type"].head(50).to_list() == [0] + [1] * 3 + [2] * 46
    assert dict(frame["event_type"].value_counts().iter_rows()) == {0: 100, 1: 300, 2: 4600}
    for place, kind in enumerate(COLUMNS.names[1:]):
        here = frame["event_type"] == place
        assert (frame[kind].is_not_null() == here).all()
        assert not sum(of(frame, kind).null_count().row(0))


def test_other_proportions() -> None:
    frame = events(
        100, {"person.proportion": "2", "auction.proportion": "1", "bid.proportion": "1"}
    )
    assert frame["event_type"].head(8).to_list() == [0, 0, 1, 2] * 2
    assert of(frame, "person")["id"].to_list() == list(range(1000, 1050))
    assert of(frame, "auction")["id"].to_list() == list(range(1000, 1025))


def test_ids_count_up_and_references_stay_near() -> None:
    frame = events(50_000)
    people, auctions, bids = (of(frame, kind) for kind in COLUMNS.names[1:])
    assert people["id"].to_list() == list(range(1000, 2000))
    assert auctions["id"].to_list() == list(range(1000, 4000))
    round = np.flatnonzero(frame["event_type"] == 2) // 50
    last = 1000 + 3 * round + 2
    assert (bids["auction"] <= last + 10).all()
    assert (bids["auction"] >= last - 2 - 100).all()
    assert (bids["bidder"] <= 1000 + round + 10).all()
    assert auctions["seller"].is_between(1000, 2010).all()
    assert set(auctions["category"]) == {10, 11, 12, 13, 14}


@pytest.mark.parametrize(("ratio", "share"), [("2", 1 / 2), ("4", 3 / 4), ("1", 0.0)])
def test_hot_auctions(ratio: str, share: float) -> None:
    bids = of(events(100_000, {"bid.hot-ratio.auctions": ratio}), "bid")
    # One of a hundred is in the hot place by chance.
    assert abs(mean(bids["auction"] % 100 == 0) - share) < 0.02


def test_hot_bidders_and_sellers_are_not_the_same() -> None:
    frame = events(200_000)
    bidders, sellers = of(frame, "bid")["bidder"] % 100, of(frame, "auction")["seller"] % 100
    assert abs(mean(bidders == 1) - 3 / 4) < 0.02
    assert abs(mean(sellers == 0) - 3 / 4) < 0.02


def test_sizes_are_the_published_ones_on_average() -> None:
    frame = events(100_000)
    numbers = {"person": 1, "auction": 6, "bid": 4}
    for kind, size in (("person", 200), ("auction", 500), ("bid", 100)):
        rows = of(frame, kind).drop("dateTime", "expires", "channel", "url", strict=False)
        texts = rows.select(pl.col(pl.String).str.len_bytes()).sum_horizontal()
        assert mean(texts + 8 * numbers[kind]) == pytest.approx(size, rel=0.01)
    extra = of(frame, "bid")["extra"].str.len_bytes()
    assert (extra.min(), extra.max()) == (54, 81)


def test_sizes_may_be_other() -> None:
    frame = events(5_000, {"bid.avg-size": "1 kb", "auction.avg-size": "0", "person.avg-size": "0"})
    assert mean(of(frame, "bid")["extra"].str.len_bytes()) == pytest.approx(992, rel=0.02)
    assert set(of(frame, "auction")["extra"]) == {""}
    assert set(of(frame, "person")["extra"]) == {""}


def test_prices_are_of_all_magnitudes() -> None:
    prices = of(events(100_000), "bid")["price"]
    assert prices.is_between(100, 100_000_000).all()
    magnitudes = prices.log10().floor().value_counts()["count"]
    assert magnitudes.len() == 6
    assert (magnitudes / prices.len()).is_between(0.155, 0.178).all()
    auctions = of(events(10_000), "auction")
    assert (auctions["reserve"] > auctions["initialBid"]).all()


def test_half_of_the_bids_come_by_four_channels() -> None:
    bids = of(events(100_000), "bid")
    hot = bids["channel"].is_in(["Google", "Facebook", "Baidu", "Apple"])
    assert mean(hot) == pytest.approx(0.5, abs=0.01)
    assert bids.filter(~hot)["channel"].str.contains(r"^channel-\d{1,4}$").all()
    marked = bids["url"].str.contains(r"item\.htm\?query=1&channel_id=\d+$")
    assert not marked.filter(hot).any()
    assert mean(marked.filter(~hot)) == pytest.approx(0.9, abs=0.02)
    assert (
        bids["url"].str.contains(r"^https://www\.nexmark\.com/\w{3,4}/\w{3,4}/\w{3,4}/item").all()
    )
    assert bids.group_by("channel").agg(pl.col("url").n_unique())["url"].max() == 1
    first = bids.filter(channel="channel-1")["url"].unique().to_list()
    assert all(url.endswith((f"&channel_id={2**31}", "query=1")) for url in first)


def test_people() -> None:
    people = of(events(10_000), "person")
    assert people["name"].str.contains(r"^[A-Z][a-z]+ [A-Z][a-z]+$").all()
    assert people["emailAddress"].str.contains(r"^[a-z]{3,6}@[a-z]{3,4}\.com$").all()
    assert people["creditCard"].str.contains(r"^\d{4}( \d{4}){3}$").all()
    assert set(people["state"]) == {"AZ", "CA", "ID", "OR", "WA", "WY"}
    assert people["city"].n_unique() == 10


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**63 - 1),
    rows=st.integers(1, 400),
    batch=st.integers(1, 500),
    group=st.sampled_from([1, 2, 7, 100]),
)
def test_an_event_depends_on_the_seed_and_its_number_alone(
    seed: int, rows: int, batch: int, group: int
) -> None:
    more = {"seed": str(seed), "out-of-order.group-size": str(group)}
    whole = events(500, more)
    assert events(rows, more, batch=batch).equals(whole.head(rows))
    names = Schema.of([("event_type", types.INT), ("bid", types.row([("price", types.BIGINT)]))])
    prices = events(rows, more, names)["bid"].struct.field("price")
    assert prices.equals(whole["bid"].struct.field("price").head(rows))


def test_other_seeds_make_other_events() -> None:
    first, second = (of(events(5_000, {"seed": seed}), "bid") for seed in ("1", "2"))
    assert mean(first["price"] == second["price"]) < 0.01
    assert not first["extra"].equals(second["extra"])


@settings(max_examples=20, deadline=None)
@given(cuts=st.lists(st.integers(1, 90), min_size=1, max_size=5))
def test_a_restart_goes_on_where_it_was(cuts: list[int]) -> None:
    table = context(COLUMNS, {"connector": "nexmark", "events.num": "500"})
    parts = []
    reader = source(table)
    for cut in cuts:
        batch = reader.poll(cut)
        assert batch.changes is not None
        parts.append(batch.changes.rows)
        reader = source(table)
        reader.seek(batch.position)
    parts.append(drain(reader, rows=1_000).rows)
    assert pl.concat(parts).equals(events(500))


def times(frame: pl.DataFrame) -> list[int]:
    parts = [frame[kind].struct.field("dateTime") for kind in COLUMNS.names[1:]]
    return frame.select(pl.coalesce(parts).dt.epoch("ms")).to_series().to_list()


def test_events_follow_each_other_at_the_rate() -> None:
    found = times(events(1_000, {"first-event.rate": "4000", "next-event.rate": "4000"}))
    assert found == [START + number * 250 // 1000 for number in range(1_000)]
    assert times(events(1, {"base-time": "7"}))[0] == 7


def test_groups_come_out_of_order() -> None:
    slow = {"first-event.rate": "1000", "next-event.rate": "1000"}
    even = times(events(200, slow))
    mixed = times(events(200, slow | {"out-of-order.group-size": "10"}))
    assert mixed[:10] == [START + 953 * place % 10 for place in range(10)]
    assert [sorted(mixed[at : at + 10]) for at in range(0, 200, 10)] == [
        even[at : at + 10] for at in range(0, 200, 10)
    ]


@pytest.mark.parametrize("shape", ["square", "sine"])
def test_rates_change_and_come_back(shape: str) -> None:
    more = {"first-event.rate": "100", "next-event.rate": "300", "rate.period": "10 s"}
    found = np.array(times(events(8_000, more | {"rate.shape": shape}))) - START
    assert all(before <= after for before, after in pairwise(found))
    # 200 a second on average, whichever way the rate goes from one to the other.
    assert abs(int(found[2_000]) - 10_000) < 30
    assert np.all(np.abs(found[2_000:] - 10_000 - found[:-2_000]) < 30)
    first, middle = (np.count_nonzero((found >= at) & (found < at + 1000)) for at in (0, 5000))
    assert abs(first - 100) < 10
    assert abs(middle - 300) < 10


def test_auctions_last_as_long_as_a_hundred_others_take_to_begin() -> None:
    auctions = of(events(100_000), "auction")
    lasts = (auctions["expires"] - auctions["dateTime"]).dt.total_milliseconds()
    horizon = 100 * 50 // 3 * 1000 / 10_000
    assert lasts.is_between(1, 2 * horizon + 2).all()
    assert mean(lasts) == pytest.approx(horizon, rel=0.03)


def test_limited_events_come_when_they_are_due() -> None:
    table = context(
        COLUMNS, {"connector": "nexmark", "rate.limited": "true", "first-event.rate": "1",
                  "next-event.rate": "1"}
    )  # fmt: skip
    reader = source(table)
    first = reader.poll(1_000).changes
    assert first is not None
    assert len(first) == 1
    assert reader.poll(1_000).changes is None
    assert not reader.bounded


def test_a_table_may_leave_fields_out_but_not_invent_them() -> None:
    check_options("nexmark", {}, schema=Schema.of([("bid", types.row([("price", types.BIGINT)]))]))
    wrong = Schema.of([("bids", COLUMNS["bid"])])
    with pytest.raises(UserError, match="has no column 'bids'") as caught:
        check_options("nexmark", {}, schema=wrong)
    assert "'bid'" in caught.value.hint
    for type in (types.row([("prize", types.BIGINT)]), types.row([("price", types.INT)]),
                 types.BIGINT, COLUMNS["bid"].not_null):  # fmt: skip
        with pytest.raises(UserError, match="column 'bid' of connector 'nexmark'") as caught:
            check_options("nexmark", {}, schema=Schema.of([("bid", type)]))
        assert "`channel` STRING" in caught.value.hint


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("events.num", "-1", "at least 0"),
        ("first-event.rate", "0", "at least 1"),
        ("next-event.rate", "fast", "a whole number"),
        ("rate.shape", "saw", "square, sine"),
        ("rate.period", "1 ms", "at least 1 s"),
        ("rate.limited", "maybe", "true or false"),
        ("person.proportion", "0", "at least 1"),
        ("bid.proportion", "1000001", "at most 1000000"),
        ("bid.avg-size", "1 mb", "at most 512 kb"),
        ("bid.avg-size", "big", "128 mb"),
        ("bid.hot-ratio.auctions", "0", "at least 1"),
        ("seed", "9223372036854775808", "at most"),
        ("out-of-order.group-size", "1906", "Take 1907"),
    ],
)
def test_bad_options(key: str, value: str, hint: str) -> None:
    with pytest.raises(UserError, match=key) as caught:
        check_options("nexmark", {key: value})
    assert caught.value.code == "BAD_OPTION"
    assert hint in caught.value.hint


def test_unknown_options() -> None:
    with pytest.raises(UserError, match=r"no option 'event\.num'") as caught:
        check_options("nexmark", {"event.num": "1"})
    assert "'events.num'" in caught.value.hint
