"""CREATE and DROP."""

from __future__ import annotations

from collections.abc import Callable

from sameriver.sql.create_table import comment, create_table, names, options, table_name
from sameriver.sql.cursor import Cursor
from sameriver.sql.statements import CreateFunction, CreateNamespace, CreateView, Drop, Statement
from sameriver.sql.tokens import Token

_OTHERS = ("MATERIALIZED", "MODEL", "CONNECTION")


def create(cursor: Cursor) -> Statement:
    """``CREATE [OR REPLACE] [TEMPORARY] [SYSTEM] TABLE | VIEW | FUNCTION | DATABASE | CATALOG``."""
    start = cursor.advance()
    replace = cursor.accept("OR", "REPLACE")
    temporary = cursor.accept("TEMPORARY")
    system = temporary and cursor.accept("SYSTEM")
    what = cursor.token.upper
    if what in _OTHERS:
        cursor.advance()
        cursor.unsupported(f"CREATE {what}", start, "Create a TABLE or a VIEW.")
    rules: dict[str, Callable[[], Statement]] = {
        "TABLE": lambda: create_table(cursor, start, temporary=temporary),
        "VIEW": lambda: _view(cursor, start, temporary=temporary, replace=replace),
        "FUNCTION": lambda: _function(cursor, start, temporary=temporary, system=system),
        "DATABASE": lambda: _namespace(cursor, start, "DATABASE"),
        "CATALOG": lambda: _namespace(cursor, start, "CATALOG"),
    }
    if what not in rules:
        cursor.unexpected("TABLE, VIEW, FUNCTION, DATABASE or CATALOG")
    cursor.advance()
    if replace and what != "VIEW":
        cursor.unsupported(f"CREATE OR REPLACE {what}", start, f"DROP {what} IF EXISTS first.")
    return rules[what]()


def _view(cursor: Cursor, start: Token, *, temporary: bool, replace: bool) -> CreateView:
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    name = table_name(cursor, "a view name")
    columns = names(cursor) if cursor.at("(") else ()
    text = comment(cursor)
    cursor.expect("AS")
    first = cursor.token
    return CreateView(
        name=name,
        columns=columns,
        query=cursor.query(),
        said=cursor.said(first),
        comment=text,
        temporary=temporary,
        if_not_exists=if_not_exists,
        or_replace=replace,
        position=cursor.span(start),
    )


def _function(cursor: Cursor, start: Token, *, temporary: bool, system: bool) -> CreateFunction:
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    name = table_name(cursor, "a function name")
    cursor.expect("AS")
    identifier = cursor.string("the path of the function, in single quotes")
    language = "JAVA"
    if cursor.accept("LANGUAGE"):
        if not cursor.at_any("PYTHON", "JAVA", "SCALA"):
            cursor.unexpected("PYTHON, JAVA or SCALA")
        language = cursor.advance().upper
    if cursor.at("USING"):
        using = cursor.advance()
        cursor.unsupported(
            "USING JAR", using, "Functions are Python: AS 'module.name' LANGUAGE PYTHON."
        )
    return CreateFunction(
        name=name,
        identifier=identifier,
        language=language,
        temporary=temporary,
        system=system,
        if_not_exists=if_not_exists,
        position=cursor.span(start),
    )


def _namespace(cursor: Cursor, start: Token, kind: str) -> CreateNamespace:
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    name = table_name(cursor, f"a {kind.lower()} name")
    comment(cursor)
    found = options(cursor) if cursor.accept("WITH") else ()
    return CreateNamespace(
        kind=kind,
        name=name,
        options=found,
        if_not_exists=if_not_exists,
        position=cursor.span(start),
    )


def drop(cursor: Cursor) -> Drop:
    """``DROP [TEMPORARY] [SYSTEM] kind [IF EXISTS] name [RESTRICT | CASCADE]``."""
    start = cursor.advance()
    temporary = cursor.accept("TEMPORARY")
    if temporary:
        cursor.accept("SYSTEM")
    kind = cursor.token.upper
    if kind in _OTHERS:
        cursor.advance()
        cursor.unsupported(f"DROP {kind}", start, "Only tables, views and functions exist here.")
    if kind not in ("TABLE", "VIEW", "FUNCTION", "DATABASE", "CATALOG"):
        cursor.unexpected("TABLE, VIEW, FUNCTION, DATABASE or CATALOG")
    cursor.advance()
    if_exists = cursor.accept("IF", "EXISTS")
    name = table_name(cursor, f"a {kind.lower()} name")
    cascade = kind == "DATABASE" and not cursor.accept("RESTRICT") and cursor.accept("CASCADE")
    return Drop(
        kind=kind,
        name=name,
        temporary=temporary,
        cascade=cascade,
        if_exists=if_exists,
        position=cursor.span(start),
    )
