"""Hints: ``/*+ NAME('key' = 'value', ...), ... */``."""

from __future__ import annotations

from sqlglot import exp

from sameriver.sql.cursor import Cursor
from sameriver.sql.tokens import Kind


def hint(cursor: Cursor) -> exp.Hint | None:
    """The hint that comes next, if one does."""
    start = cursor.token
    if not cursor.accept("/*+"):
        return None
    hints = [_one(cursor)]
    while not cursor.at("*/"):
        cursor.accept(",")
        hints.append(_one(cursor))
    cursor.advance()
    return cursor.mark(exp.Hint(expressions=hints), start)


def _one(cursor: Cursor) -> exp.Anonymous:
    start = cursor.token
    if start.kind is not Kind.WORD:
        cursor.unexpected("the name of a hint, or '*/'", "A hint is closed with '*/'.")
    cursor.advance()
    arguments: list[exp.Expr] = []
    opening = cursor.token
    if cursor.accept("("):
        if not cursor.at(")"):
            arguments = cursor.separated(lambda: _argument(cursor))
        cursor.close(opening)
    return cursor.mark(exp.Anonymous(this=start.upper, expressions=arguments), start)


def _argument(cursor: Cursor) -> exp.Expr:
    """``'key' = 'value'``, ``key = value``, or a lone name, number or string."""
    start = cursor.token
    key = _literal(cursor)
    if not cursor.accept("="):
        return key
    return cursor.mark(exp.EQ(this=key, expression=_literal(cursor)), start)


def _literal(cursor: Cursor) -> exp.Expr:
    """A literal; dotted names count as strings."""
    start = cursor.token
    if start.kind is Kind.STRING:
        cursor.advance()
        return cursor.mark(exp.Literal.string(start.text), start)
    if start.kind is Kind.NUMBER:
        cursor.advance()
        return cursor.mark(exp.Literal.number(start.text), start)
    if start.kind not in (Kind.WORD, Kind.QUOTED):
        cursor.unexpected("a string in single quotes or a name")
    text = cursor.advance().text
    while cursor.accept("."):
        text += "." + cursor.name()
    return cursor.mark(exp.Literal.string(text), start)
