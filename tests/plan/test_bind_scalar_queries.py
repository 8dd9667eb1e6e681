"""Queries that stand for a value, on finished input."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest

from sameriver import ExternalError, Session, UserError

TABLES = {
    "t": pl.DataFrame({"k": ["a", "a", "b", None], "n": [1, 2, 3, None]}),
    "u": pl.DataFrame({"x": [2]}),
    "v": pl.DataFrame({"x": [2, 3]}),
    "e": pl.DataFrame({"x": []}, schema={"x": pl.Int64}),
}


@pytest.fixture
def session() -> Session:
    made = Session()
    for name, frame in TABLES.items():
        made.register(name, frame)
    return made


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, n FROM t WHERE n > (SELECT MIN(x) FROM v)",
        "SELECT n, (SELECT MAX(x) FROM v) AS m FROM t",
        "SELECT n + (SELECT x FROM u) AS q FROM t WHERE n < (SELECT x + 1 FROM u)",
        "SELECT (SELECT MAX(n) FROM t) AS m",
        "SELECT k, SUM(n) + (SELECT x FROM u) AS s FROM t GROUP BY k HAVING COUNT(n) > 0",
        "SELECT k, COUNT(*) FROM t GROUP BY k HAVING COUNT(*) >= (SELECT x FROM u)",
        "SELECT k, SUM(n * (SELECT x FROM u)) AS s FROM t GROUP BY k",
        "SELECT n FROM t WHERE (SELECT x FROM e) IS NULL",
        "SELECT n FROM t WHERE n IN ((SELECT x FROM u), 3)",
        "SELECT n FROM t WHERE n IN (SELECT x FROM v) AND n >= (SELECT MAX(x) FROM v)",
        "SELECT n, (SELECT MAX(x) FROM v WHERE x > (SELECT MIN(x) FROM v)) AS m FROM t",
        "SELECT DISTINCT (SELECT x FROM u) AS x FROM t",
        "SELECT * FROM t WHERE n = (SELECT x FROM u)",
        "SELECT CASE WHEN (SELECT x FROM u) > 1 THEN k END AS c FROM t",
    ],
)
def test_it_gives_what_duckdb_gives(session: Session, query: str) -> None:
    connection = duckdb.connect()
    for name, frame in TABLES.items():
        connection.register(name, frame.to_arrow())
    ours = session.sql(query).to_polars().rows()
    assert sorted(ours, key=repr) == sorted(connection.sql(query).fetchall(), key=repr)


def test_two_rows_fail_the_job(session: Session) -> None:
    with pytest.raises(ExternalError) as caught:
        session.sql("SELECT n, (SELECT x FROM v) FROM t").to_polars()
    assert caught.value.code == "MORE_THAN_ONE_ROW"


def test_an_aggregate_needs_no_check(session: Session) -> None:
    query = "SELECT n, (SELECT {} FROM v) FROM t"
    assert "SINGLE_VALUE" not in session.explain(query.format("MAX(x)"))
    assert "SINGLE_VALUE" in session.explain(query.format("x"))


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("SELECT n, (SELECT x FROM v WHERE x > n LIMIT 1) FROM t", "UNSUPPORTED"),
        ("SELECT COUNT(*), (SELECT MAX(x) FROM v WHERE x > t.n) FROM t", "NOT_GROUPED"),
        ("SELECT n FROM t GROUP BY n, (SELECT x FROM u)", "UNSUPPORTED"),
        ("SELECT n FROM t LEFT JOIN u ON n = (SELECT MAX(x) FROM v)", "UNSUPPORTED"),
        ("SELECT n, (SELECT x, x FROM v) FROM t", "WRONG_NUMBER_OF_COLUMNS"),
        ("SELECT n, (SELECT y FROM v) FROM t", "UNKNOWN_COLUMN"),
    ],
)
def test_what_is_wrong_is_told_with_a_place_and_a_way_out(
    session: Session, query: str, code: str
) -> None:
    with pytest.raises(UserError) as caught:
        session.sql(query)
    assert caught.value.code == code
    assert caught.value.position is not None
    assert caught.value.hint
