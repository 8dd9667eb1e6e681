"""Which columns tell the rows of a query apart."""

from __future__ import annotations

import pytest

from sameriver.common.config import Config
from sameriver.plan import logical
from sameriver.plan.bind import bind_query, bind_table
from sameriver.plan.catalog import Catalog
from sameriver.plan.rules import rewrite
from sameriver.plan.unique_key import unique_keys
from sameriver.sql import parse_script
from sameriver.sql.statements import CreateTable, Query

DDL = """
CREATE TABLE orders (nr BIGINT, user_id BIGINT, total INT, ts TIMESTAMP(3), pt AS PROCTIME(),
  WATERMARK FOR ts AS ts, PRIMARY KEY (nr) NOT ENFORCED) WITH ('connector' = 'case');
CREATE TABLE users (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'case');
CREATE TABLE clicks (page STRING, n INT, pt AS PROCTIME()) WITH ('connector' = 'case');
"""


def keys(query: str) -> list[set[str]]:
    """The keys of a query as it is planned, by the names of its output columns."""
    catalog, config = Catalog(), Config()
    for statement in parse_script(f"{DDL}{query};"):
        if isinstance(statement, CreateTable):
            catalog.add(statement.name.parts, bind_table(statement, catalog, config))
        elif isinstance(statement, Query):
            node: logical.Logical = rewrite(bind_query(statement.query, catalog, config))
    return [set(key) for key in unique_keys(node)]


RANKED = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY total) AS rk FROM orders)"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT nr AS n, total FROM orders WHERE total > 1", [{"n"}]),
        ("SELECT total FROM orders", []),
        ("SELECT COUNT(*) AS n FROM clicks", [set()]),
        ("SELECT nr, id FROM orders JOIN users ON nr = id", [{"nr"}, {"id"}]),
        (f"SELECT nr, user_id, rk FROM {RANKED} WHERE rk <= 3", [{"user_id", "rk"}]),
        ("SELECT page, n FROM clicks", []),
        ("SELECT page, SUM(n) AS s FROM clicks GROUP BY page", [{"page"}]),
        (f"SELECT user_id, total FROM {RANKED} WHERE rk = 1", [{"user_id"}]),
        (f"SELECT user_id, total, rk FROM {RANKED} WHERE rk <= 3", [{"user_id", "rk"}]),
        (f"SELECT nr, total FROM {RANKED} WHERE rk <= 3", []),
        ("SELECT nr, name FROM orders JOIN users ON user_id = id", []),
        ("SELECT nr, name FROM users JOIN orders ON user_id = id", []),
        ("SELECT nr, name FROM orders LEFT JOIN users ON user_id = id", []),
        ("SELECT nr, name FROM orders LEFT JOIN users ON nr = id", [{"nr"}]),
        ("SELECT nr, name FROM users LEFT JOIN orders ON user_id = id", []),
        ("SELECT nr, id, name FROM orders JOIN users ON total > id", [{"nr", "id"}]),
        ("SELECT total FROM orders JOIN users ON user_id = id", []),
        ("SELECT id, page FROM users JOIN clicks ON name = page", []),
        ("SELECT nr FROM orders WHERE nr IN (SELECT id FROM users)", [{"nr"}]),
        ("SELECT nr FROM orders WHERE user_id IN (SELECT id FROM users)", []),
        ("SELECT nr FROM orders UNION ALL SELECT id FROM users", []),
    ],
)
def test_keys(query: str, expected: list[set[str]]) -> None:
    assert keys(query) == expected
