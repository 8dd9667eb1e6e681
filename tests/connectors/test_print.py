from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import polars as pl
import pytest
from connector_tables import context, sink

from sameriver.common import types
from sameriver.common.changes import KINDS, Changes
from sameriver.common.schema import Schema
from sameriver.common.types import DataType

PAIR = Schema.of([("a", types.INT), ("b", types.STRING)])


def test_one_line_a_change(capsys: pytest.CaptureFixture[str]) -> None:
    rows = pl.DataFrame({"x": [1, 1, 2, None], "y": ["a", "b", None, ""]})
    target = sink(context(PAIR, {"connector": "print"}))
    target.write(Changes(rows, pl.Series([0, 1, 2, 3], dtype=KINDS)))
    target.close()
    assert capsys.readouterr().out == "+I[1, a]\n-U[1, b]\n+U[2, null]\n-D[null, ]\n"


def test_options(capsys: pytest.CaptureFixture[str]) -> None:
    options = {"connector": "print", "print-identifier": "t", "standard-error": "true"}
    target = sink(context(PAIR, options))
    target.write(Changes(pl.DataFrame({"a": [1], "b": ["x"]})))
    target.close()
    assert capsys.readouterr().err == "t> +I[1, x]\n"


@pytest.mark.parametrize(
    ("type", "value", "text"),
    [
        (types.BOOLEAN, True, "true"),
        (types.DOUBLE, 1e10, "1.0E10"),
        (types.decimal(10, 2), Decimal("1.50"), "1.50"),
        (types.timestamp(3), datetime(2024, 1, 1), "2024-01-01T00:00"),
        (types.timestamp(3), datetime(2024, 1, 1, 0, 0, 1, 500000), "2024-01-01T00:00:01.500"),
        (types.timestamp_ltz(3), datetime(2024, 1, 1, tzinfo=UTC), "2024-01-01T00:00:00Z"),
        (types.BYTES, b"\x01\xff", "[1, -1]"),
        (types.array(types.INT), [1, None], "[1, null]"),
        (types.map_of(types.STRING, types.INT), [{"key": "k", "value": 1}], "{k=1}"),
        (types.row([("x", types.INT)]), {"x": 1}, "+I[1]"),
    ],
)
def test_values(
    type: DataType, value: object, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = Schema.of([("a", type)])
    target = sink(context(schema, {"connector": "print"}))
    target.write(Changes(pl.DataFrame({"a": [value]}, schema=schema.to_polars())))
    assert capsys.readouterr().out == f"+I[{text}]\n"
