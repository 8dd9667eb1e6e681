"""Parts of expressions that are computed once."""

from __future__ import annotations

import polars as pl

from sameriver import Session
from sameriver.common.types import BIGINT, BOOLEAN, DOUBLE
from sameriver.operators.shared import may_recur, with_columns
from sameriver.plan.expressions import Call, Column, Expression, Literal

N = Column("n", BIGINT)


def compared(place: int) -> Expression:
    return Call(">", (N, Literal(place, BIGINT)), BOOLEAN)


def test_one_call_has_nothing_to_share() -> None:
    assert not may_recur([compared(1), N])
    assert may_recur([compared(1), compared(2)])


def test_what_is_random_is_computed_each_time() -> None:
    assert not may_recur([Call("RAND", (), DOUBLE), Call("RAND", (), DOUBLE)])
    shown = Session().sql(
        "SELECT UUID() AS a, UUID() AS b, UUID() AS c FROM (VALUES (1), (2)) t(x)"
    )
    assert shown.to_polars().unpivot()["value"].n_unique() == 6


def test_equal_parts_give_the_same_computed_once_and_twice() -> None:
    rows = pl.DataFrame({"s": ["a/b", "c/d/e", None]})
    parts = pl.col("s").str.split("/")
    columns = [parts.list.get(n, null_on_oob=True).alias(f"c{n}") for n in range(3)]
    expected = [("a/b", "a", "b", None), ("c/d/e", "c", "d", "e"), (None, None, None, None)]
    names = ["s", "c0", "c1", "c2"]
    assert with_columns(rows, columns, names, once=True).rows() == expected
    assert with_columns(rows, columns, names, once=False).rows() == expected
