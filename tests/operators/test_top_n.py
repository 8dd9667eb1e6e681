"""Top-N against a plain model: ranks, change kinds, retraction, restarts."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from grouping import Source
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.changes import KINDS, SYMBOLS, Changes
from sameriver.common.config import Config
from sameriver.common.schema import Field, Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, STRING
from sameriver.operators.operator import OperatorContext
from sameriver.operators.top_n import TopNOperator
from sameriver.plan.expressions import Column, SortKey
from sameriver.plan.physical.top_n import TopN

SCHEMA = Schema.of([("k", STRING), ("v", BIGINT), ("id", BIGINT)])
RANKED = Schema((*SCHEMA.fields, Field("rank", BIGINT.not_null)))
Row = tuple[str | None, int | None, int]
Event = tuple[int, Row]

ROWS = st.tuples(
    st.sampled_from(["p", "q", None]), st.sampled_from([1, 2, 3, None]), st.integers(0, 2)
)
EVENTS = st.lists(st.tuples(st.sampled_from([1, 1, -1]), ROWS), max_size=40)
FUNCTIONS = st.sampled_from(["ROW_NUMBER", "RANK", "DENSE_RANK"])


class Running:
    """An operator, and the rows it has given and not taken back."""

    def __init__(
        self,
        function: str = "ROW_NUMBER",
        *,
        start: int = 1,
        end: int = 2,
        ranked: bool = True,
        retract: bool = False,
        folded: bool = True,
        descending: bool = True,
        ttl: timedelta | None = None,
    ) -> None:
        self.node = TopN(
            schema=RANKED if ranked else SCHEMA,
            input=Source(schema=SCHEMA),
            function=function,
            partition=("k",),
            order=(SortKey(Column("v", BIGINT), descending, not descending),),
            start=start,
            end=end,
            rank="rank" if ranked else None,
            retract=retract,
            folded=folded,
            ttl=ttl,
        )
        self.clock = ManualClock(0)
        self.table: Counter[tuple[object, ...]] = Counter()
        self.changes: list[tuple[str, tuple[object, ...]]] = []
        self.start()

    def start(self) -> None:
        self.context = OperatorContext(clock=self.clock, config=Config(), zone=ZoneInfo("UTC"))
        self.operator = TopNOperator(self.node, self.context)

    def restart(self) -> None:
        saved = self.context.store.snapshot()
        self.start()
        self.context.store.restore(saved)
        self.operator.restored()

    def feed(self, events: list[Event]) -> None:
        rows = pl.DataFrame([row for _, row in events], schema=SCHEMA.to_polars(), orient="row")
        signs = [sign for sign, _ in events]
        kinds = pl.Series([0 if sign > 0 else 3 for sign in signs], dtype=KINDS)
        for changes in self.operator.process(0, Changes(rows, kinds if min(signs) < 0 else None)):
            assert isinstance(changes, Changes)
            assert changes.rows.columns == list(self.node.schema.names)
            for kind, row in zip(changes.kinds_or_inserts(), changes.rows.rows(), strict=True):
                self.changes.append((SYMBOLS[kind], row))
                self.table[row] += 1 if SYMBOLS[kind] in ("+I", "+U") else -1
                assert self.table[row] >= 0, (kind, row)


def possible(events: list[Event]) -> list[Event]:
    """Without those that take back a row that is not there."""
    table: Counter[Row] = Counter()
    kept = []
    for sign, row in events:
        if table[row] + sign >= 0:
            table[row] += sign
            kept.append((sign, row))
    return kept


def model(events: list[Event], running: Running) -> Counter[tuple[object, ...]]:
    """What is in the range after all events."""
    node = running.node
    lists: dict[str | None, list[Row]] = {}
    for sign, row in events:
        rows = lists.setdefault(row[0], [])
        if sign > 0:
            rows.append(row)
        else:
            rows.remove(row)
    low = -1
    descending = node.order[0].descending
    table: Counter[tuple[object, ...]] = Counter()
    for rows in lists.values():
        values = [low if row[1] is None else row[1] for row in rows]
        order = sorted(range(len(rows)), key=lambda i: -values[i] if descending else values[i])
        for place, number in enumerate(order):
            before = [values[i] for i in order[:place]]
            rank = {
                "ROW_NUMBER": place + 1,
                "RANK": 1 + sum(value != values[number] for value in before),
                "DENSE_RANK": 1 + len(set(before) - {values[number]}),
            }[node.function]
            if node.start <= rank <= node.end:
                table[(*rows[number], rank) if node.rank else rows[number]] += 1
    return table


@settings(max_examples=60, deadline=None)
@given(EVENTS, FUNCTIONS, st.booleans(), st.booleans(), st.booleans(), st.integers(1, 2), st.data())
def test_the_rows_in_the_range_are_those_of_the_model(
    events: list[Event],
    function: str,
    ranked: bool,
    retract: bool,
    folded: bool,
    start: int,
    data: st.DataObject,
) -> None:
    events = possible(events) if retract else [(1, row) for _, row in events]
    running = Running(
        function,
        start=start,
        end=data.draw(st.integers(start, 3)),
        ranked=ranked,
        retract=retract,
        folded=folded,
        descending=data.draw(st.booleans()),
    )
    rest = events
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        running.feed(rest[:size])
        rest = rest[size:]
        if data.draw(st.booleans()):
            running.restart()
    assert +running.table == model(events, running)


def test_a_rank_gets_its_new_row_by_an_update() -> None:
    running = Running(folded=False)
    running.feed([(1, ("p", 1, 1)), (1, ("p", 1, 2)), (1, ("p", 2, 3))])
    assert running.changes == [
        ("+I", ("p", 1, 1, 1)),
        ("+I", ("p", 1, 2, 2)),
        ("-U", ("p", 1, 1, 1)),
        ("+U", ("p", 2, 3, 1)),
        ("-U", ("p", 1, 2, 2)),
        ("+U", ("p", 1, 1, 2)),
    ]


def test_without_the_rank_rows_leave_and_enter() -> None:
    running = Running(ranked=False, folded=False)
    running.feed([(1, ("p", 1, 1)), (1, ("p", 1, 2)), (1, ("p", 2, 3)), (1, ("p", 0, 4))])
    assert running.changes[2:] == [("-D", ("p", 1, 2)), ("+I", ("p", 2, 3))]


def test_the_first_row_alone_is_updated() -> None:
    running = Running(ranked=False, end=1, folded=False)
    running.feed([(1, ("p", 1, 1)), (1, ("p", 1, 2)), (1, ("p", 2, 3))])
    assert running.changes[1:] == [("-U", ("p", 1, 1)), ("+U", ("p", 2, 3))]


def test_what_was_beyond_the_range_moves_up_when_a_row_is_taken_back() -> None:
    running = Running(end=1, retract=True, folded=False)
    running.feed([(1, ("p", 2, 1)), (1, ("p", 1, 2)), (-1, ("p", 2, 1)), (-1, ("p", 1, 2))])
    assert running.changes == [
        ("+I", ("p", 2, 1, 1)),
        ("-U", ("p", 2, 1, 1)),
        ("+U", ("p", 1, 2, 1)),
        ("-D", ("p", 1, 2, 1)),
    ]


def test_only_rows_that_can_come_out_are_kept() -> None:
    running = Running(end=2)
    running.feed([(1, ("p", value, value)) for value in range(50)])
    running.feed([(1, ("p", value, value)) for value in range(50)])
    assert [frame.height for frame in running.context.store.snapshot().values()] == [2]


@pytest.mark.parametrize("folded", [True, False])
def test_an_expired_key_starts_again(folded: bool) -> None:
    running = Running(end=1, folded=folded, ttl=timedelta(seconds=2))
    running.feed([(1, ("p", 5, 1))])
    running.clock.advance(2000)
    running.restart()
    running.feed([(1, ("p", 1, 2))])
    assert running.changes == [("+I", ("p", 5, 1, 1)), ("+I", ("p", 1, 2, 1))]


@pytest.mark.parametrize("again", [True, False])
def test_rows_that_do_not_enter_keep_no_list_alive(again: bool) -> None:
    running = Running(end=1, ttl=timedelta(seconds=2))
    running.feed([(1, ("p", 5, 1))])
    running.clock.advance(1000)
    if again:
        running.restart()
    running.feed([(1, ("p", 2, 2))])
    running.clock.advance(1000)
    running.feed([(1, ("p", 1, 3))])
    assert running.changes == [("+I", ("p", 5, 1, 1)), ("+I", ("p", 1, 3, 1))]
