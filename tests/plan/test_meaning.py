"""Which expressions are the same to the state that holds their values."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from planned import call, number

from sameriver.common.state import Meaning
from sameriver.common.types import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    INT,
    INTERVAL_DAY_TIME,
    INTERVAL_YEAR_MONTH,
    STRING,
    char,
    timestamp,
    varchar,
)
from sameriver.plan.expressions import Call, Column, Expression, Literal, to_sql
from sameriver.plan.meaning import conjuncts, meaning

A, B, TS = Column("a", INT), Column("b", INT), Column("ts", timestamp(3))
BELOW = {name: Meaning(f"t.{name}") for name in ("a", "b", "ts")}
ONE, TWO = number(1), number(2)


def cast(expression: Expression, type: object) -> Call:
    return Call("CAST", (expression,), type)  # type: ignore[arg-type]


def interval(**parts: int) -> Literal:
    return Literal(timedelta(**parts), INTERVAL_DAY_TIME)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (call("+", A, B), call("+", B, A)),
        (call("=", A, B), call("=", B, A)),
        (call("<", A, B), call(">", B, A)),
        (call("<=", A, ONE), call(">=", ONE, A)),
        (call("NOT", call("=", A, B)), call("<>", B, A)),
        (call("NOT", call("<", A, B)), call("<=", B, A)),
        (call("NOT", call("NOT", call("<", A, B))), call("<", A, B)),
        (call("NOT", call("IS NULL", A)), call("IS NOT NULL", A)),
        (call("AND", call("AND", A, B), TS), call("AND", TS, call("AND", B, A))),
        (call("AND", A, A), A),
        (call("IN", A, ONE, TWO), call("IN", A, TWO, ONE)),
        (call("IN", A, ONE), call("=", A, ONE)),
        (call("-", TS, interval(minutes=1)), call("-", TS, interval(seconds=60))),
        (cast(A, INT), A),
        (cast(A, INT.not_null), A),
        (cast(number(1), BIGINT), number(1, BIGINT)),
        (cast(Literal("x", char(1)), STRING), Literal("x", STRING)),
        (Literal("x", char(1)), Literal("x", varchar(5))),
    ],
)
def test_ways_to_say_the_same(left: Expression, right: Expression) -> None:
    assert meaning(left, BELOW) == meaning(right, BELOW)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (call("-", A, B), call("-", B, A)),
        (call("<", A, B), call("<", B, A)),
        (call("<", A, B), call("<=", A, B)),
        (call("/", A, number(10)), call("/", A, number(1, BIGINT))),
        (cast(A, BIGINT), A),
        (cast(A, STRING), cast(A, varchar(3))),
        (cast(number(300), INT), number(300, BIGINT)),
        (call("AND", A, B), call("OR", A, B)),
        (Literal("1", STRING), number(1)),
        (Literal(None, STRING), Literal("NULL", STRING)),
        (call("-", TS, interval(minutes=1)), call("-", TS, interval(minutes=2))),
    ],
)
def test_what_differs(left: Expression, right: Expression) -> None:
    assert meaning(left, BELOW) != meaning(right, BELOW)


def test_a_literal_that_a_cast_cuts_is_not_the_literal() -> None:
    cut = cast(Literal("long", char(4)), varchar(2))
    assert meaning(cut, BELOW) != meaning(Literal("long", STRING), BELOW)


def test_conjuncts_come_sorted_and_once() -> None:
    condition = call("AND", call("<", A, B), call("AND", call("=", A, ONE), call("<", A, B)))
    assert conjuncts(condition, BELOW) == ("<(t.a, t.b)", "=(1:INT, t.a)")


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (interval(seconds=5), "INTERVAL '5' SECOND"),
        (interval(minutes=90), "INTERVAL '90' MINUTE"),
        (interval(milliseconds=1500), "INTERVAL '1.5' SECOND"),
        (interval(days=-2), "INTERVAL '-2' DAY"),
        (Literal(14, INTERVAL_YEAR_MONTH), "INTERVAL '14' MONTH"),
        (Literal(datetime(2026, 1, 2, 3), timestamp(3)), "TIMESTAMP '2026-01-02 03:00:00'"),
        (Literal(date(2026, 1, 2), DATE), "DATE '2026-01-02'"),
        (Literal(b"\x0a", BYTES), "X'0A'"),
        (Literal("it's", STRING), "'it''s'"),
        (Literal(True, BOOLEAN), "TRUE"),
    ],
)
def test_literals_print_as_sql(literal: Literal, text: str) -> None:
    assert to_sql(literal) == text
