"""Function calls: all become ``exp.Anonymous``, special syntax in one order of arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sameriver.sql.cursor import Cursor
from sameriver.sql.json_calls import JSON_CALLS
from sameriver.sql.tokens import Kind
from sameriver.sql.windows import order, over
from sameriver.sql.words import CLAUSES

_BARE = (
    "CURRENT_TIMESTAMP",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_USER",
    "CURRENT_CATALOG",
    "LOCALTIMESTAMP",
    "LOCALTIME",
    "PI",
    "SESSION_USER",
    "SYSTEM_USER",
    "USER",
)
_BRACKETS = ("ARRAY", "MAP", "MULTISET")
_PARTS = (
    "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND",
    "MICROSECOND", "NANOSECOND", "EPOCH", "DECADE", "CENTURY", "MILLENNIUM", "DOY", "DOW",
    "ISODOW", "ISOYEAR",
)  # fmt: skip
_NOT_CALLS = (
    *CLAUSES,
    "CASE",
    "INTERVAL",
    "IN",
    "NOT",
    "IS",
    "LIKE",
    "SET",
    "DISTINCT",
    "ALL",
    "ANY",
    "SOME",
)


def no_parentheses(cursor: Cursor) -> exp.Expr | None:
    """CURRENT_DATE and the like, ``ARRAY[...]`` and ``MAP[...]``; None: something else."""
    token, following = cursor.token, cursor.peek().upper
    if token.upper in _BARE and following not in ("(", "."):
        cursor.advance()
        return cursor.mark(exp.Anonymous(this=token.upper, expressions=[]), token)
    if token.upper in _BRACKETS and following == "[":
        cursor.advance()
        opening = cursor.advance()
        items = [] if cursor.at("]") else cursor.separated(cursor.expression)
        cursor.close(opening, "]")
        return cursor.mark(exp.Anonymous(this=token.upper, expressions=items), token)
    return None


def call(cursor: Cursor) -> exp.Expr:
    """``name(...)`` with what may follow: FILTER, WITHIN GROUP, OVER."""
    start = cursor.token
    if start.kind is Kind.WORD and start.upper in _NOT_CALLS:
        cursor.unexpected("an expression")
    cursor.advance()
    name = start.upper or start.text.upper()
    opening = cursor.token
    cursor.expect("(")
    special = _SPECIAL.get(name) if start.kind is Kind.WORD else None
    if special is not None:
        arguments, options = special(cursor)
    else:
        arguments, options = _arguments(cursor), {}
    nulls = _nulls(cursor)
    cursor.close(opening)
    node: exp.Expr = exp.Anonymous(this=name, expressions=arguments, **options)
    cursor.mark(node, start)
    if nulls is not None:
        node = cursor.mark(nulls(this=node), start)
    return over(cursor, _modified(cursor, node))


def _modified(cursor: Cursor, node: exp.Expr) -> exp.Expr:
    """WITHIN GROUP, FILTER and the treatment of NULLs after a call."""
    start = cursor.tokens[cursor.index - 1]
    if cursor.at("WITHIN", "GROUP"):
        cursor.expect("WITHIN", "GROUP")
        opening = cursor.token
        cursor.expect("(")
        node = exp.WithinGroup(this=node, expression=order(cursor))
        cursor.close(opening)
        cursor.mark(node, start)
    nulls = _nulls(cursor)
    if nulls is not None:
        node = cursor.mark(nulls(this=node), start)
    if cursor.at("FILTER", "("):
        cursor.advance()
        opening = cursor.advance()
        cursor.expect("WHERE")
        node = exp.Filter(this=node, expression=exp.Where(this=cursor.expression()))
        cursor.close(opening)
        cursor.mark(node, start)
    return node


def _nulls(cursor: Cursor) -> type[exp.IgnoreNulls] | type[exp.RespectNulls] | None:
    if cursor.accept("IGNORE", "NULLS"):
        return exp.IgnoreNulls
    return exp.RespectNulls if cursor.accept("RESPECT", "NULLS") else None


def _arguments(cursor: Cursor) -> list[exp.Expr]:
    """``()``, ``(*)``, ``([DISTINCT | ALL] a, b, name => c)``."""
    start = cursor.token
    if cursor.at(")"):
        return []
    if cursor.at("*"):
        cursor.advance()
        return [cursor.mark(exp.Star(), start)]
    if cursor.accept("DISTINCT"):
        items = cursor.separated(cursor.expression)
        return [cursor.mark(exp.Distinct(expressions=items), start)]
    cursor.accept("ALL")
    return cursor.separated(lambda: _argument(cursor))


def _argument(cursor: Cursor) -> exp.Expr:
    start = cursor.token
    if cursor.at_name() and cursor.peek().upper == "=>":
        name = cursor.advance().text
        cursor.advance()
        return cursor.mark(
            exp.Kwarg(this=exp.Var(this=name), expression=cursor.expression()), start
        )
    if cursor.at("TABLE"):
        cursor.advance()
        table = cursor.parts("a table name")
        return cursor.mark(
            exp.Table(**dict(zip(("this", "db", "catalog"), table[::-1], strict=False))), start
        )
    return cursor.expression()


def unit(cursor: Cursor) -> exp.Var:
    """A unit of time as an exp.Var, upper case."""
    token = cursor.token
    word = token.upper.removeprefix("SQL_TSI_")
    if word not in _PARTS:
        hint = f"Write {word[:-1]}." if word[:-1] in _PARTS else ""
        cursor.unexpected("a unit of time such as DAY or MINUTE", hint)
    cursor.advance()
    return cursor.mark(exp.Var(this=word), token)


_Parts = tuple[list[exp.Expr], dict[str, Any]]


def _extract(cursor: Cursor) -> _Parts:
    part = unit(cursor)
    cursor.expect("FROM")
    return [part, cursor.expression()], {}


def _rounded(cursor: Cursor) -> _Parts:
    value = cursor.expression()
    if cursor.accept("TO"):
        return [value, unit(cursor)], {}
    return [value], {}


def _unit_first(cursor: Cursor) -> _Parts:
    part = unit(cursor)
    cursor.expect(",")
    return [part, *cursor.separated(cursor.expression)], {}


def _trim(cursor: Cursor) -> _Parts:
    where = exp.Var(this="BOTH")
    explicit = cursor.at_any("BOTH", "LEADING", "TRAILING")
    if explicit:
        where = exp.Var(this=cursor.advance().upper)
    blank: exp.Expr = exp.Literal.string(" ")
    if explicit and cursor.accept("FROM"):
        return [where, blank, cursor.expression()], {}
    value = cursor.expression()
    if cursor.accept("FROM"):
        return [where, value, cursor.expression()], {}
    return [where, blank, value], {}


def _position(cursor: Cursor) -> _Parts:
    part = cursor.operand()
    cursor.expect("IN")
    return [part, cursor.operand()], {}


def _cut(*words: str) -> Callable[[Cursor], _Parts]:
    """Arguments with a word before each but the first, or commas."""

    def rule(cursor: Cursor) -> _Parts:
        arguments = [cursor.expression()]
        if cursor.at(","):
            cursor.advance()
            return [*arguments, *cursor.separated(cursor.expression)], {}
        for word in words:
            if not cursor.accept(word):
                break
            arguments.append(cursor.expression())
        return arguments, {}

    return rule


_SPECIAL: dict[str, Callable[[Cursor], _Parts]] = {
    "EXTRACT": _extract,
    "FLOOR": _rounded,
    "CEIL": _rounded,
    "CEILING": _rounded,
    "TIMESTAMPADD": _unit_first,
    "TIMESTAMPDIFF": _unit_first,
    "TRIM": _trim,
    "POSITION": _position,
    "SUBSTRING": _cut("FROM", "FOR"),
    "OVERLAY": _cut("PLACING", "FROM", "FOR"),
    **JSON_CALLS,
}
