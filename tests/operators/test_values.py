from __future__ import annotations

from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import INT, PROCTIME, STRING, timestamp_ltz
from sameriver.operators.values import values_rows
from sameriver.plan.expressions import Call, Literal
from sameriver.plan.physical.values import Values


def rows_of(node: Values) -> pl.DataFrame:
    return values_rows(node, ZoneInfo("UTC"), ManualClock(1_000))


def test_rows_have_the_types_of_the_schema() -> None:
    schema = Schema.of([("a", INT), ("b", STRING)])
    cells = ((Literal(1, INT), Literal("x", STRING)), (Literal(None, INT), Literal("y", STRING)))
    rows = rows_of(Values(schema=schema, rows=cells))
    assert rows.schema == schema.to_polars()
    assert rows.rows() == [(1, "x"), (None, "y")]


def test_no_rows() -> None:
    schema = Schema.of([("a", INT)])
    assert rows_of(Values(schema=schema, rows=())).equals(schema.empty())


def test_the_clock_can_be_read() -> None:
    node = Values(
        schema=Schema.of([("p", timestamp_ltz(3))]), rows=((Call("PROCTIME", (), PROCTIME),),)
    )
    assert rows_of(node)["p"].to_physical().to_list() == [1000]
