"""Constant patterns, which run in Polars, against columns of patterns, which run in Python."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common import types as t
from sameriver.operators.compile import compile_expression
from sameriver.plan.expressions import Column, Expression

from .calls import UTC, call

PATTERNS = [
    "a",
    "a+b",
    "(a)(b)?",
    "é|b",
    "[ab]+?",
    "a*",
    "^a",
    "a$",
    r"\d+",
    r"(\w)\w",
    "(a|b)1",
    "",
]
TEXTS = st.lists(st.text("ab1é ", max_size=8), min_size=1, max_size=5)


def evaluate(expression: Expression, frame: pl.DataFrame) -> list[object]:
    return frame.select(compile_expression(expression, UTC).alias("x"))["x"].to_list()


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("REGEXP_COUNT", ()),
        ("REGEXP_INSTR", ()),
        ("REGEXP_SUBSTR", ()),
        ("REGEXP_EXTRACT", (1,)),
        ("REGEXP_EXTRACT_ALL", ()),
        ("REGEXP_EXTRACT_ALL", (0,)),
        ("REGEXP_EXTRACT_ALL", (2,)),
    ],
)
@settings(max_examples=6, deadline=None)
@given(TEXTS)
def test_constant_or_not(name: str, more: tuple[int, ...], pattern: str, values: list[str]) -> None:
    text, shape = Column("s", t.STRING), Column("p", t.STRING)
    frame = pl.DataFrame({"s": values, "p": [pattern] * len(values)})
    constant = evaluate(call(name, text, pattern, *more), frame)
    assert constant == evaluate(call(name, text, shape, *more), frame)


CALLS = [
    ("LIKE", ("a%", "_", "é"), ()),
    ("SIMILAR TO", ("a%", "(a|b)_*", "é"), ()),
    ("REGEXP", ("a+b", r"(a)\1", "("), ()),
    ("REGEXP_COUNT", ("a+b", "a*", "("), ()),
    ("REGEXP_EXTRACT", ("(a)b", "b(1)?", "("), (1,)),
    ("REGEXP_EXTRACT_ALL", ("(a)", "(b)(1)", "a(?=b)"), ()),
    ("REGEXP_REPLACE", ("[ab]", "", "a(?!b)"), ("$",)),
    ("STR_TO_MAP", ("a", "b", "[1 ]"), ("1",)),
]


@pytest.mark.parametrize(("name", "patterns", "more"), CALLS)
@given(st.lists(st.none() | st.text("ab1é ", max_size=5), min_size=1, max_size=9))
@settings(max_examples=10, deadline=None)
def test_a_column_of_few_patterns(
    name: str, patterns: tuple[str, ...], more: tuple[str | int, ...], values: list[str | None]
) -> None:
    """As if each row were alone."""
    rows = [(value, pattern) for value in values for pattern in (*patterns, None)] * 60
    frame = pl.DataFrame(rows, schema={"s": pl.String, "p": pl.String}, orient="row")
    expression = call(name, Column("s", t.STRING), Column("p", t.STRING), *more)
    alone = {pair: evaluate(expression, frame[n : n + 1])[0] for n, pair in enumerate(rows[:36])}
    assert evaluate(expression, frame) == [alone[pair] for pair in rows]


@pytest.mark.parametrize("pattern", ["yyyy-MM-dd", "HH:mm", "h a", "mm:ss", "''", "ss.SSS"])
@pytest.mark.parametrize(
    ("digits", "dtype"), [(3, pl.Datetime("ms")), (6, pl.Datetime("us")), (9, pl.Datetime("ns"))]
)
@settings(max_examples=15, deadline=None)
@given(
    start=st.datetimes(datetime(1969, 12, 31), datetime(1970, 1, 2)),
    steps=st.lists(st.sampled_from([0, 1, 999, 60_000, 86_400_000, -1, None]), max_size=40),
)
def test_times_in_runs_are_shown_as_each_by_itself(
    pattern: str, digits: int, dtype: pl.DataType, start: datetime, steps: list[int | None]
) -> None:
    times: list[datetime | None] = [start] * 3
    for step in steps:
        start += timedelta(milliseconds=step or 0)
        times.append(None if step is None else start)
    column = pl.Series("x", times, dtype=dtype)
    shown = call("DATE_FORMAT", Column("x", t.timestamp(digits)), pattern)
    frame = column.to_frame()
    alone = [evaluate(shown, frame[row])[0] for row in range(frame.height)]
    assert evaluate(shown, frame) == alone
