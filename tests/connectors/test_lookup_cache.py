"""Caches of lookups: when the table is asked again."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import polars as pl
import pytest

from sameriver.common.errors import UserError
from sameriver.common.lookup import Lookup
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT
from sameriver.connectors.connector import TableContext
from sameriver.connectors.lookup_cache import LookupCache, cached

SCHEMA = Schema.of((("k", BIGINT), ("v", BIGINT)))
PARTIAL = {"lookup.cache": "PARTIAL"}


class Table:
    """A table that says which keys it was asked for; -1: all of it."""

    def __init__(self) -> None:
        self.rows = pl.DataFrame({"k": [1, 1, 2], "v": [10, 11, 20]})
        self.asked: list[list[int]] = []

    def find(self, keys: pl.DataFrame) -> pl.DataFrame:
        self.asked.append(sorted(keys["k"].to_list()))
        return self.rows.join(keys, on="k", how="semi", maintain_order="left")

    def load(self) -> pl.DataFrame:
        self.asked.append([-1])
        return self.rows


def open_cache(options: dict[str, str]) -> tuple[Table, Lookup, ManualClock]:
    table, clock = Table(), ManualClock()
    context = TableContext(
        name="t",
        schema=SCHEMA,
        declared=SCHEMA,
        options=options,
        metadata={},
        primary_key=(),
        partitioned_by=(),
        zone=ZoneInfo("UTC"),
        clock=clock,
    )
    return table, cached(table, context), clock


def find(lookup: Lookup, *keys: int) -> list[int]:
    """Values of the rows found."""
    return sorted(lookup.find(pl.DataFrame({"k": list(keys)}))["v"].to_list())


def test_without_cache_the_table_is_always_asked() -> None:
    table, lookup, _ = open_cache({})
    assert (find(lookup, 1), find(lookup, 1)) == ([10, 11], [10, 11])
    assert table.asked == [[1], [1]]


def test_partial_asks_for_unknown_keys_only() -> None:
    table, lookup, _ = open_cache(PARTIAL)
    assert find(lookup, 1, 9) == [10, 11]
    assert find(lookup, 1, 2, 9) == [10, 11, 20]
    assert table.asked == [[1, 9], [2]]


def test_partial_may_forget_keys_without_a_row() -> None:
    options = {**PARTIAL, "lookup.partial-cache.cache-missing-key": "false"}
    table, lookup, _ = open_cache(options)
    find(lookup, 1, 9)
    find(lookup, 1, 9)
    assert table.asked == [[1, 9], [9]]


def test_partial_expires_after_write() -> None:
    options = {**PARTIAL, "lookup.partial-cache.expire-after-write": "10 s"}
    table, lookup, clock = open_cache(options)
    for now in (0, 9_000, 10_000):
        clock.set(now)
        find(lookup, 1)
    assert table.asked == [[1], [1]]


def test_partial_expires_after_access() -> None:
    options = {**PARTIAL, "lookup.partial-cache.expire-after-access": "10 s"}
    table, lookup, clock = open_cache(options)
    for now in (0, 9_000, 18_000, 28_000):
        clock.set(now)
        find(lookup, 1)
    assert table.asked == [[1], [1]]


def test_partial_keeps_the_rows_used_last() -> None:
    options = {**PARTIAL, "lookup.partial-cache.max-rows": "2"}
    table, lookup, clock = open_cache(options)
    for now, key in enumerate((1, 2, 2, 1)):
        clock.set(now)
        find(lookup, key)
    assert table.asked == [[1], [2], [1]]


def test_full_reads_the_table_once() -> None:
    table, lookup, _ = open_cache({"lookup.cache": "FULL"})
    assert (find(lookup, 1), find(lookup, 2, 9)) == ([10, 11], [20])
    assert table.asked == [[-1]]


def test_full_reads_the_table_again_by_the_clock() -> None:
    options = {"lookup.cache": "FULL", "lookup.full-cache.periodic-reload.interval": "1 min"}
    table, lookup, clock = open_cache(options)
    find(lookup, 1)
    table.rows = table.rows.with_columns(pl.col("v") + 1)
    clock.set(59_999)
    assert find(lookup, 2) == [20]
    clock.set(60_000)
    assert find(lookup, 2) == [21]


def test_full_reads_the_table_again_at_a_time_of_day() -> None:
    cache = LookupCache.of(
        {
            "lookup.cache": "FULL",
            "lookup.full-cache.reload-strategy": "TIMED",
            "lookup.full-cache.timed-reload.iso-time": "03:00+01:00",
        }
    )
    hour = 3_600_000
    assert [cache.next_load(now * hour) for now in (1, 2)] == [2 * hour, 26 * hour]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("lookup.cache", "SOME"),
        ("lookup.partial-cache.max-rows", "0"),
        ("lookup.full-cache.reload-strategy", "NEVER"),
        ("lookup.full-cache.timed-reload.iso-time", "25:00"),
    ],
)
def test_refuses_bad_options(key: str, value: str) -> None:
    with pytest.raises(UserError, match=key):
        LookupCache.of({key: value})
