"""JSON functions, whose arguments are followed by clauses of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sameriver.sql.cursor import Cursor
from sameriver.sql.nodes import Arguments
from sameriver.sql.types import type_node

_Parts = tuple[list[exp.Expr], dict[str, Any]]


def _path(cursor: Cursor) -> list[exp.Expr]:
    value = cursor.expression()
    cursor.expect(",")
    return [value, cursor.expression()]


def _handling(cursor: Cursor, words: tuple[str, ...]) -> dict[str, Any]:
    """``NULL ON EMPTY``, ``DEFAULT x ON ERROR`` and the like, each at most once."""
    options: dict[str, Any] = {}
    while cursor.at_any("DEFAULT", *words):
        word = cursor.advance().upper
        value: Any = word
        if word == "DEFAULT":
            value = ("DEFAULT", cursor.expression())
        elif word == "EMPTY":
            value = f"EMPTY {cursor.advance().upper}" if cursor.at_any("ARRAY", "OBJECT") else word
        cursor.expect("ON")
        if not cursor.at_any("EMPTY", "ERROR"):
            cursor.unexpected("EMPTY or ERROR")
        key = f"on_{cursor.token.upper.lower()}"
        if key in options:
            cursor.unexpected("each of ON EMPTY and ON ERROR once")
        cursor.advance()
        options[key] = value
    return options


def _value(cursor: Cursor) -> _Parts:
    arguments = _path(cursor)
    options: dict[str, Any] = {}
    if cursor.accept("RETURNING"):
        options["returning"] = type_node(cursor)
    options |= _handling(cursor, ("NULL", "ERROR"))
    return arguments, {"options": Arguments(options)}


def _query(cursor: Cursor) -> _Parts:
    arguments = _path(cursor)
    options: dict[str, Any] = {}
    if cursor.accept("RETURNING"):
        options["returning"] = type_node(cursor)
    if cursor.at_any("WITH", "WITHOUT"):
        options["wrapper"] = _wrapper(cursor)
    options |= _handling(cursor, ("NULL", "ERROR", "EMPTY"))
    return arguments, {"options": Arguments(options)}


def _wrapper(cursor: Cursor) -> str:
    """``WITHOUT``, ``WITH CONDITIONAL`` or ``WITH UNCONDITIONAL``; the word ARRAY says nothing."""
    kind = cursor.advance().upper
    if kind == "WITH":
        kind += " CONDITIONAL" if cursor.accept("CONDITIONAL") else " UNCONDITIONAL"
        cursor.accept("UNCONDITIONAL")
    cursor.accept("ARRAY")
    cursor.expect("WRAPPER")
    return kind


def _exists(cursor: Cursor) -> _Parts:
    arguments = _path(cursor)
    options: dict[str, Any] = {}
    if cursor.at_any("TRUE", "FALSE", "UNKNOWN", "ERROR"):
        options["on_error"] = cursor.advance().upper
        cursor.expect("ON", "ERROR")
    return arguments, {"options": Arguments(options)}


def _object(cursor: Cursor) -> _Parts:
    """Keys and values in turn."""
    arguments: list[exp.Expr] = []
    while not cursor.at(")") and not _at_null_clause(cursor):
        if arguments:
            cursor.expect(",")
        cursor.accept("KEY")
        arguments.append(cursor.expression())
        if not cursor.accept(":"):
            cursor.expect("VALUE")
        arguments.append(cursor.expression())
    return arguments, {"options": Arguments(_null_clause(cursor))}


def _array(cursor: Cursor) -> _Parts:
    empty = cursor.at(")") or _at_null_clause(cursor)
    arguments = [] if empty else cursor.separated(cursor.expression)
    return arguments, {"options": Arguments(_null_clause(cursor))}


def _at_null_clause(cursor: Cursor) -> bool:
    return cursor.at("NULL", "ON", "NULL") or cursor.at("ABSENT", "ON", "NULL")


def _null_clause(cursor: Cursor) -> dict[str, Any]:
    if not _at_null_clause(cursor):
        return {}
    word = cursor.advance().upper
    cursor.expect("ON", "NULL")
    return {"on_null": word}


JSON_CALLS: dict[str, Callable[[Cursor], _Parts]] = {
    "JSON_VALUE": _value,
    "JSON_QUERY": _query,
    "JSON_EXISTS": _exists,
    "JSON_OBJECT": _object,
    "JSON_OBJECTAGG": _object,
    "JSON_ARRAY": _array,
    "JSON_ARRAYAGG": _array,
}
