"""Joins and queries in WHERE: the finished table is DuckDB's."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.session import Session

QUERIES = [
    "SELECT a.id, b.v FROM a JOIN b ON a.k = b.k",
    "SELECT a.id, b.v FROM a, b WHERE a.k = b.k AND a.n < b.v",
    "SELECT a.id, b.v FROM a LEFT JOIN b ON a.k = b.k AND a.n > 1",
    "SELECT a.id, b.v FROM a RIGHT JOIN b ON a.k = b.k AND b.v > 1",
    "SELECT a.id, b.v FROM a FULL JOIN b ON a.k = b.k AND a.n = b.v",
    "SELECT a.id, b.v FROM a LEFT JOIN b ON a.k = b.k WHERE b.v IS NULL",
    "SELECT a.id, b.v FROM a LEFT JOIN b ON a.k = b.k WHERE a.n + b.v > 2",
    "SELECT a.id, b.v FROM a FULL JOIN b ON a.k = b.k WHERE a.n > 1",
    "SELECT a.id, b.v FROM a FULL JOIN b ON a.k IS NOT DISTINCT FROM b.k",
    "SELECT a.id, b.v FROM a CROSS JOIN b",
    "SELECT a.id, b.v FROM a JOIN b ON a.n + 1 = b.v OR a.k = b.k",
    "SELECT k, id, v FROM a JOIN b USING (k)",
    "SELECT k, id, v FROM a FULL JOIN b USING (k)",
    "SELECT k, id, v FROM a NATURAL RIGHT JOIN b",
    "SELECT a.id, b.v, c.n FROM a JOIN b ON a.k = b.k LEFT JOIN a AS c ON c.n = b.v",
    "SELECT id FROM a WHERE k IN (SELECT k FROM b)",
    "SELECT id FROM a WHERE k NOT IN (SELECT k FROM b)",
    "SELECT id FROM a WHERE k NOT IN (SELECT k FROM b WHERE k IS NOT NULL) AND n > 0",
    "SELECT id FROM a WHERE n NOT IN (SELECT v FROM b WHERE b.k = a.k)",
    "SELECT id FROM a WHERE NOT (n IN (SELECT v + id FROM b))",
    "SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND v < n)",
    "SELECT id FROM a WHERE NOT EXISTS (SELECT * FROM b WHERE b.k = a.k AND b.v <> a.n)",
    "SELECT id FROM a WHERE NOT EXISTS (SELECT * FROM b WHERE v > 2)",
    "SELECT id FROM a WHERE n IN (SELECT MAX(v) FROM b GROUP BY k) AND EXISTS (SELECT k FROM b)",
    "SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND v IN (SELECT n FROM a))",
    "SELECT k, COUNT(*) AS c FROM a LEFT JOIN b USING (k) GROUP BY k",
    "SELECT a.id, x.v, y.id FROM a LEFT JOIN (b AS x JOIN a AS y ON x.k = y.k) ON a.n = x.v",
    "SELECT * FROM (a JOIN b USING (k)) FULL JOIN (a AS c CROSS JOIN b AS d) ON a.n = d.v",
]

QUERIES_WITHIN = (Path(__file__).parent / "queries_within.txt").read_text().splitlines()

KEYS = st.sampled_from([None, "p", "q", "r"])
NUMBERS = st.sampled_from([None, 0, 1, 2, 3])


PAIRS = st.lists(st.tuples(KEYS, NUMBERS), max_size=6)
Pairs = list[tuple[str | None, int | None]]


@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=6, deadline=None)
@given(left=PAIRS, right=PAIRS)
def test_the_table_is_that_of_duckdb(query: str, left: Pairs, right: Pairs) -> None:
    check(query, left, right)


@pytest.mark.parametrize("query", QUERIES_WITHIN)
@settings(max_examples=3, deadline=None)
@given(left=PAIRS, right=PAIRS)
def test_a_query_within_a_query(query: str, left: Pairs, right: Pairs) -> None:
    check(query, left, right)


def check(query: str, left: Pairs, right: Pairs) -> None:
    """The finished table of a query over both is DuckDB's."""
    a = pl.DataFrame(
        [(k, n, i) for i, (k, n) in enumerate(left)],
        schema={"k": pl.String, "n": pl.Int64, "id": pl.Int64},
        orient="row",
    )
    b = pl.DataFrame(right, schema={"k": pl.String, "v": pl.Int64}, orient="row")
    with duckdb.connect() as other:
        other.register("a", a.to_arrow())
        other.register("b", b.to_arrow())
        wanted = Counter(other.sql(query).fetchall())
    session = Session()
    session.register("a", a)
    session.register("b", b)
    assert Counter(session.sql(query).to_polars().rows()) == wanted
