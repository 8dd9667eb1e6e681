"""Queries: SELECT, VALUES, set operations, WITH, ORDER BY and LIMIT."""

from __future__ import annotations

from sqlglot import exp

from sameriver.sql.cursor import Cursor
from sameriver.sql.hints import hint
from sameriver.sql.relations import from_clause
from sameriver.sql.tokens import Kind, Token
from sameriver.sql.windows import order, window_parts

_ENDS = (";", ")", "END", "UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET", "FETCH")
"""What may follow a SELECT without FROM."""


def query(cursor: Cursor) -> exp.Expr:
    """``[WITH ...] body [ORDER BY ...] [LIMIT ...] [OFFSET ...] [FETCH ...]``.

    Raises:
        UserError: SYNTAX.
    """
    start = cursor.token
    ctes = _with(cursor) if cursor.at("WITH") else None
    node = _union(cursor)
    if ctes is not None:
        if node.args.get("with_"):
            cursor.unexpected("one WITH for a query")
        node.set("with_", ctes)
    _limits(cursor, node)
    return cursor.mark(node, start)


def _with(cursor: Cursor) -> exp.With:
    start = cursor.advance()
    if cursor.at("RECURSIVE"):
        cursor.advance()
        hint = "Flink runs no recursive queries in streams."
        cursor.unsupported("WITH RECURSIVE", start, hint)
    return cursor.mark(exp.With(expressions=cursor.separated(lambda: _cte(cursor))), start)


def _cte(cursor: Cursor) -> exp.CTE:
    start = cursor.token
    alias = exp.TableAlias(this=cursor.identifier("the name of a WITH query"))
    if cursor.at("("):
        alias.set("columns", cursor.wrapped(lambda: cursor.separated(cursor.identifier)))
    cursor.expect("AS")
    return cursor.mark(exp.CTE(this=cursor.wrapped(cursor.query), alias=alias), start)


def _union(cursor: Cursor) -> exp.Expr:
    start = cursor.token
    left = _intersect(cursor)
    while cursor.at_any("UNION", "EXCEPT"):
        word = cursor.advance().upper
        node = exp.Union if word == "UNION" else exp.Except
        left = _combined(cursor, node, left, start)
    return left


def _intersect(cursor: Cursor) -> exp.Expr:
    """INTERSECT binds tighter than UNION and EXCEPT."""
    start = cursor.token
    left = _body(cursor)
    while cursor.accept("INTERSECT"):
        left = _combined(cursor, exp.Intersect, left, start)
    return left


def _combined(
    cursor: Cursor, node: type[exp.SetOperation], left: exp.Expr, start: Token
) -> exp.Expr:
    everything = cursor.accept("ALL")
    if not everything:
        cursor.accept("DISTINCT")
    right = _body(cursor) if node is exp.Intersect else _intersect(cursor)
    return cursor.mark(node(this=left, expression=right, distinct=not everything), start)


def _body(cursor: Cursor) -> exp.Expr:
    start = cursor.token
    match start.upper:
        case "SELECT":
            return _select(cursor)
        case "VALUES":
            cursor.advance()
            rows = cursor.separated(lambda: _values_row(cursor))
            return cursor.mark(exp.Values(expressions=rows), start)
        case "TABLE":
            cursor.advance()
            parts = cursor.parts("a table name")
            table = exp.Table(**dict(zip(("this", "db", "catalog"), parts[::-1], strict=False)))
            source = exp.From(this=cursor.mark(table, start))
            return cursor.mark(exp.Select(expressions=[exp.Star()], from_=source), start)
        case "(":
            cursor.advance()
            inner = cursor.query()
            cursor.close(start)
            return cursor.mark(exp.Subquery(this=inner), start)
    way_out = "WITH comes after INSERT INTO table." if start.upper == "INSERT" else ""
    return cursor.unexpected("a query: SELECT, VALUES, WITH or '('", way_out)


def _values_row(cursor: Cursor) -> exp.Tuple:
    start = cursor.token
    if cursor.accept("ROW"):
        _ = cursor.at("(") or cursor.unexpected("'('")
    if cursor.at("("):
        items = cursor.wrapped(lambda: cursor.separated(cursor.expression))
    else:
        items = [cursor.expression()]
    return cursor.mark(exp.Tuple(expressions=items), start)


def _select(cursor: Cursor) -> exp.Select:
    start = cursor.advance()
    node = exp.Select(hint=hint(cursor))
    if cursor.accept("DISTINCT"):
        node.set("distinct", exp.Distinct())
    else:
        cursor.accept("ALL")
    node.set("expressions", cursor.separated(lambda: _projection(cursor)))
    if not cursor.at("FROM"):
        if not (cursor.at_any(*_ENDS) or cursor.token.kind is Kind.END):
            cursor.unexpected("',' or FROM")
        return cursor.mark(node, start)
    source, joins = from_clause(cursor)
    node.set("from_", source)
    node.set("joins", joins or None)
    _clauses(cursor, node)
    return cursor.mark(node, start)


def _projection(cursor: Cursor) -> exp.Expr:
    start = cursor.token
    if cursor.at("*"):
        cursor.advance()
        return cursor.mark(exp.Star(), start)
    node = cursor.expression()
    if cursor.accept("AS"):
        alias = cursor.identifier("a name after AS")
    elif cursor.at_name():
        alias = cursor.identifier()
    else:
        return node
    if cursor.at_name() or cursor.token.kind in (Kind.STRING, Kind.NUMBER):
        cursor.unexpected("',' or FROM", "Is a comma or an operator missing before it?")
    return cursor.mark(exp.Alias(this=node, alias=alias), start)


def _clauses(cursor: Cursor, node: exp.Select) -> None:
    """What follows FROM, in its one order."""
    start = cursor.token
    if cursor.accept("WHERE"):
        node.set("where", cursor.mark(exp.Where(this=cursor.expression()), start))
    start = cursor.token
    if cursor.accept("GROUP"):
        cursor.expect("BY")
        _refuse_group_all(cursor)
        keys = cursor.separated(lambda: _group_element(cursor))
        node.set("group", cursor.mark(exp.Group(expressions=keys), start))
    start = cursor.token
    if cursor.accept("HAVING"):
        node.set("having", cursor.mark(exp.Having(this=cursor.expression()), start))
    if cursor.accept("WINDOW"):
        node.set("windows", cursor.separated(lambda: _named_window(cursor)))
    if cursor.at("QUALIFY"):
        start = cursor.advance()
        hint = "Filter a subquery that computes the OVER window instead."
        cursor.unsupported("QUALIFY", start, hint)


def _refuse_group_all(cursor: Cursor) -> None:
    if cursor.at_any("ALL", "DISTINCT"):
        cursor.unexpected("an expression", "Name the columns to group by.")


def _named_window(cursor: Cursor) -> exp.Window:
    start = cursor.token
    name = cursor.identifier("the name of a window")
    cursor.expect("AS")
    return cursor.mark(exp.Window(this=name, **window_parts(cursor)), start)


def _group_element(cursor: Cursor) -> exp.Expr:
    """An expression, ``()``, ``(a, b)``, GROUPING SETS, ROLLUP or CUBE."""
    start = cursor.token
    node: type[exp.Expr] | None = None
    if cursor.accept("GROUPING", "SETS"):
        node = exp.GroupingSets
    elif cursor.at("ROLLUP", "(") or cursor.at("CUBE", "("):
        node = exp.Rollup if cursor.advance().upper == "ROLLUP" else exp.Cube
    if node is not None:
        opening = cursor.token
        cursor.expect("(")
        sets = cursor.separated(lambda: _group_element(cursor))
        cursor.close(opening)
        return cursor.mark(node(expressions=sets), start)
    if cursor.accept("(", ")"):
        return cursor.mark(exp.Tuple(), start)
    element = cursor.expression()
    if isinstance(element, exp.Paren):
        return cursor.mark(exp.Tuple(expressions=[element.this]), start)
    if isinstance(element, exp.Anonymous) and start.upper == "(":
        return cursor.mark(exp.Tuple(expressions=element.expressions), start)
    return element


def _limits(cursor: Cursor, node: exp.Expr) -> None:
    if cursor.at("ORDER"):
        node.set("order", order(cursor))
    start = cursor.token
    if cursor.accept("LIMIT"):
        _limit(cursor, node, start)
    start = cursor.token
    if cursor.accept("OFFSET"):
        offset = exp.Offset(expression=cursor.operand())
        _ = cursor.accept("ROW") or cursor.accept("ROWS")
        node.set("offset", cursor.mark(offset, start))
    start = cursor.token
    if cursor.at("FETCH") and node.args.get("limit") is None:
        cursor.advance()
        _fetch(cursor, node, start)
    elif cursor.at("LIMIT"):
        cursor.unexpected("the end of the query", "LIMIT comes before OFFSET: LIMIT n OFFSET m.")


def _limit(cursor: Cursor, node: exp.Expr, start: Token) -> None:
    if cursor.accept("ALL"):
        return
    count = cursor.operand()
    if cursor.at(","):
        after = cursor.peek().text
        cursor.unexpected("the end of the query", f"Write LIMIT {after} OFFSET {count.sql()}.")
    node.set("limit", cursor.mark(exp.Limit(expression=count), start))


def _fetch(cursor: Cursor, node: exp.Expr, start: Token) -> None:
    """``FETCH FIRST n ROWS ONLY`` says the same as ``LIMIT n``."""
    if not cursor.at_any("FIRST", "NEXT"):
        cursor.unexpected("FIRST or NEXT")
    cursor.advance()
    if cursor.at_any("ROW", "ROWS"):
        cursor.unexpected("the number of rows")
    count = cursor.operand()
    if not cursor.at_any("ROW", "ROWS"):
        cursor.unexpected("ROW or ROWS")
    cursor.advance()
    cursor.expect("ONLY")
    node.set("limit", cursor.mark(exp.Limit(expression=count), start))
