"""CREATE TABLE: columns, watermark, keys, options, LIKE and AS."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from sameriver.common.errors import Placed, UserError
from sameriver.sql.cursor import Cursor
from sameriver.sql.statements import (
    ColumnDefinition,
    CreateTable,
    LikeClause,
    Name,
    WatermarkDefinition,
)
from sameriver.sql.tokens import Kind, Token
from sameriver.sql.types import nullable_type

_LIKE_PARTS = (
    "ALL",
    "CONSTRAINTS",
    "DISTRIBUTION",
    "GENERATED",
    "METADATA",
    "OPTIONS",
    "PARTITIONS",
    "WATERMARKS",
)


def table_name(cursor: Cursor, what: str = "a table name") -> Name:
    """A dotted name."""
    start = cursor.token
    parts = cursor.parts(what)
    return Name(tuple(str(part.this) for part in parts), cursor.span(start))


def names(cursor: Cursor, what: str = "a column name") -> tuple[str, ...]:
    """``(a, b, ...)``."""
    return tuple(cursor.wrapped(lambda: cursor.separated(lambda: cursor.name(what))))


def _placed_names(cursor: Cursor) -> tuple[Placed, ...]:
    """``(a, b, ...)``, each with its place."""
    return tuple(cursor.wrapped(lambda: cursor.separated(lambda: _placed_name(cursor))))


def _placed_name(cursor: Cursor) -> Placed:
    token = cursor.token
    return Placed(cursor.name("a column name"), cursor.position_of(token))


def comment(cursor: Cursor) -> str:
    """``[COMMENT 'text']``."""
    return cursor.string("the comment, in single quotes") if cursor.accept("COMMENT") else ""


def options(cursor: Cursor) -> tuple[tuple[str, str], ...]:
    """``('key' = 'value', ...)``; a key given twice is an error."""
    opening = cursor.token
    cursor.expect("(")
    found: dict[Placed, Placed] = {}
    if not cursor.at(")"):
        cursor.separated(lambda: _option(cursor, found))
    cursor.close(opening)
    return tuple(found.items())


def _option(cursor: Cursor, found: dict[Placed, Placed]) -> None:
    key = _quoted(cursor, "an option such as 'connector', in single quotes")
    cursor.expect("=")
    value = _quoted(cursor, f"the value of '{key}', in single quotes")
    if key in found:
        message, hint = f"option '{key}' is given twice", "Keep one of the two."
        raise UserError("SYNTAX", message, hint=hint, position=key.position)
    found[key] = value


def _quoted(cursor: Cursor, what: str) -> Placed:
    token = cursor.token
    if token.kind in (Kind.WORD, Kind.NUMBER):
        cursor.unexpected(what, f"Write '{token.text}'.")
    return Placed(cursor.string(what), cursor.position_of(token))


@dataclass(slots=True)
class _Body:
    """What stands between the parentheses of CREATE TABLE."""

    columns: list[ColumnDefinition] = field(default_factory=list)
    watermark: WatermarkDefinition | None = None
    primary_key: tuple[str, ...] = ()


def create_table(cursor: Cursor, start: Token, *, temporary: bool) -> CreateTable:
    """What follows CREATE [TEMPORARY] TABLE.

    Raises:
        UserError: SYNTAX; UNSUPPORTED; PRIMARY_KEY_ENFORCED, as in Flink, without NOT ENFORCED.
    """
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    name = table_name(cursor)
    body = _Body()
    opening = cursor.token
    if cursor.accept("("):
        cursor.separated(lambda: _element(cursor, body))
        cursor.close(opening)
    parts = _table_parts(cursor)
    like = _like(cursor) if cursor.accept("LIKE") else None
    query = None
    if like is None and cursor.accept("AS"):
        query = cursor.query()
    if query is None or any(column.type or column.expression for column in body.columns):
        _require_types(body)
    return CreateTable(
        name=name,
        columns=tuple(body.columns),
        watermark=body.watermark,
        primary_key=body.primary_key,
        temporary=temporary,
        if_not_exists=if_not_exists,
        like=like,
        query=query,
        position=cursor.span(start),
        **parts,
    )


def _require_types(body: _Body) -> None:
    for column in body.columns:
        if column.type is None and column.expression is None:
            raise UserError(
                "SYNTAX",
                f"column '{column.name}' has no type",
                hint=f"Write {column.name} STRING, for example, or {column.name} AS expression.",
                position=column.position,
            )


def _table_parts(cursor: Cursor) -> dict[str, Any]:
    parts: dict[str, Any] = {"comment": comment(cursor)}
    if cursor.at("DISTRIBUTED"):
        start = cursor.advance()
        cursor.unsupported("DISTRIBUTED BY", start, "Leave it out: no connector here has buckets.")
    if cursor.accept("PARTITIONED"):
        cursor.expect("BY")
        parts["partitioned_by"] = _placed_names(cursor)
    if cursor.accept("WITH"):
        parts["options"] = options(cursor)
    return parts


def _element(cursor: Cursor, body: _Body) -> None:
    start = cursor.token
    if cursor.at("PRIMARY", "KEY") or cursor.at("CONSTRAINT") or cursor.at("UNIQUE"):
        _set_key(cursor, body, _table_key(cursor), start)
    elif cursor.accept("WATERMARK"):
        if body.watermark is not None:
            where = cursor.position_of(start)
            hint = "A table has one watermark."
            raise UserError("SYNTAX", "WATERMARK is given twice", hint=hint, position=where)
        body.watermark = _watermark(cursor, start)
    else:
        column = _column(cursor)
        body.columns.append(column)
        if column.primary_key:
            _set_key(cursor, body, (column.name,), start)


def _set_key(cursor: Cursor, body: _Body, key: tuple[str, ...], start: Token) -> None:
    if body.primary_key:
        hint = "A key of several columns is one entry: PRIMARY KEY (a, b) NOT ENFORCED."
        where = cursor.span(start)
        raise UserError("SYNTAX", "PRIMARY KEY is given twice", hint=hint, position=where)
    body.primary_key = key


def _table_key(cursor: Cursor) -> tuple[str, ...]:
    start = cursor.token
    if cursor.accept("CONSTRAINT"):
        cursor.name("the name of the constraint")
    _key_words(cursor)
    key = _placed_names(cursor)
    _not_enforced(cursor, start)
    return key


def _key_words(cursor: Cursor) -> None:
    if cursor.at("UNIQUE"):
        start = cursor.advance()
        cursor.unsupported("UNIQUE", start, "Flink has PRIMARY KEY (...) NOT ENFORCED only.")
    cursor.expect("PRIMARY", "KEY")


def _not_enforced(cursor: Cursor, start: Token) -> None:
    if cursor.accept("NOT", "ENFORCED"):
        return
    cursor.accept("ENFORCED")
    raise UserError(
        "PRIMARY_KEY_ENFORCED",
        "a PRIMARY KEY can't be enforced: Flink does not own the data",
        hint="Add NOT ENFORCED after PRIMARY KEY.",
        position=cursor.span(start),
    )


def _watermark(cursor: Cursor, start: Token) -> WatermarkDefinition:
    cursor.expect("FOR")
    column = cursor.name("the time column")
    while cursor.accept("."):
        column += "." + cursor.name("the name of a field")
    cursor.expect("AS")
    first = cursor.token
    expression: exp.Expr | None = cursor.expression()
    if isinstance(expression, exp.Anonymous) and expression.name == "SOURCE_WATERMARK":
        expression = None
    return WatermarkDefinition(
        column=column,
        expression=expression,
        said=cursor.said(first),
        position=cursor.span(start),
    )


def _column(cursor: Cursor) -> ColumnDefinition:
    start = cursor.token
    name = cursor.name("a column name")
    parts: dict[str, Any] = {"name": name}
    if cursor.accept("AS"):
        first = cursor.token
        parts["expression"] = cursor.expression()
        parts["said"] = cursor.said(first)
    elif not (cursor.at_any(",", ")") or cursor.token.kind is Kind.END):
        parts["type"] = nullable_type(cursor)
        parts |= _type_constraints(cursor, name)
    parts["comment"] = comment(cursor)
    return ColumnDefinition(**parts, position=cursor.span(start))


def _type_constraints(cursor: Cursor, name: str) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    start = cursor.token
    if cursor.accept("METADATA"):
        parts["metadata"] = Placed(name, cursor.span(start))
        if cursor.accept("FROM"):
            parts["metadata"] = _quoted(cursor, "the metadata key, in single quotes")
        parts["virtual"] = cursor.accept("VIRTUAL")
        return parts
    if cursor.at_any("PRIMARY", "CONSTRAINT", "UNIQUE"):
        if cursor.accept("CONSTRAINT"):
            cursor.name("the name of the constraint")
        _key_words(cursor)
        _not_enforced(cursor, start)
        parts["primary_key"] = True
    if cursor.at("DEFAULT"):
        start = cursor.advance()
        cursor.unsupported("DEFAULT", start, "Flink has none: use COALESCE where you insert.")
    return parts


def _like(cursor: Cursor) -> LikeClause:
    table = table_name(cursor)
    chosen: tuple[tuple[str, str], ...] = ()
    opening = cursor.token
    if cursor.accept("("):
        found = []
        while not cursor.at(")"):
            found.append(_like_option(cursor))
            if cursor.at(","):
                cursor.unexpected("')'", "Options of LIKE follow each other without commas.")
        chosen = tuple(found)
        cursor.close(opening)
    return LikeClause(table=table, options=chosen)


def _like_option(cursor: Cursor) -> tuple[str, str]:
    if not cursor.at_any("INCLUDING", "EXCLUDING", "OVERWRITING"):
        cursor.unexpected("INCLUDING, EXCLUDING or OVERWRITING")
    strategy = cursor.advance().upper
    if not cursor.at_any(*_LIKE_PARTS):
        cursor.unexpected("one of " + ", ".join(_LIKE_PARTS))
    token = cursor.token
    part = cursor.advance().upper
    allowed = part in ("GENERATED", "METADATA", "OPTIONS", "WATERMARKS")
    if strategy == "OVERWRITING" and not allowed:
        where = cursor.position_of(token)
        hint = f"Write INCLUDING {part} or EXCLUDING {part}."
        raise UserError("SYNTAX", f"OVERWRITING {part} does not exist", hint=hint, position=where)
    return strategy, part
