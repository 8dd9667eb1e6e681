"""Rows under the primary key of a sink, against a plain model."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from grouping import Change, Row, Source, batch
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.changes import SYMBOLS, Changes
from sameriver.common.config import Config
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, STRING
from sameriver.operators.operator import OperatorContext
from sameriver.operators.sink_materializer import SinkMaterializerOperator
from sameriver.plan.physical.sink_materializer import SinkMaterializer

SCHEMA = Schema.of([("k", STRING), ("id", BIGINT), ("n", BIGINT)])


class Materializing:
    """An operator that can be fed, stopped and restored."""

    def __init__(self, *, keyed: bool, folded: bool, ttl: timedelta | None = None) -> None:
        self.plan = SinkMaterializer(
            schema=SCHEMA,
            input=Source(schema=SCHEMA),
            keys=("k",),
            upsert_key=("id",) if keyed else (),
            folded=folded,
            ttl=ttl,
        )
        self.clock = ManualClock(1)
        self._start()

    def _start(self) -> None:
        self.context = OperatorContext(clock=self.clock, config=Config(), zone=ZoneInfo("UTC"))
        self.operator = SinkMaterializerOperator(self.plan, self.context)

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


Lists = dict[object, list[Row]]


def materialised(changes: Iterable[Change], lists: Lists, keyed: bool) -> list[Change]:
    """Row by row over lists in order of arrival."""
    out: list[Change] = []
    for kind, row in changes:
        rows = lists.setdefault(row[0], [])
        like = [r for r in rows if (r[1] == row[1] if keyed else r == row)]
        if kind in ("+I", "+U"):
            if keyed and like:
                rows.remove(like[0])
            kind = "+U" if rows or (keyed and like) else "+I"
            rows.append(row)
            out.append((kind, row))
        elif like:
            last = rows.index(like[0]) == len(rows) - 1
            rows.remove(like[0])
            if not rows:
                out.append(("-D", like[0]))
            elif last:
                out.append(("+U", rows[-1]))
    return out


def shown(changes: Iterable[Change]) -> dict[object, Row]:
    """The table that upserts add up to; checks that each fits the ones before."""
    rows: dict[object, Row] = {}
    for kind, row in changes:
        assert (row[0] in rows) == (kind != "+I")
        if kind == "-D":
            assert rows.pop(row[0]) == row
        else:
            rows[row[0]] = row
    return rows


change = st.tuples(
    st.sampled_from(["+I", "+U", "-U", "-D"]),
    st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 2), st.integers(0, 1)),
)
batches = st.lists(st.lists(change, min_size=1, max_size=8), min_size=1, max_size=6)


@pytest.mark.parametrize("keyed", [False, True])
@settings(max_examples=150, deadline=None)
@given(batches)
def test_record_by_record_it_gives_what_the_model_gives(
    keyed: bool, given: list[list[Change]]
) -> None:
    operator = Materializing(keyed=keyed, folded=False)
    lists: Lists = {}
    for changes in given:
        assert operator.feed(changes) == materialised(changes, lists, keyed)
        operator.restart()
        assert operator.stored() == sum(map(len, lists.values()))


@pytest.mark.parametrize("keyed", [False, True])
@settings(max_examples=150, deadline=None)
@given(batches)
def test_folded_it_gives_the_same_table(keyed: bool, given: list[list[Change]]) -> None:
    operator = Materializing(keyed=keyed, folded=True)
    lists: Lists = {}
    out: list[Change] = []
    for changes in given:
        materialised(changes, lists, keyed)
        found = operator.feed(changes)
        assert len({row[0] for _, row in found}) == len(found)
        out += found
        assert shown(out) == {key: rows[-1] for key, rows in lists.items() if rows}


def test_the_rows_of_a_key_expire_together() -> None:
    operator = Materializing(keyed=False, folded=True, ttl=timedelta(seconds=10))
    operator.feed([("+I", ("a", 1, 1))])
    operator.clock.set(8_000)
    operator.feed([("+I", ("a", 2, 1))])
    operator.clock.set(12_000)
    operator.restart()
    assert operator.feed([("-D", ("a", 2, 1))]) == [("+U", ("a", 1, 1))]
    operator.clock.set(30_000)
    assert operator.feed([("-D", ("a", 1, 1))]) == []
    assert operator.stored() == 0


def test_state_stops_growing() -> None:
    operator = Materializing(keyed=True, folded=False)
    for i in range(60):
        rows = [("k", key, i) for key in range(100)]
        operator.feed([("+I", row) for row in rows])
        operator.feed([("-D", row) for row in rows])
    assert operator.stored() == 0
    assert len(operator.operator._rows._nexts) < 4_000
