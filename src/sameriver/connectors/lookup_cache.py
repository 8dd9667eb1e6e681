"""Caches of looked-up rows: ``'lookup.cache'`` = NONE, PARTIAL or FULL, by Flink's option keys."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.lookup import Lookup
from sameriver.common.time import Clock, parse_duration
from sameriver.connectors.connector import ConnectorOption, TableContext
from sameriver.connectors.options import bad_option, boolean, choice, integer
from sameriver.state.index import KeyIndex

_PARTIAL = "lookup.partial-cache."
_FULL = "lookup.full-cache."

LOOKUP_OPTIONS = (
    ConnectorOption("lookup.cache", "NONE, PARTIAL or FULL", "NONE"),
    ConnectorOption(f"{_PARTIAL}expire-after-write", "how long a row found is good for"),
    ConnectorOption(f"{_PARTIAL}expire-after-access", "how long a row is good for after each use"),
    ConnectorOption(f"{_PARTIAL}max-rows", "most rows that are kept"),
    ConnectorOption(f"{_PARTIAL}cache-missing-key", "whether keys without a row are kept", "true"),
    ConnectorOption(f"{_FULL}reload-strategy", "PERIODIC or TIMED", "PERIODIC"),
    ConnectorOption(f"{_FULL}periodic-reload.interval", "how often the table is read again"),
    ConnectorOption(f"{_FULL}periodic-reload.schedule-mode", "FIXED_DELAY or FIXED_RATE"),
    ConnectorOption(f"{_FULL}timed-reload.iso-time", "time of day of a reload, such as 03:00Z"),
    ConnectorOption(f"{_FULL}timed-reload.interval-in-days", "days between timed reloads", "1"),
    ConnectorOption("lookup.async", "accepted; a batch is looked up at once"),
    ConnectorOption("lookup.max-retries", "accepted"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupCache:
    """What the options say; times in ms, None: never.

    Attributes:
        kind: NONE, PARTIAL or FULL.
        after_write, after_access: when a cached key expires.
        max_rows: most rows that PARTIAL keeps.
        missing: whether PARTIAL keeps keys without a row.
        interval: of reloads of FULL.
        daily: time of day (UTC) of reloads of FULL, every ``days`` days.
    """

    kind: str = "NONE"
    after_write: int | None = None
    after_access: int | None = None
    max_rows: int | None = None
    missing: bool = True
    interval: int | None = None
    daily: int | None = None
    days: int = 1

    @classmethod
    def of(cls, options: Mapping[str, str]) -> LookupCache:
        """Reads and checks the options.

        Raises:
            UserError: BAD_OPTION, BAD_DURATION.
        """
        strategy = choice(options, f"{_FULL}reload-strategy", "PERIODIC", ("PERIODIC", "TIMED"))
        mode = f"{_FULL}periodic-reload.schedule-mode"
        choice(options, mode, "FIXED_DELAY", ("FIXED_DELAY", "FIXED_RATE"))
        interval = _duration(options, f"{_FULL}periodic-reload.interval")
        daily = _time_of_day(options, f"{_FULL}timed-reload.iso-time")
        return cls(
            kind=choice(options, "lookup.cache", "NONE", ("NONE", "PARTIAL", "FULL")),
            after_write=_duration(options, f"{_PARTIAL}expire-after-write"),
            after_access=_duration(options, f"{_PARTIAL}expire-after-access"),
            max_rows=integer(options, f"{_PARTIAL}max-rows", None, 1),
            missing=boolean(options, f"{_PARTIAL}cache-missing-key", default=True),
            interval=interval if strategy == "PERIODIC" else None,
            daily=daily if strategy == "TIMED" else None,
            days=integer(options, f"{_FULL}timed-reload.interval-in-days", 1, 1) or 1,
        )

    def next_load(self, now: int) -> int | None:
        """When a table loaded at ``now`` is to be read again."""
        if self.interval is not None:
            return now + self.interval
        if self.daily is None:
            return None
        day = 86_400_000
        coming = now // day * day + self.daily
        return (coming if coming > now else coming + day) + (self.days - 1) * day


def cached(lookup: Lookup, context: TableContext) -> Lookup:
    """The lookup behind the cache that the table's options ask for."""
    cache = LookupCache.of(context.options)
    match cache.kind:
        case "FULL":
            return FullCache(lookup, cache, context.clock)
        case "PARTIAL":
            return PartialCache(lookup, cache, context.clock)
    return lookup


class FullCache:
    """The whole table, read at the first use and again when it is due."""

    def __init__(self, lookup: Lookup, cache: LookupCache, clock: Clock) -> None:
        self._lookup, self._cache, self._clock = lookup, cache, clock
        self._rows: pl.DataFrame | None = None
        self._index: _ByKey | None = None
        self._due: int | None = None

    def find(self, keys: pl.DataFrame) -> pl.DataFrame:
        rows = self.load()
        if self._index is None or self._index.keys != keys.columns:
            self._index = _ByKey(rows, keys.columns)
        return self._index.find(keys)

    def load(self) -> pl.DataFrame:
        now = self._clock.now()
        if self._rows is None or (self._due is not None and now >= self._due):
            self._rows, self._index = self._lookup.load(), None
            self._due = self._cache.next_load(now)
        return self._rows


class _ByKey:
    """Rows that lie together by key."""

    def __init__(self, rows: pl.DataFrame, keys: list[str]) -> None:
        self.keys = keys
        self._slots = KeyIndex(rows.select(keys).schema)
        slots = self._slots.find_or_insert(rows.select(keys))
        self._rows = rows[pl.Series(np.argsort(slots, kind="stable"))]
        self._counts = np.bincount(slots, minlength=self._slots.capacity)
        self._starts = np.cumsum(self._counts) - self._counts

    def find(self, keys: pl.DataFrame) -> pl.DataFrame:
        slots = self._slots.find(keys.select(self.keys))
        slots = slots[slots >= 0]
        counts = self._counts[slots]
        ends = np.cumsum(counts)
        first = np.repeat(self._starts[slots] - (ends - counts), counts)
        return self._rows[pl.Series(first + np.arange(len(first)))]


_WRITTEN, _USED = "$written", "$used"


class PartialCache:
    """Keys that were asked for before, and their rows; the ones used last stay."""

    def __init__(self, lookup: Lookup, cache: LookupCache, clock: Clock) -> None:
        self._lookup, self._cache, self._clock = lookup, cache, clock
        self._keys: pl.DataFrame | None = None
        self._rows = pl.DataFrame()

    def load(self) -> pl.DataFrame:
        return self._lookup.load()

    def find(self, keys: pl.DataFrame) -> pl.DataFrame:
        now, names = self._clock.now(), keys.columns
        if self._keys is None:
            found = self._lookup.find(keys)
            self._keep(_stamped(keys, now), found, names)
            return found
        known = self._keys.filter(self._fresh(now))
        missed = keys.join(known, on=names, how="anti")
        hits = known.join(keys, on=names, how="semi").with_columns(pl.lit(now).alias(_USED))
        found = self._rows.join(hits, on=names, how="semi", maintain_order="left")
        others = known.join(keys, on=names, how="anti")
        rows = self._rows.join(known, on=names, how="semi", maintain_order="left")
        if missed.height:
            more = self._lookup.find(missed)
            found, rows = pl.concat([found, more]), pl.concat([rows, more])
            hits = pl.concat([hits, _stamped(missed, now)])
        self._keep(pl.concat([others, hits]), rows, names)
        return found

    def _fresh(self, now: int) -> pl.Expr:
        fresh = pl.lit(True)
        if self._cache.after_write is not None:
            fresh &= pl.col(_WRITTEN) + self._cache.after_write > now
        if self._cache.after_access is not None:
            fresh &= pl.col(_USED) + self._cache.after_access > now
        return fresh

    def _keep(self, keys: pl.DataFrame, rows: pl.DataFrame, names: list[str]) -> None:
        counts = rows.group_by(names).len("$rows")
        keys = keys.join(counts, on=names, how="left", maintain_order="left")
        if not self._cache.missing:
            keys = keys.filter(pl.col("$rows").is_not_null())
        if self._cache.max_rows is not None:
            # A key without a row takes the place of one.
            keys = keys.reverse().sort(_USED, descending=True, maintain_order=True)
            size = pl.col("$rows").fill_null(1).cum_sum()
            keys = keys.filter(size <= self._cache.max_rows).reverse()
        self._keys = keys.drop("$rows")
        self._rows = rows.join(self._keys, on=names, how="semi", maintain_order="left")


def _stamped(keys: pl.DataFrame, now: int) -> pl.DataFrame:
    return keys.with_columns(pl.lit(now).alias(_WRITTEN), pl.lit(now).alias(_USED))


def _duration(options: Mapping[str, str], key: str) -> int | None:
    value = options.get(key)
    return None if value is None else parse_duration(value) // timedelta(milliseconds=1)


def _time_of_day(options: Mapping[str, str], key: str) -> int | None:
    """Ms since midnight in UTC."""
    value = options.get(key)
    if value is None:
        return None
    try:
        clock = time.fromisoformat(value)
    except ValueError:
        raise bad_option(key, value, "a time of day, such as 03:00Z") from None
    day = datetime(2000, 1, 2, tzinfo=UTC)
    moment = datetime.combine(day.date(), clock, tzinfo=clock.tzinfo or UTC)
    return (moment - day) // timedelta(milliseconds=1) % 86_400_000
