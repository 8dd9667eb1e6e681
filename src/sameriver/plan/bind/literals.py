"""Literals, typed as Flink types them."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from math import isinf

from sqlglot import exp

from sameriver.common import types as t
from sameriver.common.errors import UserError
from sameriver.common.types import DataType, Root
from sameriver.plan.bind.context import Environment
from sameriver.plan.bind.intervals import interval
from sameriver.plan.expressions import Call, Expression, Literal
from sameriver.sql import data_type

_INT = 2**31 - 1
_BIGINT = 2**63 - 1
_MOST_DIGITS = 38
_MICROSECONDS = 6
"""Digits of a second that Python's times hold; a literal with more is read by CAST."""


def bind_literal(node: exp.Expr, environment: Environment) -> Expression:
    """A number or a string."""
    assert isinstance(node, exp.Literal)
    return text(node.this) if node.is_string else number(node.this)


def text(value: str) -> Literal:
    """``'abc'``: CHAR(3) NOT NULL."""
    return Literal(value, t.char(len(value)).not_null)


def number(written: str) -> Literal:
    """INT or BIGINT if whole, DECIMAL with the digits written, DOUBLE with an exponent.

    Raises:
        UserError: BAD_LITERAL for more than 38 digits.
    """
    if "e" in written.lower():
        if isinf(float(written)):
            raise _out_of_range(written)
        return Literal(float(written), t.DOUBLE.not_null)
    whole, _, fraction = written.partition(".")
    if fraction:
        digits = len(whole) + len(fraction)
        _check_digits(written, digits)
        return Literal(Decimal(written), t.decimal(digits, len(fraction)).not_null)
    return whole_number(int(whole))


def whole_number(value: int) -> Literal:
    """INT if it fits, else BIGINT.

    Raises:
        UserError: BAD_LITERAL for a larger number, as in Flink.
    """
    if -_INT - 1 <= value <= _INT:
        return Literal(value, t.INT.not_null)
    if -_BIGINT - 1 <= value <= _BIGINT:
        return Literal(value, t.BIGINT.not_null)
    raise _out_of_range(str(value))


def _out_of_range(written: str) -> UserError:
    return UserError(
        "BAD_LITERAL",
        f"the number '{written}' is out of range",
        hint=f"Write CAST('{written}' AS DECIMAL(38, 0)).",
    )


def _check_digits(written: str, digits: int) -> None:
    if digits > _MOST_DIGITS:
        raise UserError(
            "BAD_LITERAL",
            f"the number '{written}' has more than {_MOST_DIGITS} digits",
            hint="Write it with an exponent, such as 1.5E40, for a DOUBLE.",
        )


def bind_boolean(node: exp.Expr, environment: Environment) -> Expression:
    return Literal(bool(node.this), t.BOOLEAN.not_null)


def bind_binary(node: exp.Expr, environment: Environment) -> Expression:
    """``X'0AFF'``: BINARY(2) NOT NULL."""
    value = bytes.fromhex(node.this)
    return Literal(value, t.binary(len(value)).not_null)


def bind_null(node: exp.Expr, environment: Environment) -> Expression:
    return Literal(None, t.NULL)


def bind_symbol(node: exp.Expr, environment: Environment) -> Expression:
    """A word that a function takes, such as the unit of EXTRACT."""
    return text(node.name)


def bind_interval(node: exp.Expr, environment: Environment) -> Expression:
    assert isinstance(node, exp.Interval)
    return interval(node)


def temporal(node: exp.Expr) -> Expression | None:
    """``DATE '...'``, ``TIME '...'``, ``TIMESTAMP '...'``: a Cast to a NOT NULL type.

    Raises:
        UserError: BAD_LITERAL if there is no such day or time.
    """
    if not isinstance(node.this, exp.Literal) or not node.this.is_string:
        return None
    type = data_type(node.args["to"])
    if type.nullable or type.root not in (Root.DATE, Root.TIME, Root.TIMESTAMP):
        return None
    written = node.this.this.strip()
    try:
        moment = _moment(written, type)
        if (type.precision or 0) > _MICROSECONDS:
            return Call("CAST", (text(written),), type)
        return Literal(moment, type)
    except ValueError as error:
        raise UserError(
            "BAD_LITERAL",
            f"there is no {type.root.value} '{node.this.this}'",
            hint="Check the month, the day and the time of day.",
        ) from error


def _moment(written: str, type: DataType) -> date | time | datetime:
    day, _, clock = written.rpartition(" ") if " " in written else (written, "", written)
    if type.root is Root.DATE:
        return _day(written)
    if type.root is Root.TIME:
        moment = _clock(clock)
        return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    if " " not in written:
        return datetime.combine(_day(written), time())
    return datetime.combine(_day(day), _clock(clock))


def _day(written: str) -> date:
    year, month, day = (int(part) for part in written.split("-"))
    return date(year, month, day)


def _clock(written: str) -> time:
    whole, _, fraction = written.partition(".")
    hour, minute, second = (int(part) for part in whole.split(":"))
    return time(hour, minute, second, int(fraction[:6].ljust(6, "0") or 0))
