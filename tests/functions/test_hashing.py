"""Hashes of columns against Python's hashlib."""

from __future__ import annotations

import hashlib

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common import types as t
from sameriver.common.errors import ExternalError
from sameriver.operators.compile import compile_expression
from sameriver.plan.expressions import Column, Expression

from .calls import UTC, call

NAMES = ["MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"]


def evaluate(expression: Expression, frame: pl.DataFrame) -> list[object]:
    return frame.select(compile_expression(expression, UTC).alias("x"))["x"].to_list()


def known(name: str, value: str | bytes | None) -> str | None:
    octets = value.encode() if isinstance(value, str) else value
    return None if octets is None else hashlib.new(name.lower(), octets).hexdigest()


@pytest.mark.parametrize("name", NAMES)
def test_texts_of_every_size(name: str) -> None:
    """Around the ends of blocks, of 64 and of 128 octets."""
    values = [None, *("é" * (size % 3) + "x" * size for size in range(300))]
    frame = pl.DataFrame({"s": values})
    found = evaluate(call(name, Column("s", t.STRING)), frame)
    assert found == [known(name, value) for value in values]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10, deadline=None)
@given(st.lists(st.none() | st.binary(max_size=200)))
def test_binary_values(name: str, values: list[bytes | None]) -> None:
    frame = pl.DataFrame({"b": values}, schema={"b": pl.Binary})
    found = evaluate(call(name, Column("b", t.BYTES)), frame)
    assert found == [known(name, value) for value in values]


@pytest.mark.parametrize("repeat", [1, 60])
def test_a_column_of_sizes(repeat: int) -> None:
    sizes = [224, 256, None, 384, 512] * repeat
    frame = pl.DataFrame({"s": ["a"] * len(sizes), "n": pl.Series(sizes, dtype=pl.Int32)})
    found = evaluate(call("SHA2", Column("s", t.STRING), Column("n", t.INT)), frame)
    assert found == [size and known(f"SHA{size}", "a") for size in sizes]


@pytest.mark.parametrize("repeat", [1, 60])
def test_an_unknown_size_fails(repeat: int) -> None:
    frame = pl.DataFrame({"s": [None, "a"] * repeat, "n": [100, 256] * repeat})
    call_ = call("SHA2", Column("s", t.STRING), Column("n", t.BIGINT))
    assert evaluate(call_, frame)[:2] == [None, known("SHA256", "a")]
    with pytest.raises(ExternalError, match="not 100"):
        evaluate(call_, frame.with_columns(s=pl.lit("a")))
