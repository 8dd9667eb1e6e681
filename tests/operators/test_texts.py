"""Calls on a column of text that are computed once for each text."""

from __future__ import annotations

import polars as pl
import pytest

from sameriver import Session
from sameriver.common.types import BIGINT, BOOLEAN, INT, STRING
from sameriver.operators.texts import Texts, numbered, repeats, searches
from sameriver.plan.expressions import Call, Column, Expression, Literal

S, N = Column("s", STRING), Column("n", BIGINT)
ROWS = 20_000
TEXTS = ("Apple", "x=1&id=7", "banana", None, "", "x=2", "APPLE")


def upper(value: Expression) -> Call:
    return Call("UPPER", (value,), STRING)


def test_a_call_on_one_text_is_searched_a_comparison_and_a_call_on_two_columns_are_not() -> None:
    word = Literal("a", STRING)
    assert searches(Call("=", (upper(S), word), BOOLEAN))
    assert not searches(Call("=", (S, word), BOOLEAN))
    assert not searches(Call("||", (S, Column("t", STRING)), STRING))
    assert not searches(Call("+", (N, N), BIGINT))
    assert searches(Call("||", (upper(S), Column("t", STRING)), STRING))


def test_texts_repeat_if_there_are_few_for_the_rows() -> None:
    few = pl.Series(TEXTS * (ROWS // len(TEXTS)))
    assert repeats(few)
    assert not repeats(few[:1000])
    assert not repeats(pl.Series(map(str, range(ROWS))))
    # One of them comes often, the others once.
    assert not repeats(pl.Series([str(n) if n % 5 else "-" for n in range(ROWS)]))


def test_numbers_lead_back_to_each_text() -> None:
    texts = pl.Series(TEXTS * 3)
    told = numbered(texts)
    assert told is not None
    numbers, distinct = told
    assert len(distinct) == len(TEXTS)
    assert distinct.gather(numbers).to_list() == texts.to_list()


def test_only_where_texts_repeat_are_calls_replaced() -> None:
    call = upper(S)
    texts = Texts([Call("||", (call, Column("t", STRING)), STRING)], Session().config.zone)
    rows = pl.DataFrame({"s": TEXTS * (ROWS // len(TEXTS)), "n": 1})
    more, found = texts.add(rows)
    assert found == {"s"}
    replaced = texts.replaced(call, found)
    assert isinstance(replaced, Column)
    assert more[replaced.name].to_list() == [t and t.upper() for t in rows["s"]]
    unique = pl.DataFrame({"s": list(map(str, range(ROWS)))})
    assert texts.add(unique)[1] == frozenset()
    assert texts.replaced(call, frozenset()) == call


def test_a_call_that_fails_where_nobody_asks_is_left_alone() -> None:
    cast = Call("CAST", (S,), INT)
    texts = Texts([Call("CASE", (Call(">", (N, N), BOOLEAN), cast, Literal(0, INT)), INT)],
                  Session().config.zone)  # fmt: skip
    rows = pl.DataFrame({"s": ["1", "none"] * (ROWS // 2), "n": 1})
    assert texts.add(rows)[1] == frozenset()
    good = pl.DataFrame({"s": ["1", "2"] * (ROWS // 2), "n": 1})
    assert texts.add(good)[1] == frozenset()


QUERIES = (
    "SELECT n, UPPER(s), SPLIT_INDEX(s, '&', 0) FROM t",
    "SELECT n, CASE WHEN LOWER(s) = 'apple' THEN '0' ELSE REGEXP_EXTRACT(s, 'id=(.*)', 1) END"
    " FROM t WHERE n < 15000 AND (LOWER(s) IN ('apple', 'banana') OR REGEXP(s, 'id='))",
    "SELECT n FROM t WHERE CHAR_LENGTH(REPLACE(s, 'p', '')) < 3 AND n > 100",
    "SELECT n, CASE WHEN n < 0 THEN CAST(s AS INT) ELSE CHAR_LENGTH(UPPER(s)) END FROM t",
    "SELECT n FROM t WHERE NULLIF(MOD(n, 3), 1) = 0 AND UPPER(s) = 'APPLE'",
    "SELECT n, UPPER(s) FROM t WHERE NULLIF(n, 7) < 9000 AND CAST(n AS INT) > 12 AND s <> ''",
)


@pytest.mark.parametrize("query", QUERIES)
def test_large_and_small_batches_give_the_same(query: str) -> None:
    rows = pl.DataFrame({"s": TEXTS * (ROWS // len(TEXTS))}).with_row_index("n")
    rows = rows.with_columns(pl.col("n").cast(pl.Int64))
    found = []
    for size in ("262144", "1000"):
        session = Session({"sameriver.batch.rows": size})
        session.register("t", rows)
        found.append(session.sql(query).to_polars())
    assert found[0].height
    assert found[0].equals(found[1])
