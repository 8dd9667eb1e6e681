"""Deduplication against a plain model, over batches, restarts and watermarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from grouping import Source
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.changes import MAX_WATERMARK, SYMBOLS, Changes, Event
from sameriver.common.config import Config
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, ROWTIME, STRING
from sameriver.operators.deduplicate import deduplicate
from sameriver.operators.operator import OperatorContext
from sameriver.plan.physical.deduplicate import Deduplicate

SCHEMA = Schema.of([("k", STRING), ("ts", ROWTIME), ("id", BIGINT)])
Row = tuple[str | None, int, int]
"""Key, seconds, number of arrival."""

STEPS = st.lists(
    st.tuples(st.sampled_from(["p", "q", None]), st.integers(1, 9), st.integers(-3, 3)),
    max_size=40,
)


def at(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


class Running:
    """An operator, and the rows it has given and not taken back."""

    def __init__(
        self,
        *,
        time: bool = True,
        last: bool,
        waits: bool = False,
        folded: bool = True,
        ttl: timedelta | None = None,
        keys: tuple[str, ...] = ("k",),
    ) -> None:
        self.node = Deduplicate(
            schema=SCHEMA,
            input=Source(schema=SCHEMA),
            keys=keys,
            time="ts" if time else None,
            last=last,
            waits=waits,
            folded=folded,
            ttl=ttl,
        )
        self.clock = ManualClock(0)
        self.table: Counter[Row] = Counter()
        self.changes: list[tuple[str, int]] = []
        self.watermark = -(2**63)
        self.start()

    def start(self) -> None:
        self.context = OperatorContext(clock=self.clock, config=Config(), zone=ZoneInfo("UTC"))
        self.operator = deduplicate(self.node, self.context)
        self.operator.watermark = self.watermark

    def restart(self) -> None:
        saved = self.context.store.snapshot()
        self.start()
        self.context.store.restore(saved)
        self.operator.restored()

    def feed(self, rows: list[Row]) -> None:
        given = [(key, at(seconds), number) for key, seconds, number in rows]
        frame = pl.DataFrame(given, schema=SCHEMA.to_polars(), orient="row")
        self._take(self.operator.process(0, Changes(frame)))

    def advance(self, watermark: int) -> None:
        self.watermark = self.operator.watermark = watermark
        self._take(self.operator.on_watermark())

    def _take(self, events: Iterable[Event]) -> None:
        for changes in events:
            assert isinstance(changes, Changes)
            for kind, (key, time, number) in zip(
                changes.kinds_or_inserts(), changes.rows.rows(), strict=True
            ):
                row = (key, round(time.replace(tzinfo=UTC).timestamp()), number)
                self.changes.append((SYMBOLS[kind], number))
                self.table[row] += 1 if SYMBOLS[kind] in ("+I", "+U") else -1
                assert self.table[row] in (0, 1)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.booleans(), st.booleans(), st.booleans(), st.data())
def test_one_row_a_key_is_left(
    steps: list[tuple[str | None, int, int]],
    time: bool,
    last: bool,
    folded: bool,
    data: st.DataObject,
) -> None:
    rows = [(key, seconds, number) for number, (key, seconds, _) in enumerate(steps)]
    running = Running(time=time, last=last, folded=folded)
    rest = rows
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        running.feed(rest[:size])
        rest = rest[size:]
        if data.draw(st.booleans()):
            running.restart()
    kept: dict[str | None, Row] = {}
    for row in rows:
        before = kept.get(row[0])
        wins = last if not time or before is None else _wins(row, before, last)
        if before is None or wins:
            kept[row[0]] = row
    assert set((+running.table).elements()) == set(kept.values())


def _wins(row: Row, before: Row, last: bool) -> bool:
    return row[1] >= before[1] if last else row[1] < before[1]


@settings(max_examples=60, deadline=None)
@given(STEPS, st.data())
def test_a_first_row_by_event_time_waits_and_is_final(
    steps: list[tuple[str | None, int, int]], data: st.DataObject
) -> None:
    """A step moves the watermark before its row where it can."""
    running = Running(last=False, waits=True)
    kept: dict[str | None, Row] = {}
    watermark = 0
    for number, (key, seconds, move) in enumerate(steps):
        if move > 0:
            watermark += move
            running.advance(watermark * 1000)
        if data.draw(st.booleans()):
            running.restart()
        row = (key, seconds, number)
        running.feed([row])
        if seconds <= watermark:
            continue
        if key not in kept or seconds < kept[key][1]:
            kept[key] = row
    running.advance(MAX_WATERMARK)
    assert {kind for kind, _ in running.changes} <= {"+I"}
    assert set((+running.table).elements()) == set(kept.values())


def test_late_rows_are_counted() -> None:
    running = Running(last=False, waits=True)
    running.advance(5000)
    running.feed([("p", 5, 1), ("q", 6, 2)])
    assert running.context.counters["late_rows"] == 1
    running.advance(6000)
    assert running.changes == [("+I", 2)]


def test_of_the_same_time_the_later_row_is_the_last() -> None:
    running = Running(last=True, folded=False)
    running.feed([("p", 5, 1), ("p", 5, 2), ("p", 4, 3)])
    assert running.changes == [("+I", 1), ("-U", 1), ("+U", 2)]


def test_a_batch_changes_a_key_once_if_folded() -> None:
    running = Running(time=False, last=True)
    running.feed([("p", 1, 1)])
    running.feed([("p", 1, 2), ("q", 1, 3), ("p", 1, 4)])
    assert running.changes[1:] == [("+I", 3), ("-U", 1), ("+U", 4)]


def test_the_first_by_arrival_keeps_keys_only() -> None:
    running = Running(time=False, last=False)
    running.feed([("p", 1, 1), (None, 1, 2)])
    (rows,) = running.context.store.snapshot().values()
    assert rows.columns == ["k", "seen"]
    assert rows["k"].to_list() == ["p", None]


def test_without_keys_there_is_one_row() -> None:
    running = Running(time=False, last=False, keys=())
    running.feed([("p", 1, 1), ("q", 1, 2)])
    running.restart()
    running.feed([("r", 1, 3)])
    assert running.changes == [("+I", 1)]


@pytest.mark.parametrize("last", [True, False])
def test_an_expired_key_starts_again(last: bool) -> None:
    running = Running(time=False, last=last, ttl=timedelta(seconds=2))
    running.feed([("p", 1, 1)])
    running.clock.advance(2000)
    running.restart()
    running.feed([("p", 1, 2)])
    assert running.changes == [("+I", 1), ("+I", 2)]


def test_an_equal_last_row_changes_nothing() -> None:
    running = Running(time=False, last=True, folded=False)
    running.feed([("p", 1, 1), ("p", 1, 1)])
    assert running.changes == [("+I", 1)]
