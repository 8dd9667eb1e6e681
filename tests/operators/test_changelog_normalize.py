"""Changelog normalisation against a plain model."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from grouping import Change, Row, Source, batch, table
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.changes import SYMBOLS, Changes
from sameriver.common.config import Config
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, STRING
from sameriver.operators.changelog_normalize import ChangelogNormalizeOperator
from sameriver.operators.operator import OperatorContext
from sameriver.plan.physical.changelog_normalize import ChangelogNormalize

SCHEMA = Schema.of([("id", BIGINT), ("name", STRING), ("n", BIGINT)])


class Normalizing:
    """An operator that can be fed, stopped and restored."""

    def __init__(self, *, folded: bool, ttl: timedelta | None = None) -> None:
        source = Source(schema=SCHEMA)
        self.plan = ChangelogNormalize(
            schema=SCHEMA, input=source, keys=("id",), folded=folded, ttl=ttl
        )
        self.clock = ManualClock(1)
        self._start()

    def _start(self) -> None:
        self.context = OperatorContext(clock=self.clock, config=Config(), zone=ZoneInfo("UTC"))
        self.operator = ChangelogNormalizeOperator(self.plan, self.context)

    def feed(self, changes: Iterable[Change]) -> list[Change]:
        out: list[Change] = []
        for event in self.operator.process(0, batch(SCHEMA, changes)):
            assert isinstance(event, Changes)
            kinds = [SYMBOLS[kind] for kind in event.kinds_or_inserts()]
            out.extend(zip(kinds, event.rows.rows(), strict=True))
        return out

    def restart(self) -> None:
        saved = self.context.store.snapshot()
        assert saved["rows"].columns == [c.name for c in self.plan.state()[0].columns]
        self._start()
        self.context.store.restore(saved)

    def stored(self) -> int:
        return sum(rows.height for rows in self.context.store.snapshot().values())


def normalised(changes: Iterable[Change], rows: dict[object, Row]) -> list[Change]:
    """Flink's rules, row by row; ``rows`` holds the row of each key."""
    out: list[Change] = []
    for kind, row in changes:
        old = rows.get(row[0])
        if kind == "-D":
            if old is not None:
                out.append(("-D", old))
                del rows[row[0]]
        elif kind != "-U" and old != row:
            out += [("+I", row)] if old is None else [("-U", old), ("+U", row)]
            rows[row[0]] = row
    return out


keys = st.one_of(st.none(), st.integers(0, 3))
added = st.tuples(
    st.sampled_from(["+I", "+U", "-U"]),
    st.tuples(keys, st.sampled_from(["a", "b", None]), st.integers(0, 1)),
)
deleted = st.tuples(st.just("-D"), st.tuples(keys, st.none(), st.none()))
batches = st.lists(st.lists(added | deleted, min_size=1, max_size=8), min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(batches)
def test_record_by_record_it_gives_what_flink_gives(given: list[list[Change]]) -> None:
    operator = Normalizing(folded=False)
    rows: dict[object, Row] = {}
    for changes in given:
        assert operator.feed(changes) == normalised(changes, rows)
        operator.restart()
        assert operator.stored() == len(rows)


@settings(max_examples=150, deadline=None)
@given(batches)
def test_folded_it_gives_the_same_table(given: list[list[Change]]) -> None:
    operator = Normalizing(folded=True)
    rows: dict[object, Row] = {}
    out: list[Change] = []
    for changes in given:
        normalised(changes, rows)
        found = operator.feed(changes)
        assert len({row[0] for _, row in found}) >= len(found) / 2
        out += found
        assert table(out, 1) == {(key,): row for key, row in rows.items()}


def test_with_a_ttl_an_equal_row_is_told_again() -> None:
    operator = Normalizing(folded=True, ttl=timedelta(seconds=10))
    row = (1, "a", 1)
    assert operator.feed([("+I", row)]) == [("+I", row)]
    assert operator.feed([("+U", row)]) == [("-U", row), ("+U", row)]


def test_a_row_that_is_not_written_expires_and_is_freed() -> None:
    operator = Normalizing(folded=True, ttl=timedelta(seconds=10))
    operator.feed([("+I", (1, "a", 1)), ("+I", (2, "b", 1))])
    operator.clock.set(8_000)
    operator.feed([("+U", (1, "a", 2))])
    operator.restart()
    operator.clock.set(11_000)
    assert operator.feed([("-D", (2, None, None))]) == []
    assert operator.feed([("+U", (2, "b", 2))]) == [("+I", (2, "b", 2))]
    assert operator.feed([("-D", (1, None, None))]) == [("-D", (1, "a", 2))]
    assert operator.stored() == 1


@pytest.mark.parametrize("ttl", [None, timedelta(seconds=1)])
def test_state_stops_growing(ttl: timedelta | None) -> None:
    operator = Normalizing(folded=True, ttl=ttl)
    for i in range(60):
        operator.clock.set(100 * i + 1)
        first = 100 * i if ttl else 0
        operator.feed([("+U", (first + key, "a", i)) for key in range(100)])
        assert operator.stored() <= 1500
