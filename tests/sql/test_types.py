from __future__ import annotations

import pytest

from sameriver.common.errors import UserError
from sameriver.sql import parse_statement
from sameriver.sql.statements import CreateTable


def type_of(sql: str) -> str:
    statement = parse_statement(f"CREATE TABLE t (a {sql})")
    assert isinstance(statement, CreateTable)
    return str(statement.columns[0].type)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("BOOLEAN", "BOOLEAN"),
        ("TINYINT", "TINYINT"),
        ("SMALLINT", "SMALLINT"),
        ("INT NOT NULL", "INT NOT NULL"),
        ("INTEGER NULL", "INT"),
        ("BIGINT", "BIGINT"),
        ("FLOAT", "FLOAT"),
        ("DOUBLE", "DOUBLE"),
        ("DOUBLE PRECISION", "DOUBLE"),
        ("DECIMAL", "DECIMAL(10, 0)"),
        ("DEC(5)", "DECIMAL(5, 0)"),
        ("NUMERIC(38, 38)", "DECIMAL(38, 38)"),
        ("CHAR", "CHAR(1)"),
        ("CHARACTER(3)", "CHAR(3)"),
        ("CHARACTER VARYING(7)", "VARCHAR(7)"),
        ("CHAR VARYING(7)", "VARCHAR(7)"),
        ("VARCHAR", "STRING"),
        ("VARCHAR(2147483647)", "STRING"),
        ("STRING", "STRING"),
        ("BINARY", "BINARY(1)"),
        ("BINARY VARYING(2)", "VARBINARY(2)"),
        ("VARBINARY", "BYTES"),
        ("BYTES", "BYTES"),
        ("DATE", "DATE"),
        ("TIME", "TIME(0)"),
        ("TIME(3) WITHOUT TIME ZONE", "TIME(3)"),
        ("TIMESTAMP", "TIMESTAMP(6)"),
        ("TIMESTAMP(9) WITHOUT TIME ZONE", "TIMESTAMP(9)"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"),
        ("TIMESTAMP_LTZ", "TIMESTAMP_LTZ(6)"),
        ("TIMESTAMP_LTZ(0)", "TIMESTAMP_LTZ(0)"),
        ("INTERVAL YEAR TO MONTH", "INTERVAL YEAR TO MONTH"),
        ("INTERVAL DAY(3) TO SECOND(3)", "INTERVAL DAY TO SECOND"),
        ("ARRAY<INT NOT NULL>", "ARRAY<INT NOT NULL>"),
        ("INT ARRAY", "ARRAY<INT>"),
        ("INT ARRAY MULTISET NOT NULL", "MULTISET<ARRAY<INT>> NOT NULL"),
        ("MULTISET<STRING>", "MULTISET<STRING>"),
        ("MAP<STRING NOT NULL, ARRAY<INT>>", "MAP<STRING NOT NULL, ARRAY<INT>>"),
        ("ROW(x INT)", "ROW<`x` INT>"),
        (
            "ROW<x INT, `y z` STRING NOT NULL COMMENT 'c', w DATE 'd'>",
            "ROW<`x` INT, `y z` STRING NOT NULL, `w` DATE>",
        ),
        ("row<r row<i int>>", "ROW<`r` ROW<`i` INT>>"),
        ("BITMAP NOT NULL", "BITMAP NOT NULL"),
        ("ARRAY<VARIANT>", "ARRAY<VARIANT>"),
        (
            "STRUCTURED<'shop.Item''s', id INT NOT NULL, name STRING>",
            "STRUCTURED<'shop.Item''s', `id` INT NOT NULL, `name` STRING>",
        ),
        ("STRUCTURED<'empty'>", "STRUCTURED<'empty'>"),
    ],
)
def test_type_is_read_with_its_defaults(sql: str, expected: str) -> None:
    assert type_of(sql) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "DECIMAL(39, 2)",
        "DECIMAL(0)",
        "DECIMAL(5, 6)",
        "TIMESTAMP(10)",
        "TIMESTAMP_LTZ(10)",
        "TIME(10)",
        "VARCHAR(0)",
        "CHAR(2147483648)",
        "BINARY(0)",
        "ARRAY<DECIMAL(39, 0)>",
    ],
)
def test_size_out_of_range_is_an_error(sql: str) -> None:
    with pytest.raises(UserError) as caught:
        type_of(sql)
    assert caught.value.code == "BAD_TYPE"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("sql", "instead"),
    [("TEXT", "STRING"), ("DATETIME", "TIMESTAMP"), ("BIGNIT", "BIGINT"), ("UUID", "STRING")],
)
def test_unknown_type_names_what_flink_has(sql: str, instead: str) -> None:
    with pytest.raises(UserError) as caught:
        type_of(sql)
    assert caught.value.code == "UNKNOWN_TYPE"
    assert instead in caught.value.hint
