"""Statements about the catalog: what they show can be run again, and what they make is Flink's."""

from __future__ import annotations

import pytest

from sameriver import Session, UserError

SOURCE = "CREATE TABLE p (a INT, b STRING) WITH ('connector' = 'blackhole');"


def shown(session: Session, statement: str) -> str:
    return str(session.sql(statement).to_polars().to_series(0)[0])


def described(session: Session, table: str) -> list[tuple[object, ...]]:
    frame = session.sql(f"DESCRIBE {table}").to_polars()
    return frame.select("name", "type", "extras", "watermark").rows()


def code(session: Session, statement: str) -> str:
    with pytest.raises(UserError) as caught:
        session.execute(statement)
    return caught.value.code


@pytest.mark.parametrize(
    "declaration",
    [
        "CREATE TABLE x (`order` INT NOT NULL, k STRING, PRIMARY KEY (`order`) NOT ENFORCED)"
        " COMMENT 'all' PARTITIONED BY (k) WITH ('connector' = 'blackhole')",
        "CREATE TABLE x (`from` STRING, ts AS TO_TIMESTAMP(`from` || '  :00'), n AS"
        " CASE WHEN EXTRACT(DAY FROM TO_TIMESTAMP(`from`)) > 1 THEN TRIM(BOTH 'x' FROM `from`) END,"
        " WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'blackhole')",
        "CREATE TABLE x (a ARRAY<ROW<b INT, c MAP<STRING, DECIMAL(10, 2)>>>, p AS PROCTIME(),"
        " m STRING METADATA FROM 'file.path' VIRTUAL, ts TIMESTAMP_LTZ(3),"
        " WATERMARK FOR ts AS SOURCE_WATERMARK())"
        " WITH ('connector' = 'filesystem', 'path' = 'it''s', 'format' = 'json')",
    ],
)
def test_show_create_table_declares_the_table_again(declaration: str) -> None:
    session = Session()
    session.execute(declaration)
    ddl, columns = shown(session, "SHOW CREATE TABLE x"), described(session, "x")
    session.execute("CREATE TABLE y LIKE x")
    session.execute("DROP TABLE x")
    session.execute(ddl)
    assert shown(session, "SHOW CREATE TABLE x") == ddl
    assert described(session, "x") == columns
    # as in Flink, LIKE takes over all but the comment
    inherited = ddl.replace("`x`", "`y`").replace("COMMENT 'all'\n", "")
    assert shown(session, "SHOW CREATE TABLE y") == inherited


def test_show_create_view_makes_the_view_again() -> None:
    session = Session()
    session.execute(
        "CREATE VIEW v (`key`, n) COMMENT 'it''s' AS\n"
        "SELECT k, COUNT(*) FROM (VALUES ('a'), ('a')) AS t (k) GROUP BY k; -- done"
    )
    ddl = shown(session, "SHOW CREATE VIEW v")
    assert ddl == (
        "CREATE VIEW `default_catalog`.`default_database`.`v` (\n  `key`,\n  `n`\n)\n"
        "COMMENT 'it''s'\n"
        "AS SELECT k, COUNT(*) FROM (VALUES ('a'), ('a')) AS t (k) GROUP BY k"
    )
    session.execute(f"DROP VIEW v; {ddl}")
    assert session.sql("SELECT `key`, n FROM v").to_polars().rows() == [("a", 2)]


def test_a_database_is_dropped_with_what_it_holds() -> None:
    session = Session()
    session.execute(
        "CREATE DATABASE d; CREATE TABLE d.t (a INT) WITH ('connector' = 'blackhole');"
        "CREATE VIEW d.v AS SELECT a FROM d.t;"
    )
    assert code(session, "DROP DATABASE d") == "NOT_EMPTY"
    assert code(session, "USE d; DROP DATABASE d CASCADE") == "IN_USE"
    session.execute("USE default_database; DROP DATABASE d CASCADE; CREATE DATABASE d;")
    assert session.sql("SHOW TABLES FROM d").to_polars().height == 0
    session.execute("DROP DATABASE d RESTRICT; DROP DATABASE IF EXISTS d CASCADE")


@pytest.mark.parametrize(
    ("columns", "query", "expected"),
    [
        ("", "SELECT a, b", ["a INT", "b STRING"]),
        ("(b, a)", "SELECT a, b", ["b STRING", "a INT"]),
        ("(c INT)", "SELECT a, b", ["c INT", "a INT", "b STRING"]),
        ("(b STRING, a BIGINT)", "SELECT a, b", ["a BIGINT", "b STRING"]),
        (
            "(a DOUBLE, x AS a * 2, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)",
            "SELECT a, b",
            ["x DOUBLE", "ts TIMESTAMP(3) *ROWTIME*", "a DOUBLE", "b STRING"],
        ),
        (
            "(WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)",
            "SELECT a, TO_TIMESTAMP(b) AS ts",
            ["a INT", "ts TIMESTAMP(3) *ROWTIME*"],
        ),
        (
            "(PRIMARY KEY (a) NOT ENFORCED)",
            "SELECT COALESCE(a, 0) AS a, b",
            ["a INT", "b STRING"],
        ),
    ],
)
def test_create_as_merges_columns_as_flink_does(
    columns: str, query: str, expected: list[str]
) -> None:
    session = Session()
    rows = "FROM (VALUES (1, CAST('2026-01-01 00:00:00' AS STRING))) AS t (a, b)"
    session.execute(f"CREATE TABLE x {columns} WITH ('connector' = 'print') AS {query} {rows}")
    assert [f"{name} {type}" for name, type, *_ in described(session, "x")] == expected


def test_columns_of_the_list_that_the_query_lacks_are_null(
    capfd: pytest.CaptureFixture[str],
) -> None:
    Session().execute(
        "CREATE TABLE x (c INT, b STRING, a BIGINT) WITH ('connector' = 'print') AS"
        " SELECT a, b FROM (VALUES (1, 'y')) AS t (a, b)"
    )
    assert capfd.readouterr().out == "+I[null, 1, y]\n"


@pytest.mark.parametrize(
    ("columns", "error"),
    [
        ("(b)", "BAD_CREATE_AS"),
        ("(b, q)", "BAD_CREATE_AS"),
        ("(b, b)", "BAD_CREATE_AS"),
        ("(PRIMARY KEY (a) NOT ENFORCED)", "BAD_CREATE_AS"),
        ("(a TIMESTAMP(3))", "SINK_TYPES"),
        ("(a STRING)", "SINK_TYPES"),
        ("(n INT NOT NULL)", "MISSING_COLUMN"),
        ("(a, b STRING)", "SYNTAX"),
        ("(b AS 'x')", "UNKNOWN_COLUMN"),
    ],
)
def test_create_as_refuses_what_flink_refuses(columns: str, error: str) -> None:
    session = Session()
    session.execute(SOURCE)
    query = "SELECT a, b FROM (VALUES (CAST(NULL AS INT), 'y')) AS t (a, b)"
    assert (
        code(session, f"CREATE TABLE x {columns} WITH ('connector' = 'print') AS {query}") == error
    )
    assert code(session, "DESCRIBE x") == "UNKNOWN_TABLE"


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("SHOW MODULES", ["core"]),
        ("SHOW JARS", []),
        ("SHOW DATABASES", ["default_database"]),
        ("SHOW CATALOGS", ["default_catalog"]),
        ("SHOW CURRENT DATABASE", ["default_database"]),
        ("SHOW CURRENT CATALOG", ["default_catalog"]),
        ("SHOW USER FUNCTIONS", []),
        ("SHOW FUNCTIONS LIKE 'uuid'", ["uuid"]),
        ("SHOW COLUMNS IN p LIKE 'a%'", ["a"]),
        ("SHOW TABLES IN default_catalog.default_database", ["p"]),
        ("SHOW VIEWS", []),
    ],
)
def test_show(statement: str, names: list[str]) -> None:
    session = Session()
    session.execute(SOURCE)
    assert session.sql(statement).to_polars().to_series(0).to_list() == names


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE p RENAME TO q",
        "ALTER TABLE p SET ('connector' = 'print')",
        "ALTER TABLE p ADD c INT",
        "ALTER VIEW v RENAME TO w",
        "ALTER DATABASE d SET ('a' = 'b')",
        "TRUNCATE TABLE p",
        "ANALYZE TABLE p COMPUTE STATISTICS",
        "USE MODULES core",
        "LOAD MODULE hive",
        "DESCRIBE DATABASE d",
        "SHOW PARTITIONS p",
        "CREATE OR REPLACE TABLE p (a INT)",
        "CREATE MATERIALIZED TABLE m AS SELECT 1",
        "DELETE FROM p",
        "UPDATE p SET a = 1",
        "CALL sys.f()",
        "ADD JAR 'x.jar'",
    ],
)
def test_what_is_not_done_is_refused_with_a_way_out(statement: str) -> None:
    session = Session()
    session.execute(SOURCE)
    with pytest.raises(UserError) as caught:
        session.execute(statement)
    assert caught.value.code == "UNSUPPORTED"
    assert caught.value.position is not None
    assert caught.value.hint
