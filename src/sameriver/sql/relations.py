"""FROM: tables, subqueries, table functions, windowing functions, and joins between them."""

from __future__ import annotations

from sqlglot import exp

from sameriver.sql.calls import call
from sameriver.sql.cursor import Cursor
from sameriver.sql.expressions import at_query
from sameriver.sql.hints import hint
from sameriver.sql.match_recognize import match_recognize
from sameriver.sql.tokens import Kind, Token
from sameriver.sql.window_tvf import WINDOWS, window_tvf

_JOIN_WORDS = ("JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "OUTER")


def from_clause(cursor: Cursor) -> tuple[exp.From, list[exp.Join]]:
    """``FROM a JOIN b ON ..., c``: the first relation, and what is joined to it in order."""
    start = cursor.token
    cursor.expect("FROM")
    first = relation(cursor)
    source = cursor.mark(exp.From(this=first), start)
    return source, _joins(cursor)


def _joins(cursor: Cursor) -> list[exp.Join]:
    joins = []
    while cursor.at(",") or _at_join(cursor):
        joins.append(_join(cursor))
    return joins


def _at_join(cursor: Cursor) -> bool:
    if cursor.at("OUTER"):
        return cursor.peek().upper == "APPLY"
    return cursor.at_any(*_JOIN_WORDS)


def _join(cursor: Cursor) -> exp.Join:
    start = cursor.token
    if cursor.accept(","):
        return cursor.mark(exp.Join(this=relation(cursor), kind="CROSS"), start)
    if cursor.accept("CROSS", "APPLY") or cursor.accept("OUTER", "APPLY"):
        return _apply(cursor, start)
    parts: dict[str, object] = {}
    if cursor.accept("NATURAL"):
        parts["method"] = "NATURAL"
    if cursor.at_any("LEFT", "RIGHT", "FULL"):
        parts["side"] = cursor.advance().upper
        cursor.accept("OUTER")
    elif cursor.at_any("INNER", "CROSS"):
        parts["kind"] = cursor.advance().upper
    cursor.expect("JOIN")
    parts["this"] = relation(cursor)
    if cursor.accept("ON"):
        parts["on"] = cursor.expression()
    elif cursor.accept("USING"):
        parts["using"] = cursor.wrapped(lambda: cursor.separated(cursor.identifier))
    elif parts.get("kind") != "CROSS" and "method" not in parts:
        cursor.unexpected("ON or USING", "Every JOIN needs a condition; CROSS JOIN has none.")
    return cursor.mark(exp.Join(**parts), start)


def _apply(cursor: Cursor, start: Token) -> exp.Join:
    """``CROSS APPLY f(x)`` is CROSS JOIN LATERAL, ``OUTER APPLY`` is LEFT JOIN LATERAL."""
    outer = start.upper == "OUTER"
    table = relation(cursor)
    if not isinstance(table, exp.Lateral):
        alias = table.args.get("alias")
        table.set("alias", None)
        function = table.this if isinstance(table.this, exp.Anonymous) else table
        table = exp.Lateral(this=function, alias=alias)
    table.set("cross_apply", not outer)
    parts = {"side": "LEFT", "on": exp.Boolean(this=True)} if outer else {"kind": "CROSS"}
    return cursor.mark(exp.Join(this=table, **parts), start)


def relation(cursor: Cursor) -> exp.Expr:
    """One table of FROM, with its alias."""
    start = cursor.token
    node = _source(cursor)
    if cursor.at("MATCH_RECOGNIZE"):
        node = match_recognize(cursor, node)
    if cursor.at("TABLESAMPLE"):
        cursor.advance()
        cursor.unsupported("TABLESAMPLE", start, "Filter the rows with WHERE instead.")
    alias = _alias(cursor)
    if alias is not None:
        node.set("alias", alias)
    if cursor.at("MATCH_RECOGNIZE"):
        node = match_recognize(cursor, node)
        node.set("alias", _alias(cursor))
    return cursor.mark(node, start)


PROCESS = ("TO_CHANGELOG", "FROM_CHANGELOG", "ML_PREDICT", "ML_EVALUATE", "VECTOR_SEARCH")
"""Flink's functions from tables to tables that are not there."""


def _source(cursor: Cursor) -> exp.Expr:
    start = cursor.token
    following = cursor.peek().upper
    _check_known(cursor)
    if cursor.at("("):
        return _parenthesized(cursor)
    if cursor.at("LATERAL"):
        cursor.advance()
        return exp.Lateral(this=_lateral(cursor))
    if cursor.at("TABLE", "("):
        cursor.advance()
        return _table_function(cursor)
    if cursor.at("UNNEST", "("):
        return _unnest(cursor)
    if start.kind is Kind.WORD and start.upper in WINDOWS and following == "(":
        return window_tvf(cursor)
    if cursor.at("VALUES"):
        cursor.unexpected("a table", "Put the rows in parentheses: (VALUES (1), (2)) AS t (a).")
    if following == "(" and start.kind in (Kind.WORD, Kind.QUOTED) and cursor.at_name():
        return exp.Table(this=call(cursor))
    return _table(cursor)


def _lateral(cursor: Cursor) -> exp.Expr:
    if cursor.at("TABLE", "("):
        cursor.advance()
        return cursor.wrapped(lambda: _function(cursor))
    if cursor.at("("):
        return _parenthesized(cursor)
    if cursor.at("UNNEST", "("):
        return _unnest(cursor)
    return _function(cursor)


def _table_function(cursor: Cursor) -> exp.Expr:
    opening = cursor.token
    cursor.expect("(")
    if cursor.token.kind is Kind.WORD and cursor.token.upper in WINDOWS:
        node: exp.Expr = window_tvf(cursor)
    else:
        node = exp.Table(this=_function(cursor))
    cursor.close(opening)
    return node


def _check_known(cursor: Cursor) -> None:
    """Raises UserError: UNSUPPORTED."""
    token = cursor.token
    if token.kind is Kind.WORD and token.upper in PROCESS and cursor.peek().upper == "(":
        hint = "Run this statement on Apache Flink, or compute the rows with a function in Python."
        cursor.unsupported(f"the function '{token.upper}' of a table", token, hint)


def _function(cursor: Cursor) -> exp.Expr:
    _check_known(cursor)
    if cursor.token.kind not in (Kind.WORD, Kind.QUOTED):
        cursor.unexpected("a table function")
    if cursor.peek().upper != "(":
        node = cursor.expression()
        if not isinstance(node, exp.Dot):
            cursor.unexpected("'(' and the arguments of the table function")
        return node
    return call(cursor)


def _unnest(cursor: Cursor) -> exp.Unnest:
    start = cursor.advance()
    items = cursor.wrapped(lambda: cursor.separated(cursor.expression))
    ordinality = None
    if cursor.accept("WITH"):
        cursor.expect("ORDINALITY")
        ordinality = True
    return cursor.mark(exp.Unnest(expressions=items, offset=ordinality), start)


def _parenthesized(cursor: Cursor) -> exp.Expr:
    """``(query)``, or joins in parentheses as a Subquery of a relation that has joins."""
    start = cursor.advance()
    if at_query(cursor):
        inner = cursor.query()
    else:
        inner = relation(cursor)
        inner.set("joins", _joins(cursor) or None)
    cursor.close(start)
    return cursor.mark(exp.Subquery(this=inner), start)


def _table(cursor: Cursor) -> exp.Table:
    start = cursor.token
    parts = cursor.parts("a table name")
    table = exp.Table(**dict(zip(("this", "db", "catalog"), reversed(parts), strict=False)))
    cursor.mark(table, start)
    found = hint(cursor)
    if found is not None:
        table.set("hints", [found])
    version = cursor.token
    if cursor.accept("FOR", "SYSTEM_TIME"):
        cursor.expect("AS", "OF")
        moment = exp.Version(this="SYSTEM_TIME", kind="AS OF", expression=cursor.operand())
        table.set("version", cursor.mark(moment, version))
    return table


def _alias(cursor: Cursor) -> exp.TableAlias | None:
    """``[AS] name [(columns)]``."""
    start = cursor.token
    if cursor.accept("AS"):
        name = cursor.identifier("a name after AS")
    elif cursor.at_name():
        name = cursor.identifier()
    else:
        return None
    alias = exp.TableAlias(this=name)
    if cursor.at("("):
        alias.set("columns", cursor.wrapped(lambda: cursor.separated(cursor.identifier)))
    return cursor.mark(alias, start)
