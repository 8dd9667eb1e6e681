"""Values as Flink's client prints them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from sameriver.common import types
from sameriver.common.schema import Schema
from sameriver.common.types import DataType
from sameriver.session.render import rows_as_json

AT = dt.datetime(2024, 3, 1, 10, 0, 0, 120_000)


@pytest.mark.parametrize(
    ("type", "value", "shown"),
    [
        (types.INT, -5, -5),
        (types.BOOLEAN, True, True),
        (types.DOUBLE, 0.1, 0.1),
        (types.FLOAT, 0.1, 0.1),
        (types.DOUBLE, float("nan"), "NaN"),
        (types.DOUBLE, float("-inf"), "-Infinity"),
        (types.STRING, "é", "é"),
        (types.decimal(10, 2), Decimal("20"), "20.00"),
        (types.BYTES, b"\x0a\xff", "x'0aff'"),
        (types.DATE, dt.date(2024, 3, 1), "2024-03-01"),
        (types.time(0), dt.time(9, 5), "09:05:00"),
        (types.timestamp(0), AT, "2024-03-01 10:00:00"),
        (types.timestamp(3), AT, "2024-03-01 10:00:00.120"),
        (types.timestamp(6), AT, "2024-03-01 10:00:00.120000"),
        (types.timestamp_ltz(3), AT.replace(tzinfo=dt.UTC), "2024-03-01 18:00:00.120"),
        (types.array(types.INT), [1, None], "[1, NULL]"),
        (types.row([("a", types.INT), ("b", types.STRING)]), {"a": 1, "b": "x"}, "(1, x)"),
        (types.map_of(types.STRING, types.INT), [{"key": "k", "value": 1}], "{k=1}"),
    ],
)
def test_value(type: DataType, value: object, shown: object) -> None:
    schema = Schema.of([("v", type)])
    frame = pl.DataFrame({"v": pl.Series([value, None], dtype=schema.to_polars()["v"])})
    assert rows_as_json(frame, schema, ZoneInfo("Asia/Shanghai")) == [[shown], [None]]


def test_no_rows() -> None:
    schema = Schema.of([("v", types.timestamp_ltz(3)), ("w", types.DOUBLE)])
    assert rows_as_json(schema.empty(), schema, ZoneInfo("UTC")) == []
