"""Wrong queries and declarations: each has a code, a place and a way out."""

from __future__ import annotations

import pytest
from binding import DDL, bind

from sameriver.common.errors import UserError

_WINDOW = "TABLE(TUMBLE(TABLE Orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
_WRONG = [
    # code, what the place of the error says, the statement
    ("UNKNOWN_TABLE", "nope", "SELECT * FROM nope"),
    ("UNKNOWN_TABLE", "orders", "SELECT * FROM orders"),
    ("UNKNOWN_TABLE", "x.k", "SELECT x.k FROM Orders"),
    ("UNKNOWN_TABLE", "Orders.k", "SELECT Orders.k FROM Orders o"),
    ("UNKNOWN_TABLE", "t.*", "SELECT t.* FROM Orders o"),
    ("UNKNOWN_COLUMN", "kk", "SELECT kk FROM Orders"),
    ("UNKNOWN_COLUMN", "K", "SELECT K FROM Orders"),
    ("UNKNOWN_COLUMN", "Orders.zz", "SELECT Orders.zz FROM Orders"),
    ("UNKNOWN_COLUMN", "a", "SELECT a"),
    ("UNKNOWN_COLUMN", "kk", "SELECT k AS kk FROM Orders GROUP BY kk"),
    ("UNKNOWN_COLUMN", "c", "SELECT k, COUNT(*) AS c FROM Orders GROUP BY k HAVING c > 1"),
    ("UNKNOWN_FUNCTION", "UPER(k)", "SELECT UPER(k) FROM Orders"),
    ("UNKNOWN_FIELD", "r.zz", "SELECT r.zz FROM Orders"),
    ("NOT_A_ROW", "k.*", "SELECT k.* FROM Orders"),
    ("NOT_A_ROW", "k.x", "SELECT k.x FROM Orders"),
    ("NOT_A_COLLECTION", "qty[1]", "SELECT qty[1] FROM Orders"),
    ("STAR_NOT_ALLOWED", "*", "SELECT *"),
    ("AGGREGATE_NOT_ALLOWED", "COUNT(*)", "SELECT k FROM Orders WHERE COUNT(*) > 1"),
    ("AGGREGATE_NOT_ALLOWED", "SUM(qty)", "SELECT MAX(SUM(qty)) FROM Orders"),
    ("AGGREGATE_NOT_ALLOWED", "SUM(qty)", "SELECT COUNT(*) FROM Orders GROUP BY SUM(qty)"),
    ("AGGREGATE_NOT_ALLOWED", "MAX(a)", "CREATE TABLE w (a INT, b AS MAX(a))"),
    ("NOT_GROUPED", "qty", "SELECT k, qty FROM Orders GROUP BY k"),
    ("NOT_GROUPED", "qty", "SELECT k, qty + COUNT(*) FROM Orders GROUP BY k"),
    ("NOT_GROUPED", "*", "SELECT * FROM Orders GROUP BY k"),
    ("NOT_GROUPED", "r.b", "SELECT r.b FROM Orders GROUP BY r.a"),
    ("NOT_GROUPED", "k", "SELECT COUNT(*) FROM Orders HAVING k = 'a'"),
    ("NOT_GROUPED", "qty", "SELECT COUNT(*), qty FROM Orders"),
    ("NOT_GROUPED", "window_end", f"SELECT window_end FROM {_WINDOW} GROUP BY window_start"),
    ("NOT_GROUPED", "k", "SELECT k FROM Orders GROUP BY 1"),
    ("NOT_BOOLEAN", "k", "SELECT 1 FROM Orders WHERE k"),
    ("NOT_BOOLEAN", "qty", "SELECT 1 FROM Orders WHERE qty AND k = 'a'"),
    ("NOT_BOOLEAN", "qty", "SELECT CASE WHEN qty THEN 1 END FROM Orders"),
    ("NOT_BOOLEAN", "k", "SELECT COUNT(*) FILTER (WHERE k) FROM Orders"),
    ("NOT_BOOLEAN", "COUNT(*)", "SELECT k FROM Orders GROUP BY k HAVING COUNT(*)"),
    ("WRONG_ARGUMENTS", "k + 1", "SELECT k + 1 FROM Orders"),
    ("WRONG_ARGUMENTS", "k = 1", "SELECT 1 FROM Orders WHERE k = 1"),
    ("NO_COMMON_TYPE", "id IN (1, 'a')", "SELECT 1 FROM Orders WHERE id IN (1, 'a')"),
    ("WRONG_ARGUMENTS", "SUM(k)", "SELECT SUM(k) FROM Orders"),
    ("WRONG_ARGUMENTS", "SUM(*)", "SELECT SUM(*) FROM Orders"),
    ("WRONG_ARGUMENTS", "COUNT()", "SELECT COUNT() FROM Orders"),
    ("WRONG_ARGUMENTS", "UPPER(k, k)", "SELECT UPPER(k, k) FROM Orders"),
    ("WRONG_ARGUMENTS", "DISTINCT k", "SELECT UPPER(DISTINCT k) FROM Orders"),
    ("WRONG_ARGUMENTS", "id", "SELECT GROUPING(id) FROM Orders GROUP BY ROLLUP(k)"),
    (
        "BAD_FILTER",
        "UPPER(k)",
        "SELECT UPPER(k) FILTER (WHERE qty > 1) FROM Orders",
    ),
    ("BAD_CAST", "CAST(m AS INT)", "SELECT CAST(m AS INT) FROM Orders"),
    ("BAD_LITERAL", "DATE '2020-13-01'", "SELECT DATE '2020-13-01'"),
    ("BAD_LITERAL", "1" * 39, f"SELECT {'1' * 39}"),
    ("BAD_INTERVAL", "INTERVAL 'x' DAY", "SELECT INTERVAL 'x' DAY"),
    ("BAD_INTERVAL", "INTERVAL '1-12' YEAR TO MONTH", "SELECT INTERVAL '1-12' YEAR TO MONTH"),
    ("BAD_INTERVAL", "INTERVAL '1:60' HOUR TO MINUTE", "SELECT INTERVAL '1:60' HOUR TO MINUTE"),
    ("MISSING_OVER", "ROW_NUMBER()", "SELECT ROW_NUMBER() FROM Orders"),
    ("MISSING_GROUPING", "GROUPING(k)", "SELECT GROUPING(k) FROM Orders"),
    ("NO_COMMON_TYPE", "SELECT n FROM Other", "SELECT k FROM Orders UNION ALL SELECT n FROM Other"),
    ("NO_COMMON_TYPE", "VALUES (1), ('a')", "SELECT * FROM (VALUES (1), ('a')) AS t (a)"),
    ("COLUMN_COUNT", "SELECT k, n FROM Other", "SELECT k FROM Orders UNION SELECT k, n FROM Other"),
    ("COLUMN_COUNT", "(2)", "INSERT INTO Sink VALUES (1, 2), (2)"),
    ("BAD_ALIAS", "AS t (a)", "SELECT * FROM (VALUES (1, 2)) AS t (a)"),
    ("BAD_ALIAS", "SELECT 1, 2", "CREATE VIEW v (a, a) AS SELECT 1, 2"),
    ("UNKNOWN_COLUMN", "nope", "CREATE VIEW v AS SELECT nope FROM Orders"),
    # windows
    ("NOT_A_TIME_ATTRIBUTE", "dt", _WINDOW.replace("ts", "dt")),
    ("UNKNOWN_COLUMN", "tss", _WINDOW.replace("ts", "tss")),
    (
        "NOT_A_TIME_ATTRIBUTE",
        "t",
        "TABLE(TUMBLE((SELECT ts + INTERVAL '1' DAY AS t FROM Orders), DESCRIPTOR(t), "
        "INTERVAL '1' HOUR))",
    ),
    (
        "NOT_A_TIME_ATTRIBUTE",
        "t",
        "TABLE(TUMBLE((SELECT k, MAX(ts) AS t FROM Orders GROUP BY k), DESCRIPTOR(t), "
        "INTERVAL '1' HOUR))",
    ),
    ("BAD_WINDOW", "INTERVAL '0' SECOND", _WINDOW.replace("'1' HOUR", "'0' SECOND")),
    ("BAD_WINDOW", "INTERVAL '-1' HOUR", _WINDOW.replace("'1'", "'-1'")),
    ("BAD_WINDOW", "INTERVAL '1' MONTH", _WINDOW.replace("HOUR", "MONTH")),
    ("BAD_WINDOW", "5", _WINDOW.replace("INTERVAL '1' HOUR", "5")),
    (
        "BAD_WINDOW",
        "INTERVAL '1' HOUR",
        "TABLE(CUMULATE(TABLE Orders, DESCRIPTOR(ts), INTERVAL '7' MINUTE, INTERVAL '1' HOUR))",
    ),
    (
        "BAD_WINDOW",
        "GROUP BY window_start, window_end",
        "SELECT COUNT(*) FROM TABLE(HOP(TABLE Orders, DESCRIPTOR(ts), INTERVAL '7' MINUTE, "
        "INTERVAL '1' HOUR)) GROUP BY window_start, window_end",
    ),
    (
        "BAD_WINDOW",
        "INTERVAL '0' HOUR",
        "TABLE(HOP(TABLE Orders, DESCRIPTOR(ts), INTERVAL '0' HOUR, INTERVAL '1' HOUR))",
    ),
    (
        "BAD_WINDOW",
        "INTERVAL '2' HOUR",
        "TABLE(TUMBLE(TABLE Orders, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '2' HOUR))",
    ),
    (
        "UNKNOWN_COLUMN",
        "nope",
        "TABLE(SESSION(TABLE Orders PARTITION BY nope, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
    ),
    (
        "MISSING_GROUP_WINDOW",
        "TUMBLE_START(ts, INTERVAL '1' HOUR)",
        "SELECT TUMBLE_START(ts, INTERVAL '1' HOUR) FROM Orders GROUP BY k",
    ),
    (
        "MISSING_GROUP_WINDOW",
        "TUMBLE(ts, INTERVAL '1' HOUR)",
        "SELECT TUMBLE(ts, INTERVAL '1' HOUR) FROM Orders",
    ),
    (
        "BAD_GROUP_WINDOW",
        "TUMBLE_END(ts, INTERVAL '2' HOUR)",
        "SELECT TUMBLE_END(ts, INTERVAL '2' HOUR) FROM Orders "
        "GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)",
    ),
    (
        "BAD_GROUP_WINDOW",
        "HOP(proc, INTERVAL '1' HOUR)",
        "SELECT COUNT(*) FROM Orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR), "
        "HOP(proc, INTERVAL '1' HOUR)",
    ),
    (
        "BAD_GROUP_WINDOW",
        "HOP(ts, INTERVAL '1' HOUR)",
        "SELECT COUNT(*) FROM Orders GROUP BY HOP(ts, INTERVAL '1' HOUR)",
    ),
    (
        "BAD_GROUP_WINDOW",
        "TUMBLE_ROWTIME(proc, INTERVAL '1' HOUR)",
        "SELECT TUMBLE_ROWTIME(proc, INTERVAL '1' HOUR) FROM Orders "
        "GROUP BY TUMBLE(proc, INTERVAL '1' HOUR)",
    ),
    (
        "NOT_A_TIME_ATTRIBUTE",
        "dt",
        "SELECT COUNT(*) FROM Orders GROUP BY TUMBLE(dt, INTERVAL '1' HOUR)",
    ),
    # hints
    ("BAD_HINT", "STATE_TTL()", "SELECT /*+ STATE_TTL() */ COUNT(*) FROM Orders"),
    ("BAD_HINT", "STATE_TTL(x)", "SELECT /*+ STATE_TTL(x) */ COUNT(*) FROM Orders"),
    ("UNKNOWN_HINT", "FOO('a'='b')", "SELECT /*+ FOO('a'='b') */ k FROM Orders"),
    ("UNKNOWN_HINT", "STATE_TTL('a'='b')", "SELECT k FROM Orders /*+ STATE_TTL('a'='b') */"),
    (
        "UNKNOWN_HINT_TABLE",
        "'Orders'='1 d'",
        "SELECT /*+ STATE_TTL('Orders'='1 d') */ COUNT(*) FROM Orders AS o",
    ),
    ("BAD_DURATION", "'x'", "SELECT /*+ STATE_TTL('Orders'='x') */ COUNT(*) FROM Orders"),
    (
        "BAD_HINT",
        "x /*+ OPTIONS('a'='b') */",
        "WITH x AS (SELECT 1) SELECT * FROM x /*+ OPTIONS('a'='b') */",
    ),
    # declarations
    ("DUPLICATE_COLUMN", "a INT", "CREATE TABLE w (a STRING, a INT)"),
    ("NO_COLUMNS", None, "CREATE TABLE w (b AS 1 + 1)"),
    ("UNKNOWN_COLUMN", "c", "CREATE TABLE w (a STRING, b AS c || 'x', c AS a || 'x')"),
    ("UNKNOWN_COLUMN", None, "CREATE TABLE w (a STRING, PRIMARY KEY (b) NOT ENFORCED)"),
    ("BAD_PRIMARY_KEY", "b AS a", "CREATE TABLE w (a INT, b AS a, PRIMARY KEY (b) NOT ENFORCED)"),
    (
        "BAD_PRIMARY_KEY",
        "b INT METADATA",
        "CREATE TABLE w (a INT, b INT METADATA, PRIMARY KEY (b) NOT ENFORCED)",
    ),
    ("UNKNOWN_COLUMN", None, "CREATE TABLE w (a INT) PARTITIONED BY (x)"),
    ("UNKNOWN_COLUMN", None, "CREATE TABLE w (a TIMESTAMP(3), WATERMARK FOR b AS a)"),
    ("BAD_WATERMARK", None, "CREATE TABLE w (a STRING, WATERMARK FOR a AS a)"),
    ("BAD_WATERMARK", None, "CREATE TABLE w (a TIMESTAMP(6), WATERMARK FOR a AS a)"),
    ("BAD_WATERMARK", None, "CREATE TABLE w (x INT, a AS PROCTIME(), WATERMARK FOR a AS a)"),
    ("BAD_WATERMARK", None, "CREATE TABLE w (a TIMESTAMP(3), WATERMARK FOR a AS 'x')"),
    (
        "BAD_WATERMARK",
        None,
        "CREATE TABLE w (a TIMESTAMP_LTZ(3), WATERMARK FOR a AS CAST(a AS TIMESTAMP(3)))",
    ),
    ("BAD_LIKE", "Orders", "CREATE TABLE w (id INT) LIKE Orders"),
    ("BAD_LIKE", "Orders", "CREATE TABLE w (WATERMARK FOR ts AS ts) LIKE Orders"),
    ("UNKNOWN_TABLE", "Order", "CREATE TABLE w LIKE Order_".replace("Order_", "`Order`")),
    ("BAD_CREATE_AS", None, "CREATE TABLE w AS SELECT NULL AS a"),
    ("TABLE_EXISTS", "Orders", "CREATE TABLE Orders (a INT)"),
    # sinks
    ("UNKNOWN_TABLE", "Sinks", "INSERT INTO Sinks SELECT 1"),
    ("WRONG_KIND", "v", "CREATE VIEW v AS SELECT 1; INSERT INTO v SELECT 1"),
    ("SINK_TYPES", "Sink", "INSERT INTO Sink SELECT k, n FROM Other"),
    ("SINK_TYPES", "Sink", "INSERT INTO Sink SELECT k, k, n FROM Other"),
    ("UNKNOWN_COLUMN", "Sink", "INSERT INTO Sink (k, x) SELECT k, n FROM Other"),
    ("DUPLICATE_COLUMN", "Sink", "INSERT INTO Sink (n, n) SELECT n, n FROM Other"),
    ("MISSING_COLUMN", "Sink", "INSERT INTO Sink (k) SELECT k FROM Other"),
    ("UNKNOWN_COLUMN", "Sink", "INSERT INTO Sink PARTITION (n = 1) SELECT k, n FROM Other"),
    ("UNKNOWN_COLUMN", "Orders", "INSERT INTO Orders (id, proc) SELECT 1, PROCTIME()"),
]


@pytest.mark.parametrize(("code", "place", "statement"), _WRONG)
def test_an_error_has_a_code_a_place_and_a_way_out(
    code: str, place: str | None, statement: str
) -> None:
    query = f"SELECT * FROM {statement}" if statement.startswith("TABLE(") else statement
    script = f"{DDL}{query};"
    with pytest.raises(UserError) as caught:
        bind(script)
    error = caught.value
    assert error.code == code
    assert error.hint
    assert error.position is not None
    if place is not None:
        line = script.splitlines()[error.position.line - 1]
        start = error.position.column - 1
        assert _squeezed(line[start : start + error.position.length]) == _squeezed(place)


def _squeezed(text: str) -> str:
    return text.replace("`", "").replace(" ", "")


@pytest.mark.parametrize(
    ("construct", "query"),
    [
        (
            "IN (SELECT ...)",
            "SELECT 1 FROM Orders AS a LEFT JOIN Orders AS b ON a.k IN (SELECT k FROM Other)",
        ),
        (
            "a query in ON",
            "SELECT 1 FROM Orders AS a LEFT JOIN Orders AS b ON EXISTS (SELECT k FROM Other)",
        ),
        ("FOR SYSTEM_TIME AS OF", "SELECT * FROM Orders FOR SYSTEM_TIME AS OF ts"),
        (
            "ALL ROWS PER MATCH",
            "SELECT * FROM Orders MATCH_RECOGNIZE (ORDER BY ts MEASURES A.id AS x "
            "ALL ROWS PER MATCH PATTERN (A) DEFINE A AS TRUE)",
        ),
    ],
)
def test_what_is_not_there_yet_is_refused_by_name(construct: str, query: str) -> None:
    with pytest.raises(UserError) as caught:
        bind(f"{DDL}{query};")
    assert caught.value.code == "UNSUPPORTED"
    assert construct in caught.value.message
    assert caught.value.position is not None
    assert caught.value.hint


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(UserError) as caught:
        bind(f"{DDL}SELECT prise FROM Orders;")
    assert caught.value.hint == "Did you mean 'price'?"
