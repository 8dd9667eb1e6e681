"""Expressions as Polars: laziness, literals, clocks, constants beside columns."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from sameriver.common import types as t
from sameriver.common.errors import ExternalError
from sameriver.common.types import DataType, to_polars
from sameriver.operators.compile import NOW, compile_expression, literal, uses_clock
from sameriver.plan.expressions import Call, Column, Expression, Literal

UTC = ZoneInfo("UTC")
A, B, S = Column("a", t.INT), Column("b", t.INT), Column("s", t.STRING)
ROWS = pl.DataFrame(
    {"a": [6, 7, None], "b": [2, 0, 0], "s": ["1", "x", None]},
    schema={"a": pl.Int32, "b": pl.Int32, "s": pl.String},
)
QUOTIENT = Call("/", (A, B), t.INT)
NUMBER = Call("CAST", (S,), t.INT)


def integer(value: int) -> Literal:
    return Literal(value, t.INT.not_null)


def values(expression: Expression) -> list[object]:
    frame = ROWS.select(compile_expression(expression, UTC).alias("x"))
    return frame["x"].to_list()


def compare(symbol: str, left: Expression, right: int) -> Call:
    return Call(symbol, (left, integer(right)), t.BOOLEAN)


def test_a_failing_value_fails_the_job() -> None:
    with pytest.raises(ExternalError) as error:
        values(QUOTIENT)
    assert error.value.code == "DIVISION_BY_ZERO"
    assert error.value.message == "7 is divided by zero"


def test_a_failed_cast_names_the_value_and_the_type() -> None:
    with pytest.raises(ExternalError, match="can't cast 'x' to INT") as error:
        values(NUMBER)
    assert error.value.code == "CAST_FAILED"


@pytest.mark.parametrize("name", ["CASE", "IF"])
def test_an_untaken_branch_does_not_fail(name: str) -> None:
    guarded = Call(name, (compare("=", B, 0), integer(0), QUOTIENT), t.INT)
    assert values(guarded) == [3, 0, 0]


def test_a_taken_branch_fails() -> None:
    guarded = Call("CASE", (compare("=", B, 2), integer(0), QUOTIENT), t.INT)
    with pytest.raises(ExternalError):
        values(guarded)


def test_a_failing_call_deep_in_an_untaken_branch_does_not_fail() -> None:
    deep = Call("+", (Call("COALESCE", (QUOTIENT, integer(1)), t.INT), integer(1)), t.INT)
    guarded = Call("CASE", (compare("=", B, 0), integer(0), deep), t.INT)
    assert values(guarded) == [4, 0, 0]


def test_a_condition_after_a_true_one_is_not_asked() -> None:
    asked = compare(">", QUOTIENT, 1)
    guarded = Call("CASE", (compare("=", B, 0), integer(0), asked, integer(1), integer(2)), t.INT)
    assert values(guarded) == [1, 0, 0]


def test_and_stops_at_false() -> None:
    assert values(Call("AND", (compare("<>", B, 0), compare(">", QUOTIENT, 1)), t.BOOLEAN)) == [
        True,
        False,
        False,
    ]


def test_or_stops_at_true() -> None:
    assert values(Call("OR", (compare("=", B, 0), compare(">", QUOTIENT, 1)), t.BOOLEAN)) == [
        True,
        True,
        True,
    ]


def test_coalesce_stops_at_a_value() -> None:
    assert values(Call("COALESCE", (A, NUMBER), t.INT)) == [6, 7, None]


def test_try_cast_gives_null() -> None:
    assert values(Call("TRY_CAST", (S,), t.INT)) == [1, None, None]


def test_a_constant_that_fails_fails_only_where_it_is_asked_for() -> None:
    failing = Call("/", (integer(1), integer(0)), t.INT)
    guarded = Call("CASE", (compare(">", A, 0), A, failing), t.INT)
    with pytest.raises(ExternalError):
        values(guarded)
    known = Call("CASE", (Call("IS NULL", (A,), t.BOOLEAN), integer(0), A), t.INT)
    never = Call("CASE", (compare(">", known, -1), known, failing), t.INT)
    assert values(never) == [6, 7, 0]


def test_a_constant_is_as_long_as_the_column_beside_it() -> None:
    sum_ = Call("+", (integer(1), integer(2)), t.INT)
    frame = ROWS.select(pl.col("a"), compile_expression(sum_, UTC).alias("x"))
    assert frame["x"].to_list() == [3, 3, 3]


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (None, t.decimal(10, 2)),
        (True, t.BOOLEAN),
        (5, t.TINYINT),
        (1.5, t.FLOAT),
        (Decimal("1.50"), t.decimal(10, 2)),
        ("a", t.STRING),
        (b"a", t.BYTES),
        (dt.date(2020, 1, 2), t.DATE),
        (dt.time(1, 2, 3), t.time(0)),
        (dt.datetime(2020, 1, 2, 3, 4, 5, 678000), t.timestamp(3)),
        (dt.datetime(2020, 1, 2, 3, 4, 5, 678901), t.timestamp(6)),
        (dt.datetime(2020, 1, 2, tzinfo=dt.UTC), t.timestamp_ltz(3)),
        (dt.timedelta(days=-1, milliseconds=5), t.INTERVAL_DAY_TIME),
        (14, t.INTERVAL_YEAR_MONTH),
    ],
)
def test_a_literal_has_exactly_its_type(value: object, type: DataType) -> None:
    series = pl.select(literal(Literal(value, type))).to_series()
    assert series.dtype == to_polars(type)
    assert series.to_list() == [value]


def test_the_clock_is_read_from_its_column() -> None:
    now = Call("CURRENT_TIMESTAMP", (), t.timestamp_ltz(3).not_null)
    moment = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
    frame = pl.DataFrame({NOW: [moment]}, schema={NOW: pl.Datetime("ms", "UTC")})
    assert frame.select(compile_expression(now, UTC)).item() == moment
    assert uses_clock(now)
    assert uses_clock(Call("+", (Call("RAND_INTEGER", (A,), t.INT), A), t.INT))
    assert not uses_clock(QUOTIENT)


def test_random_numbers_differ_from_row_to_row() -> None:
    frame = pl.DataFrame({NOW: [dt.datetime(2026, 1, 2, tzinfo=dt.UTC)] * 100})
    rows = frame.select(compile_expression(Call("RAND", (), t.DOUBLE.not_null), UTC).alias("x"))
    assert rows["x"].n_unique() > 90


def test_no_rows_give_no_rows() -> None:
    empty = ROWS.clear()
    for expression in (QUOTIENT, NUMBER, Call("ROUND", (A, integer(1)), t.INT)):
        assert empty.select(compile_expression(expression, UTC)).height == 0
