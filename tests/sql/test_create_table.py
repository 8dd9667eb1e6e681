from __future__ import annotations

from sameriver.common import types as t
from sameriver.sql import parse_statement
from sameriver.sql.statements import CreateTable

from .shapes import shape


def create(sql: str) -> CreateTable:
    statement = parse_statement(sql)
    assert isinstance(statement, CreateTable)
    return statement


def test_physical_column_has_type_and_comment() -> None:
    column = create("CREATE TABLE t (a INT NOT NULL COMMENT 'it''s')").columns[0]
    assert (column.name, column.type, column.comment) == ("a", t.INT.not_null, "it's")


def test_computed_column_has_an_expression() -> None:
    column = create("CREATE TABLE t (a INT, b AS a + 1 COMMENT 'x')").columns[1]
    assert column.type is None
    assert shape(column.expression) == "Add(a, 1)"
    assert column.comment == "x"


def test_metadata_key_is_the_name_unless_from_says_else() -> None:
    table = create(
        "CREATE TABLE t (a INT METADATA, b INT METADATA VIRTUAL, c INT METADATA FROM 'k' VIRTUAL)"
    )
    assert [(c.metadata, c.virtual) for c in table.columns] == [
        ("a", False),
        ("b", True),
        ("k", True),
    ]


def test_watermark_takes_any_expression() -> None:
    table = create("CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)")
    assert table.watermark is not None
    assert table.watermark.column == "ts"
    assert shape(table.watermark.expression) == "Sub(ts, Interval('5', SECOND))"


def test_watermark_may_be_on_a_nested_field() -> None:
    table = create("CREATE TABLE t (r ROW<ts TIMESTAMP(3)>, WATERMARK FOR r.ts AS r.ts)")
    assert table.watermark is not None
    assert table.watermark.column == "r.ts"


def test_source_watermark_has_no_expression() -> None:
    table = create("CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK())")
    assert table.watermark is not None
    assert table.watermark.expression is None


def test_primary_key_of_a_column_and_of_the_table_are_the_same() -> None:
    for sql in (
        "CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED)",
        "CREATE TABLE t (a INT, PRIMARY KEY (a) NOT ENFORCED)",
        "CREATE TABLE t (a INT, CONSTRAINT pk PRIMARY KEY (a) NOT ENFORCED)",
    ):
        assert create(sql).primary_key == ("a",)


def test_table_parts_are_kept() -> None:
    table = create(
        "CREATE TEMPORARY TABLE IF NOT EXISTS c.d.`my t` (a INT) COMMENT 'x' PARTITIONED BY (a)"
        " WITH ('connector' = 'print', 'k' = 'it''s')"
    )
    assert table.name.parts == ("c", "d", "my t")
    assert (table.temporary, table.if_not_exists, table.comment) == (True, True, "x")
    assert table.partitioned_by == ("a",)
    assert table.options == (("connector", "print"), ("k", "it's"))


def test_like_keeps_its_options_in_order() -> None:
    table = create(
        "CREATE TABLE t LIKE d.u (INCLUDING ALL excluding OPTIONS OVERWRITING WATERMARKS)"
    )
    assert table.like is not None
    assert table.like.table.parts == ("d", "u")
    assert table.like.options == (
        ("INCLUDING", "ALL"),
        ("EXCLUDING", "OPTIONS"),
        ("OVERWRITING", "WATERMARKS"),
    )


def test_create_table_as_has_a_query() -> None:
    table = create("CREATE TABLE t WITH ('k' = 'v') AS SELECT a FROM u")
    assert shape(table.query) == "Select((a), From(Table(u)))"


def test_create_table_as_may_name_its_columns() -> None:
    table = create("CREATE TABLE t (b, a) WITH ('k' = 'v') AS SELECT 1 AS a, 2 AS b")
    assert [column.name for column in table.columns] == ["b", "a"]
