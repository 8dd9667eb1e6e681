"""Literals of dates, times and intervals."""

from __future__ import annotations

import re

from sqlglot import exp

from sameriver.common import types as t
from sameriver.common.errors import UserError
from sameriver.sql.cursor import Cursor
from sameriver.sql.tokens import Kind, Token
from sameriver.sql.types import interval_span, node_of, time_type

_FORMATS = {
    "DATE": (r"\d{4}-\d{1,2}-\d{1,2}", "DATE '2026-01-31'"),
    "TIME": (r"\d{1,2}:\d{1,2}:\d{1,2}(?:\.(\d{1,9}))?", "TIME '23:59:59'"),
    "TIMESTAMP": (
        r"\d{4}-\d{1,2}-\d{1,2}(?: \d{1,2}:\d{1,2}:\d{1,2}(?:\.(\d{1,9}))?)?",
        "TIMESTAMP '2026-01-31 23:59:59'",
    ),
}


def is_temporal(cursor: Cursor) -> bool:
    """Whether ``DATE '...'``, ``TIME '...'`` or ``TIMESTAMP '...'`` comes next."""
    return cursor.at_any(*_FORMATS) and cursor.peek().kind is Kind.STRING


def temporal(cursor: Cursor) -> exp.Expr:
    """A literal as a Cast to its type; the precision is that of the digits written.

    Raises:
        UserError: BAD_LITERAL.
    """
    start = cursor.advance()
    token = cursor.advance()
    literal = cursor.mark(exp.Literal.string(token.text), token)
    pattern, example = _FORMATS[start.upper]
    found = re.fullmatch(pattern, token.text.strip())
    if found is None:
        raise UserError(
            "BAD_LITERAL",
            f"'{token.text}' is not a {start.upper} literal",
            hint=f"Write it like {example}.",
            position=cursor.position_of(token),
        )
    digits = len(found.group(1) or "") if found.re.groups else 0
    types = {"DATE": t.DATE, "TIME": time_type(digits), "TIMESTAMP": t.timestamp(digits)}
    return cursor.mark(exp.Cast(this=literal, to=node_of(types[start.upper].not_null)), start)


def _digits(cursor: Cursor) -> int:
    """How many digits the leading part may have: two, unless the unit says, as ``DAY(3)``."""
    number = cursor.peek(2).text
    return int(number) if cursor.peek(1).upper == "(" and number.isdigit() else 2


_MOST_DIGITS = 3
"""Digits that Flink takes of days and shorter units."""


def _check_digits(cursor: Cursor, token: Token, unit: str, most: int) -> None:
    """Refuses more digits than the unit says, or than Flink takes.

    Raises:
        UserError: BAD_INTERVAL.
    """
    leading = re.match(r"\s*[+-]?0*(\d*)", token.text)
    digits = len(leading[1]) if leading is not None else 0
    short = unit not in ("YEAR", "QUARTER", "MONTH")
    allowed = min(most, _MOST_DIGITS) if short else most
    if digits <= allowed and allowed == most:
        return
    hint = f"Say how many: INTERVAL '{token.text}' {unit}({digits})."
    if short and max(digits, most) > _MOST_DIGITS:
        hint = f"Take a longer unit, or multiply: INTERVAL '1' {unit} * 1000."
    raise UserError(
        "BAD_INTERVAL",
        f"'{token.text}' has more than {allowed} digits of {unit}"
        if digits > allowed
        else f"{unit}({most}) has more than {allowed} digits",
        hint=hint,
        position=cursor.position_of(token),
    )


def interval(cursor: Cursor) -> exp.Expr:
    """``INTERVAL ['-'] '1-2' YEAR TO MONTH``, where a literal comes next.

    Raises:
        UserError: BAD_INTERVAL for more digits than Flink takes.
    """
    start = cursor.advance()
    negative = cursor.accept("-")
    if not negative:
        cursor.accept("+")
    token = cursor.token
    cursor.advance()
    value = cursor.mark(exp.Literal.string(token.text), token)
    most = _digits(cursor)
    first, last = interval_span(cursor)
    _check_digits(cursor, token, first, most)
    units: exp.Expr = exp.Var(this=first)
    if last is not None:
        units = exp.IntervalSpan(this=units, expression=exp.Var(this=last))
    node: exp.Expr = cursor.mark(exp.Interval(this=value, unit=units), start)
    return cursor.mark(exp.Neg(this=node), start) if negative else node
