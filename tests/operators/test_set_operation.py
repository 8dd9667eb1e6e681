"""INTERSECT and EXCEPT against plain counts, and against DuckDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from zoneinfo import ZoneInfo

import duckdb
import polars as pl
import pytest
from grouping import Source
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver import Session
from sameriver.common.changes import KINDS, SYMBOLS, Changes
from sameriver.common.config import Config
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, STRING
from sameriver.operators.operator import OperatorContext
from sameriver.operators.set_operation import SetOperationOperator
from sameriver.plan.physical.set_operation import SetOperation

SCHEMA = Schema.of([("a", BIGINT), ("b", STRING)])
OPERATIONS = ["INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"]
Row = tuple[int | None, str | None]
Event = tuple[int, int, Row]
"""Port, +1 or -1, and the row."""

ROWS = st.tuples(st.sampled_from([1, 2, None]), st.sampled_from(["p", "q", None]))
EVENTS = st.lists(st.tuples(st.integers(0, 1), st.sampled_from([1, 1, -1]), ROWS), max_size=40)


class Running:
    """An operator, and the rows it has given and not taken back."""

    def __init__(
        self, operation: str, *, folded: bool = True, ttl: timedelta | None = None
    ) -> None:
        side = Source(schema=SCHEMA)
        kind, _, all = operation.partition(" ")
        self.node = SetOperation(
            schema=SCHEMA, kind=kind, all=bool(all), left=side, right=side, folded=folded, ttl=ttl
        )
        self.clock = ManualClock(0)
        self.table: Counter[Row] = Counter()
        self.changes: list[tuple[str, Row]] = []
        self.start()

    def start(self) -> None:
        self.context = OperatorContext(clock=self.clock, config=Config(), zone=ZoneInfo("UTC"))
        self.operator = SetOperationOperator(self.node, self.context)

    def restart(self) -> None:
        saved = self.context.store.snapshot()
        self.start()
        self.context.store.restore(saved)

    def feed(self, port: int, signed: Iterable[tuple[int, Row]]) -> None:
        pairs = list(signed)
        rows = pl.DataFrame([row for _, row in pairs], SCHEMA.to_polars(), orient="row")
        kinds = pl.Series([0 if sign > 0 else 3 for sign, _ in pairs], dtype=KINDS)
        for out in self.operator.process(port, Changes(rows, kinds)):
            for kind, row in zip(out.kinds_or_inserts(), out.rows.rows(), strict=True):
                self.changes.append((SYMBOLS[kind], row))
                self.table[row] += 1 if kind in (0, 2) else -1
                assert self.table[row] >= 0


def expected(operation: str, events: Iterable[Event]) -> Counter[Row]:
    """What is there in the end; a row taken back from where it is not changes nothing."""
    sides: tuple[Counter[Row], Counter[Row]] = (Counter(), Counter())
    for port, sign, row in events:
        sides[port][row] = max(sides[port][row] + sign, 0)
    left, right = sides
    result: Counter[Row] = left & right if operation.startswith("INTERSECT") else left - right
    if operation == "EXCEPT":
        result = Counter({row: count for row, count in left.items() if not right[row]})
    return +result if operation.endswith("ALL") else Counter(dict.fromkeys(+result, 1))


@pytest.mark.parametrize("folded", [True, False])
@pytest.mark.parametrize("operation", OPERATIONS)
@settings(max_examples=20, deadline=None)
@given(events=EVENTS, size=st.integers(1, 7), stop=st.integers(0, 40))
def test_changes_add_up_to_the_model(
    operation: str, folded: bool, events: list[Event], size: int, stop: int
) -> None:
    running = Running(operation, folded=folded)
    done: list[Event] = []
    for start in range(0, len(events), size):
        if start <= stop < start + size:
            running.restart()
        for port in (0, 1):
            batch = [event for event in events[start : start + size] if event[0] == port]
            running.feed(port, [(sign, row) for _, sign, row in batch])
            done += batch
        assert +running.table == expected(operation, done)


@pytest.mark.parametrize("operation", OPERATIONS)
@settings(max_examples=10, deadline=None)
@given(left=st.lists(ROWS, max_size=20), right=st.lists(ROWS, max_size=20))
def test_finished_input_gives_what_duckdb_gives(
    operation: str, left: list[Row], right: list[Row]
) -> None:
    session = Session()
    connection = duckdb.connect()
    for name, rows in (("l", left), ("r", right)):
        frame = pl.DataFrame(rows, SCHEMA.to_polars(), orient="row")
        session.register(name, frame)
        connection.register(name, frame.to_arrow())
    query = f"SELECT a, b FROM l {operation} SELECT a, b FROM r"
    ours = Counter(session.sql(query).to_polars().rows())
    assert ours == Counter(connection.sql(query).fetchall())


def test_rows_on_no_side_are_freed() -> None:
    running = Running("EXCEPT")
    for number in range(50):
        running.feed(0, [(1, (number, "x"))])
        running.feed(0, [(-1, (number, "x"))])
    assert running.context.store.snapshot()["rows"].is_empty()


def test_expired_rows_are_freed() -> None:
    running = Running("INTERSECT", ttl=timedelta(seconds=1))
    for number in range(50):
        running.clock.set(number * 500)
        running.feed(number % 2, [(1, (number, "x"))])
    assert running.context.store.snapshot()["rows"].height <= 4


def test_an_expired_row_starts_again() -> None:
    running = Running("EXCEPT", ttl=timedelta(seconds=1))
    running.feed(1, [(1, (1, "x"))])
    running.clock.set(1000)
    running.feed(0, [(1, (1, "x"))])
    assert running.changes == [("+I", (1, "x"))]


def test_all_repeats_every_copy_record_by_record() -> None:
    running = Running("EXCEPT ALL", folded=False)
    running.feed(0, [(1, (1, "x")), (1, (1, "x"))])
    running.feed(1, [(1, (1, "x"))])
    kinds = [kind for kind, _ in running.changes]
    assert kinds == ["+I", "-U", "+U", "+U", "-U", "-U", "+U"]
