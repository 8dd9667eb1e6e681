"""Lookup joins whose input takes rows back, over a table that changes meanwhile."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from timed_bench import DIFFER, KEYS, UPDATING, joined, side

from sameriver.common.changes import KINDS, Changes
from sameriver.common.config import Config
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.operators.lookup_join import LookupJoinOperator
from sameriver.operators.operator import OperatorContext
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.lookup_join import LookupJoin

Cells = tuple[str | None, int]
ADD, GONE = 0, 3


@dataclass
class Table:
    """A lookup whose rows the test sets."""

    rows: list[Cells] = field(default_factory=list)

    def load(self) -> pl.DataFrame:
        data = [(key, value, 0) for key, value in self.rows]
        schema = {"rk": pl.String, "rv": pl.Int64, "rt": pl.Int64}
        frame = pl.DataFrame(data, schema=schema, orient="row")
        return frame.with_columns(pl.col("rt").cast(pl.Datetime("ms")))

    def find(self, keys: pl.DataFrame) -> pl.DataFrame:
        return self.load().join(keys, on=keys.columns, how="semi", maintain_order="left")


def node(kind: JoinKind) -> LookupJoin:
    left, right = side("l", kinds=UPDATING), side("r")
    return LookupJoin(
        schema=joined(left, right),
        input=left,
        table=right.table,
        options=(),
        columns=tuple((name, name) for name in right.schema.names),
        kind=kind,
        keys=KEYS,
        condition=DIFFER,
    )


def operator(of: LookupJoin, table: Table) -> LookupJoinOperator:
    context = OperatorContext(
        clock=ManualClock(),
        config=Config({}),
        zone=ZoneInfo("UTC"),
        open_lookup=lambda _: table,
    )
    return LookupJoinOperator(of, context)


def changes(rows: list[tuple[int, Cells]]) -> Changes:
    data = [(key, value, 0) for _, (key, value) in rows]
    schema = {"lk": pl.String, "lv": pl.Int64, "lt": pl.Int64}
    frame = pl.DataFrame(data, schema=schema, orient="row")
    kinds = pl.Series([kind for kind, _ in rows], dtype=KINDS)
    return Changes(frame.with_columns(pl.col("lt").cast(pl.Datetime("ms"))), kinds)


def found(kind: JoinKind, row: Cells, table: list[Cells]) -> list[tuple[object, ...]]:
    """What a row finds now."""
    hits = [other for other in table if other[0] == row[0] is not None and other[1] != row[1]]
    if not hits and kind is JoinKind.LEFT:
        return [(*row, None, None)]
    return [(*row, *hit) for hit in hits]


def _signs(event: Changes) -> list[int]:
    signs = event.signs()
    return [1] * len(event) if signs is None else signs.to_list()


@st.composite
def batches(draw: st.DrawFn) -> list[tuple[list[Cells], list[tuple[int, Cells]]]]:
    """Contents of the table, and then rows; what is taken back is there."""
    cells = st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 1))
    there: list[Cells] = []
    steps = []
    for _ in range(draw(st.integers(1, 5))):
        rows: list[tuple[int, Cells]] = []
        for _ in range(draw(st.integers(1, 8))):
            takes_back: bool = draw(st.booleans())
            if there and takes_back:
                row = draw(st.sampled_from(there))
                there.remove(row)
                rows.append((GONE, row))
            else:
                row = draw(cells)
                there.append(row)
                rows.append((ADD, row))
        steps.append((draw(st.lists(cells, max_size=4)), rows))
    return steps


@settings(max_examples=80, deadline=None)
@given(
    steps=batches(),
    kind=st.sampled_from([JoinKind.INNER, JoinKind.LEFT]),
    restart=st.integers(0, 5),
)
def test_takes_back_what_it_gave(
    steps: list[tuple[list[Cells], list[tuple[int, Cells]]]], kind: JoinKind, restart: int
) -> None:
    of, table = node(kind), Table()
    running = operator(of, table)
    real: Counter[tuple[object, ...]] = Counter()
    given_for: dict[Cells, list[list[tuple[object, ...]]]] = {}
    for number, (contents, rows) in enumerate(steps):
        if number == restart:
            saved = running.context.store.snapshot()
            (declared,) = of.state()
            types = Schema.of([(c.name, c.type) for c in declared.columns]).to_polars()
            assert saved["found"].schema == types
            running = operator(of, table)
            running.context.store.restore(saved)
            running.restored()
        table.rows = contents
        for event in running.process(0, changes(rows)):
            assert isinstance(event, Changes)
            for row, sign in zip(event.rows.rows(), _signs(event), strict=True):
                real[row[0], row[1], row[3], row[4]] += sign
                assert real[row[0], row[1], row[3], row[4]] >= 0
        for step, row in rows:
            if step == ADD:
                given_for.setdefault(row, []).append(found(kind, row, contents))
            else:
                lost = given_for[row]
                # An inner join forgets rows that found nothing: the last that did goes first.
                full = [i for i, hits in enumerate(lost) if hits]
                lost.pop(full[-1] if full else -1)
    expected = Counter(hit for entries in given_for.values() for hits in entries for hit in hits)
    assert +real == expected
