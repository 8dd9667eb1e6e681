"""Statements about the session: SET, RESET, USE, SHOW, DESCRIBE."""

from __future__ import annotations

from collections.abc import Callable

from sameriver.common.errors import Placed
from sameriver.sql.create_table import table_name
from sameriver.sql.cursor import Cursor
from sameriver.sql.statements import Describe, ResetOption, SetOption, Show, Use
from sameriver.sql.tokens import Kind

_LISTS = ("TABLES", "VIEWS", "FUNCTIONS", "DATABASES", "CATALOGS", "MODULES", "JARS", "JOBS")

_LIKE = ("TABLES", "VIEWS", "FUNCTIONS", "USER FUNCTIONS", "DATABASES", "CATALOGS", "COLUMNS")


def at_end(cursor: Cursor) -> bool:
    """Whether the statement ends here."""
    return cursor.at(";") or cursor.token.kind is Kind.END


def set_option(cursor: Cursor) -> SetOption:
    """``SET``, ``SET 'key' = 'value'``, or the same without quotes."""
    start = cursor.advance()
    if at_end(cursor):
        return SetOption(position=cursor.span(start))
    key = _placed(cursor, _key)
    cursor.expect("=")
    value = _placed(cursor, _value)
    return SetOption(key=key, value=value, position=cursor.span(start))


def reset_option(cursor: Cursor) -> ResetOption:
    """``RESET`` or ``RESET 'key'``."""
    start = cursor.advance()
    key = None if at_end(cursor) else _placed(cursor, _key)
    return ResetOption(key=key, position=cursor.span(start))


def _placed(cursor: Cursor, read: Callable[[Cursor], str]) -> Placed:
    start = cursor.token
    return Placed(read(cursor), cursor.span(start))


def _key(cursor: Cursor) -> str:
    """A string, or words joined by dots and hyphens."""
    first = cursor.token
    if first.kind is Kind.STRING:
        return cursor.advance().text
    if first.kind is not Kind.WORD:
        cursor.unexpected("an option such as 'table.local-time-zone', in single quotes")
    cursor.advance()
    while not (cursor.at("=") or at_end(cursor)):
        token = cursor.token
        joined = cursor.tokens[cursor.index - 1].end == token.start
        if not joined or not (token.kind in (Kind.WORD, Kind.NUMBER) or token.upper in (".", "-")):
            cursor.unexpected("'='", "SET takes one 'key' = 'value'; end it with ';'.")
        cursor.advance()
    return cursor.text[first.start : cursor.tokens[cursor.index - 1].end]


def _value(cursor: Cursor) -> str:
    """A string, or whatever stands on the rest of the line up to ``;``."""
    first = cursor.token
    if first.kind is Kind.STRING:
        return cursor.advance().text
    end = first.end
    while not at_end(cursor) and "\n" not in cursor.text[end : cursor.token.start]:
        end = cursor.token.end
        cursor.move(cursor.index + 1)
    if end == first.end and at_end(cursor) and cursor.token is first:
        cursor.unexpected("a value in single quotes")
    return cursor.text[first.start : end]


def use(cursor: Cursor) -> Use:
    """``USE [CATALOG] name``."""
    start = cursor.advance()
    if cursor.accept("MODULES"):
        cursor.unsupported("USE MODULES", start, "There is one module, with Flink's functions.")
    kind = "CATALOG" if cursor.accept("CATALOG") else "DATABASE"
    name = table_name(cursor, f"a {kind.lower()} name")
    return Use(kind=kind, name=name, position=cursor.span(start))


def show(cursor: Cursor) -> Show:
    """``SHOW TABLES [FROM name] [[NOT] LIKE pattern]``, ``SHOW CREATE TABLE name``, ..."""
    start = cursor.advance()
    kind, name = cursor.token.upper, None
    if kind in _LISTS or cursor.at("USER", "FUNCTIONS") or cursor.at("FULL", "MODULES"):
        cursor.advance()
        kind += "" if kind in _LISTS else f" {cursor.advance().upper}"
        if cursor.accept("FROM") or cursor.accept("IN"):
            name = table_name(cursor, "a database name")
    elif cursor.at("CURRENT", "DATABASE") or cursor.at("CURRENT", "CATALOG"):
        cursor.advance()
        kind += f" {cursor.advance().upper}"
    elif cursor.at("CREATE", "TABLE") or cursor.at("CREATE", "VIEW"):
        cursor.advance()
        kind += f" {cursor.advance().upper}"
        name = table_name(cursor)
    elif cursor.accept("COLUMNS"):
        if not (cursor.accept("FROM") or cursor.accept("IN")):
            cursor.unexpected("FROM and a table name")
        name = table_name(cursor)
    elif cursor.accept("PARTITIONS"):
        name = table_name(cursor)
    else:
        cursor.unexpected(", ".join(_LISTS[:-1]) + ", COLUMNS, CREATE TABLE or CURRENT DATABASE")
    negated = kind in _LIKE and cursor.accept("NOT")
    any_case = kind in _LIKE and cursor.at("ILIKE")
    like = None
    if negated or any_case or (kind in _LIKE and cursor.at("LIKE")):
        cursor.expect("ILIKE" if any_case else "LIKE")
        like = cursor.string("the pattern in single quotes")
    return Show(
        kind=kind,
        name=name,
        like=like,
        negated=negated,
        any_case=any_case,
        position=cursor.span(start),
    )


def describe(cursor: Cursor) -> Describe:
    """``DESCRIBE [EXTENDED] name``."""
    start = cursor.advance()
    for word in ("DATABASE", "CATALOG", "FUNCTION", "JOB", "MODEL", "CONNECTION"):
        if cursor.at(word) and cursor.peek().kind in (Kind.WORD, Kind.QUOTED, Kind.STRING):
            cursor.advance()
            cursor.unsupported(f"DESCRIBE {word}", start, "Write DESCRIBE and a table or view.")
    cursor.accept("EXTENDED")
    return Describe(name=table_name(cursor), position=cursor.span(start))
