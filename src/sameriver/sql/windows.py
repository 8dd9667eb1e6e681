"""ORDER BY, and OVER windows."""

from __future__ import annotations

from sqlglot import exp

from sameriver.sql.cursor import Cursor


def order(cursor: Cursor) -> exp.Order:
    """``ORDER BY a [ASC | DESC] [NULLS FIRST | LAST], ...``."""
    start = cursor.token
    cursor.expect("ORDER", "BY")
    return cursor.mark(exp.Order(expressions=cursor.separated(lambda: _ordered(cursor))), start)


def _ordered(cursor: Cursor) -> exp.Ordered:
    start = cursor.token
    value = cursor.expression()
    descending = cursor.accept("DESC")
    if not descending:
        cursor.accept("ASC")
    nulls_first = None
    if cursor.accept("NULLS"):
        if not cursor.at_any("FIRST", "LAST"):
            cursor.unexpected("FIRST or LAST")
        nulls_first = cursor.advance().upper == "FIRST"
    return cursor.mark(exp.Ordered(this=value, desc=descending, nulls_first=nulls_first), start)


def over(cursor: Cursor, node: exp.Expr) -> exp.Expr:
    """The call as an exp.Window if OVER follows, else the call itself."""
    start = cursor.token
    if not cursor.accept("OVER"):
        return node
    if not cursor.at("("):
        name = cursor.identifier("'(' or the name of a window")
        return cursor.mark(exp.Window(this=node, alias=name, over="OVER"), start)
    parts = window_parts(cursor)
    window = exp.Window(this=node, over="OVER", **parts)
    return cursor.mark(window, start)


def window_parts(cursor: Cursor) -> dict[str, object]:
    """``([name] [PARTITION BY ...] [ORDER BY ...] [frame])`` as arguments of exp.Window."""
    opening = cursor.token
    cursor.expect("(")
    parts: dict[str, object] = {}
    if cursor.at_name():
        parts["alias"] = cursor.identifier()
    if cursor.accept("PARTITION"):
        cursor.expect("BY")
        parts["partition_by"] = cursor.separated(cursor.expression)
    if cursor.at("ORDER"):
        parts["order"] = order(cursor)
    if cursor.at_any("ROWS", "RANGE"):
        parts["spec"] = _frame(cursor)
    cursor.close(opening)
    return parts


def _frame(cursor: Cursor) -> exp.WindowSpec:
    token = cursor.advance()
    between = cursor.accept("BETWEEN")
    start, start_side = _bound(cursor)
    end: object = None
    end_side: str | None = None
    if between:
        cursor.expect("AND")
        end, end_side = _bound(cursor)
    spec = exp.WindowSpec(
        kind=token.upper, start=start, start_side=start_side, end=end, end_side=end_side
    )
    return cursor.mark(spec, token)


def _bound(cursor: Cursor) -> tuple[object, str | None]:
    if cursor.accept("CURRENT", "ROW"):
        return "CURRENT ROW", None
    value: object = "UNBOUNDED" if cursor.accept("UNBOUNDED") else cursor.operand()
    if not cursor.at_any("PRECEDING", "FOLLOWING"):
        cursor.unexpected("PRECEDING or FOLLOWING")
    return value, cursor.advance().upper
