from __future__ import annotations

import json
from decimal import Decimal
from typing import cast

import polars as pl
import pytest
from connector_tables import context, drain, source
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common import types
from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.connectors.connector import Position
from sameriver.connectors.datagen.source import DatagenSource

FAST = {"connector": "datagen", "rows-per-second": "100000000"}


def made(schema: Schema, rows: int, **fields: str) -> pl.DataFrame:
    options = FAST | {"number-of-rows": str(rows)}
    options |= {
        f"fields.{key.replace('__', '.').replace('_', '-')}": v for key, v in fields.items()
    }
    return drain(source(context(schema, options, now=1_000_000)), rows=100_000).rows


def test_a_sequence_ends_the_table() -> None:
    schema = Schema.of([("a", types.BIGINT), ("b", types.STRING)])
    frame = made(schema, 1000, a__kind="sequence", a__start="5", a__end="9", b__length="3")
    assert frame["a"].to_list() == [5, 6, 7, 8, 9]
    assert set(frame["b"].str.len_chars()) == {3}


def test_bounds_and_nulls() -> None:
    schema = Schema.of([("a", types.INT), ("d", types.decimal(10, 2)), ("f", types.DOUBLE)])
    frame = made(schema, 20_000, a__min="-3", a__max="3", d__min="1.50", d__max="2.50",
                 f__min="0", f__max="1", f__null_rate="0.5")  # fmt: skip
    assert set(frame["a"]) == set(range(-3, 4))
    assert frame["d"].min() == Decimal("1.50")
    assert frame["d"].max() == Decimal("2.50")
    assert 0.45 < frame["f"].null_count() / frame.height < 0.55
    assert frame["f"].drop_nulls().is_between(0, 1).all()


def test_every_type_comes_as_declared() -> None:
    columns = [types.BOOLEAN, types.TINYINT, types.SMALLINT, types.INT, types.BIGINT, types.FLOAT,
               types.DOUBLE, types.decimal(38, 10), types.char(4), types.varchar(7), types.BYTES,
               types.DATE, types.time(0), types.timestamp(3), types.timestamp_ltz(9),
               types.INTERVAL_YEAR_MONTH, types.INTERVAL_DAY_TIME, types.array(types.INT),
               types.map_of(types.STRING, types.INT), types.multiset(types.STRING),
               types.row([("x", types.INT), ("y", types.array(types.STRING))])]  # fmt: skip
    schema = Schema.of((f"c{index}", type) for index, type in enumerate(columns))
    frame = made(schema, 50)
    assert frame.schema == schema.to_polars()
    assert frame.height == 50
    assert not sum(frame.null_count().row(0))


def test_timestamps_reach_into_the_past() -> None:
    frame = made(Schema.of([("t", types.timestamp(3))]), 500, t__max_past="10 s")
    times = frame["t"].dt.epoch("ms")
    assert times.is_between(990_000, 1_000_000).all()
    assert times.n_unique() > 100


@settings(max_examples=20, deadline=None)
@given(
    rows=st.integers(1, 300),
    steps=st.lists(st.integers(1, 70), min_size=1, max_size=4),
    rates=st.tuples(st.sampled_from([200, 10**8]), st.sampled_from([150, 10**8])),
)
def test_rows_before_and_after_any_position_are_all_rows(
    rows: int, steps: list[int], rates: tuple[int, int]
) -> None:
    schema = Schema.of([("a", types.BIGINT), ("r", types.INT), ("s", types.STRING)])
    options = {
        "connector": "datagen",
        "fields.a.kind": "sequence",
        "fields.a.start": "1",
        "fields.a.end": str(rows),
        "fields.s.length": "4",
    }

    def table(rate: int) -> DatagenSource:
        made = source(context(schema, options | {"rows-per-second": str(rate)}))
        assert isinstance(made, DatagenSource)
        made._rate = 10**8
        return made

    first, parts, positions = table(rates[0]), list[pl.DataFrame](), list[tuple[int, Position]]()
    for turn in range(1 << 10):
        batch = first.poll(steps[turn % len(steps)])
        parts += [] if batch.changes is None else [batch.changes.rows]
        positions.append((sum(part.height for part in parts), batch.position))
        if batch.finished:
            break
    everything = pl.concat(parts)
    assert everything["a"].to_list() == list(range(1, rows + 1))
    for before, position in positions:
        second = table(rates[1])
        second.seek(json.loads(json.dumps(position)))
        after = drain(second, rows=33).rows
        assert after.height == rows - before
        assert not after.height or after.equals(everything[before:])


def test_at_a_slow_pace_rows_have_the_time_they_are_made_at() -> None:
    options = {"connector": "datagen", "rows-per-second": "10"}
    table = context(Schema.of([("t", types.timestamp(3))]), options, now=1_000)
    made = source(table)
    assert isinstance(made, DatagenSource)
    made._rate = 10**8
    times = []
    for _ in range(3):
        batch = made.poll(1)
        assert batch.changes is not None
        times += batch.changes.rows["t"].dt.epoch("ms").to_list()
        cast("ManualClock", table.clock).advance(100)
    assert times == [1_000, 1_100, 1_200]


def test_the_pace_is_kept() -> None:
    options = {"connector": "datagen", "rows-per-second": "1000", "number-of-rows": "100000"}
    table = source(context(Schema.of([("a", types.INT)]), options))
    count = sum(len(batch.changes or []) for batch in (table.poll(10_000) for _ in range(5)))
    assert 1 <= count < 1000


def test_what_the_pace_holds_back_comes_with_time() -> None:
    schema = Schema.of([("a", types.INT)])
    slow = source(context(schema, {"connector": "datagen", "rows-per-second": "100"}, now=0))
    fast = source(context(schema, FAST, now=0))
    assert slow.poll(50).drained
    assert not fast.poll(50).drained


def test_without_a_number_it_never_ends() -> None:
    assert not source(context(Schema.of([("a", types.INT)]), FAST)).bounded


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"fields.b.min": "1"}, "UNKNOWN_OPTION"),
        ({"fields.a.minimum": "1"}, "UNKNOWN_OPTION"),
        ({"fields.a.kind": "sequence"}, "MISSING_OPTION"),
        ({"fields.a.min": "x"}, "BAD_OPTION"),
        ({"fields.a.min": "5", "fields.a.max": "4"}, "BAD_OPTION"),
        ({"fields.a.null-rate": "2"}, "BAD_OPTION"),
        ({"rows-per-second": "0"}, "BAD_OPTION"),
        ({"fields.a.kind": "sequenc"}, "BAD_OPTION"),
    ],
)
def test_wrong_options(options: dict[str, str], code: str) -> None:
    with pytest.raises(UserError) as caught:
        source(context(Schema.of([("a", types.INT)]), FAST | options))
    assert caught.value.code == code
    assert caught.value.hint
