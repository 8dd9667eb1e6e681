"""Decimal arithmetic against Python's decimals, over random types and values."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sameriver.common import types as t
from sameriver.common.errors import ExternalError
from sameriver.common.types import DataType, to_polars
from sameriver.operators.compile import compile_expression
from sameriver.plan.expressions import Column

from .calls import UTC, call, cast

WIDE = Context(prec=160, rounding=ROUND_HALF_UP)
EXACT = {"+": WIDE.add, "-": WIDE.subtract, "*": WIDE.multiply, "/": WIDE.divide}


@st.composite
def numbers(draw: st.DrawFn) -> tuple[DataType, list[Decimal]]:
    precision = draw(st.integers(1, 38))
    scale = draw(st.integers(0, precision))
    most = 10 ** draw(st.integers(1, precision)) - 1
    whole = draw(st.lists(st.integers(-most, most), min_size=4, max_size=4))
    return t.decimal(precision, scale), [Decimal(n).scaleb(-scale, WIDE) for n in whole]


def compute(symbol: str, left: DataType, a: list[Decimal], right: DataType, b: list[Decimal]):  # type: ignore[no-untyped-def]
    expression = call(symbol, Column("a", left), Column("b", right))
    frame = pl.DataFrame(
        {"a": pl.Series(a, dtype=to_polars(left)), "b": pl.Series(b, dtype=to_polars(right))}
    )
    result = frame.select(compile_expression(expression, UTC).alias("x"))["x"]
    assert result.dtype == to_polars(expression.type)
    return result.to_list(), expression.type


def rounded(value: Decimal, type: DataType, rounding: str = ROUND_HALF_UP) -> Decimal | None:
    unit = Decimal(1).scaleb(-(type.scale or 0))
    result = value.quantize(unit, rounding=rounding, context=WIDE)
    limit = Decimal(10) ** ((type.precision or 0) - (type.scale or 0))
    return result if result.copy_abs() < limit else None


TENTHS = t.decimal(10, 10), [Decimal(0), Decimal("0.1"), Decimal("-0.1"), Decimal("0.5")]
LONG = t.decimal(29, 0), [Decimal(10**28 + 1), Decimal(10**29 - 1), Decimal(-(10**28) - 1)] * 2
"""With more digits than Python's decimals keep by themselves."""


@settings(max_examples=60, deadline=None)
@given(numbers(), numbers(), st.sampled_from(["+", "-", "*", "/"]))
@example(TENTHS, (LONG[0], LONG[1][:4]), "+")
@example((LONG[0], LONG[1][:4]), TENTHS, "-")
def test_result_is_exact_rounded_half_up_or_null(
    left: tuple[DataType, list[Decimal]], right: tuple[DataType, list[Decimal]], symbol: str
) -> None:
    divisors = [b or Decimal(1).scaleb(-(right[0].scale or 0)) for b in right[1]]
    got, type = compute(symbol, left[0], left[1], right[0], divisors)
    want = [rounded(EXACT[symbol](a, b), type) for a, b in zip(left[1], divisors, strict=True)]
    assert got == want


@settings(max_examples=40, deadline=None)
@given(numbers(), numbers())
def test_remainder_has_the_sign_of_the_dividend(
    left: tuple[DataType, list[Decimal]], right: tuple[DataType, list[Decimal]]
) -> None:
    divisors = [b or Decimal(1).scaleb(-(right[0].scale or 0)) for b in right[1]]
    got, type = compute("%", left[0], left[1], right[0], divisors)
    want = [rounded(WIDE.remainder(a, b), type) for a, b in zip(left[1], divisors, strict=True)]
    assert got == want


@settings(max_examples=40, deadline=None)
@given(numbers(), st.integers(1, 38), st.data())
def test_cast_rounds_half_up_and_overflows_to_null(
    source: tuple[DataType, list[Decimal]], precision: int, data: st.DataObject
) -> None:
    target = t.decimal(precision, data.draw(st.integers(0, precision)))
    frame = pl.DataFrame({"a": pl.Series(source[1], dtype=to_polars(source[0]))})
    expression = compile_expression(cast(Column("a", source[0]), target), UTC)
    got = frame.select(expression.alias("x"))["x"]
    assert got.dtype == to_polars(target)
    assert got.to_list() == [rounded(value, target) for value in source[1]]


@settings(max_examples=40, deadline=None)
@given(numbers(), st.integers(-5, 12), st.sampled_from(["ROUND", "TRUNCATE"]))
def test_round_and_truncate(source: tuple[DataType, list[Decimal]], places: int, name: str) -> None:
    frame = pl.DataFrame({"a": pl.Series(source[1], dtype=to_polars(source[0]))})
    expression = call(name, Column("a", source[0]), places)
    got = frame.select(compile_expression(expression, UTC).alias("x"))["x"].to_list()
    rounding = ROUND_HALF_UP if name == "ROUND" else ROUND_DOWN
    unit = Decimal(1).scaleb(-min(places, source[0].scale or 0))
    cut = [value.quantize(unit, rounding=rounding, context=WIDE) for value in source[1]]
    assert got == [rounded(value, expression.type) for value in cut]


def test_division_by_zero_fails_the_job() -> None:
    with pytest.raises(ExternalError, match="divided by zero") as error:
        compute("/", t.decimal(5, 2), [Decimal(1)], t.decimal(5, 2), [Decimal(0)])
    assert error.value.code == "DIVISION_BY_ZERO"


def test_null_divided_by_zero_is_null() -> None:
    got, _ = compute("/", t.decimal(5, 2), [None], t.decimal(5, 2), [Decimal(0)])  # type: ignore[list-item]
    assert got == [None]
