"""Constant patterns, which run in Polars, against columns of patterns, which run in Python."""

from __future__ import annotations

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
