from __future__ import annotations

from typing import Any

import pytest

from sameriver.common.errors import UserError
from sameriver.sql import parse_script, parse_statement
from sameriver.sql.statements import (
    CreateFunction,
    CreateNamespace,
    CreateView,
    Describe,
    Drop,
    Explain,
    Insert,
    Name,
    Query,
    ResetOption,
    SetOption,
    Show,
    StatementSet,
    Use,
)


def plain(statement: Any) -> dict[str, Any]:
    """The fields that were given, names as text."""
    fields = {name: getattr(statement, name) for name in statement.__dataclass_fields__}
    fields = {k: str(v) if isinstance(v, Name) else v for k, v in fields.items()}
    return {k: v for k, v in fields.items() if v not in (None, False, "", ()) and k != "position"}


@pytest.mark.parametrize(
    ("sql", "kind", "expected"),
    [
        ("SET", SetOption, {}),
        ("SET 'a.b' = 'c d'", SetOption, {"key": "a.b", "value": "c d"}),
        ("set a.b-c = 36 h", SetOption, {"key": "a.b-c", "value": "36 h"}),
        ("SET z = Asia/Shanghai", SetOption, {"key": "z", "value": "Asia/Shanghai"}),
        ("SET d = 2s", SetOption, {"key": "d", "value": "2s"}),
        ("RESET", ResetOption, {}),
        ("RESET 'a.b'", ResetOption, {"key": "a.b"}),
        ("RESET a.b", ResetOption, {"key": "a.b"}),
        ("USE d", Use, {"kind": "DATABASE", "name": "d"}),
        ("USE c.d", Use, {"kind": "DATABASE", "name": "c.d"}),
        ("USE CATALOG c", Use, {"kind": "CATALOG", "name": "c"}),
        ("SHOW TABLES", Show, {"kind": "TABLES"}),
        ("SHOW TABLES FROM d", Show, {"kind": "TABLES", "name": "d"}),
        ("SHOW TABLES LIKE 'a%'", Show, {"kind": "TABLES", "like": "a%"}),
        ("SHOW VIEWS NOT LIKE 'a'", Show, {"kind": "VIEWS", "like": "a", "negated": True}),
        ("SHOW USER FUNCTIONS", Show, {"kind": "USER FUNCTIONS"}),
        ("SHOW CURRENT DATABASE", Show, {"kind": "CURRENT DATABASE"}),
        ("SHOW CREATE TABLE t", Show, {"kind": "CREATE TABLE", "name": "t"}),
        ("SHOW CREATE VIEW v", Show, {"kind": "CREATE VIEW", "name": "v"}),
        ("SHOW COLUMNS IN t", Show, {"kind": "COLUMNS", "name": "t"}),
        ("DESCRIBE t", Describe, {"name": "t"}),
        ("DESC EXTENDED c.d.t", Describe, {"name": "c.d.t"}),
        ("DROP TABLE IF EXISTS t", Drop, {"kind": "TABLE", "name": "t", "if_exists": True}),
        ("DROP TEMPORARY VIEW v", Drop, {"kind": "VIEW", "name": "v", "temporary": True}),
        (
            "DROP TEMPORARY SYSTEM FUNCTION f",
            Drop,
            {"kind": "FUNCTION", "name": "f", "temporary": True},
        ),
        ("DROP DATABASE d RESTRICT", Drop, {"kind": "DATABASE", "name": "d"}),
        (
            "CREATE DATABASE IF NOT EXISTS d COMMENT 'x' WITH ('a' = 'b')",
            CreateNamespace,
            {"kind": "DATABASE", "name": "d", "if_not_exists": True, "options": (("a", "b"),)},
        ),
        (
            "CREATE CATALOG c WITH ('a' = 'b')",
            CreateNamespace,
            {"kind": "CATALOG", "name": "c", "options": (("a", "b"),)},
        ),
        (
            "CREATE TEMPORARY SYSTEM FUNCTION IF NOT EXISTS f AS 'm.f' LANGUAGE PYTHON",
            CreateFunction,
            {
                "name": "f",
                "identifier": "m.f",
                "language": "PYTHON",
                "temporary": True,
                "system": True,
                "if_not_exists": True,
            },
        ),
    ],
)
def test_statement_is_read(sql: str, kind: type, expected: dict[str, Any]) -> None:
    statement = parse_statement(sql)
    assert type(statement) is kind
    assert plain(statement) == expected


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        ("CREATE VIEW", {}),
        ("CREATE OR REPLACE VIEW", {"or_replace": True}),
        ("CREATE TEMPORARY VIEW IF NOT EXISTS", {"temporary": True, "if_not_exists": True}),
    ],
)
def test_view_is_read(words: str, flags: dict[str, bool]) -> None:
    view = parse_statement(f"{words} v (a, b) COMMENT 'x' AS SELECT 1, 2")
    assert isinstance(view, CreateView)
    fields = plain(view)
    del fields["query"]
    said = {"said": "SELECT 1, 2"}
    assert fields == {"name": "v", "columns": ("a", "b"), "comment": "x", **said, **flags}


def test_insert_keeps_partition_and_columns() -> None:
    insert = parse_statement("INSERT INTO d.t PARTITION (p = 1, q = 'x') (a, b) VALUES (1, 2)")
    assert isinstance(insert, Insert)
    assert insert.table.parts == ("d", "t")
    assert [(name, value.name) for name, value in insert.partition] == [("p", "1"), ("q", "x")]
    assert insert.columns == ("a", "b")
    assert not insert.overwrite


def test_query_in_parentheses_is_no_column_list() -> None:
    insert = parse_statement("INSERT OVERWRITE t (SELECT a FROM u)")
    assert isinstance(insert, Insert)
    assert insert.columns == ()
    assert insert.overwrite


@pytest.mark.parametrize(
    "sql",
    [
        "EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1; INSERT INTO u SELECT 2; END;",
        "BEGIN STATEMENT SET; INSERT INTO t SELECT 1; INSERT INTO u SELECT 2; END",
    ],
)
def test_statement_set_holds_its_inserts(sql: str) -> None:
    statement = parse_statement(sql)
    assert isinstance(statement, StatementSet)
    assert [str(insert.table) for insert in statement.inserts] == ["t", "u"]


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("EXPLAIN SELECT 1", Query),
        ("EXPLAIN PLAN FOR SELECT 1", Query),
        ("EXPLAIN ESTIMATED_COST, CHANGELOG_MODE INSERT INTO t SELECT 1", Insert),
        ("EXPLAIN STATEMENT SET BEGIN INSERT INTO t SELECT 1; END", StatementSet),
    ],
)
def test_explain_holds_its_statement(sql: str, kind: type) -> None:
    statement = parse_statement(sql)
    assert isinstance(statement, Explain)
    assert type(statement.statement) is kind


def test_comments_and_empty_statements_are_skipped() -> None:
    script = "-- a; b\n;; /* c; */ SET 'a' = 'b'; // d\n;\nSELECT ';' -- e"
    assert [type(s) for s in parse_script(script)] == [SetOption, Query]


def test_parse_statement_wants_exactly_one() -> None:
    for sql in ("", "-- nothing", "SET; SET"):
        with pytest.raises(UserError, match="expected one statement"):
            parse_statement(sql)
