"""Sizes, steps and offsets of windows: constants, checked."""

from __future__ import annotations

from datetime import timedelta

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.time import duration_text
from sameriver.common.types import Root
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.scope import Scope
from sameriver.plan.expressions import Call, Expression, Literal
from sameriver.plan.window import Window, WindowKind
from sameriver.sql.nodes import position

_DAY = "INTERVAL '1' DAY"


def milliseconds(node: exp.Expr, context: Context, what: str) -> int:
    """The length that a constant interval says.

    Raises:
        UserError: BAD_WINDOW: not constant, or in months.
    """
    bound = context.environment(Scope(), what).bind(node)
    if bound.type.root is Root.INTERVAL_YEAR_MONTH:
        raise bad(node, f"{what} is in months, whose lengths differ", f"Write days: {_DAY}.")
    value = _constant(bound)
    if not isinstance(value, timedelta):
        raise bad(node, f"{what} is no constant interval", f"Write an interval, such as {_DAY}.")
    return value // timedelta(milliseconds=1)


def _constant(expression: Expression) -> timedelta | int | None:
    """The value of sums, differences and multiples of literals."""
    match expression:
        case Literal(value=timedelta() | int() as value):
            return value
        case Call(function="NEGATE", args=(only,)):
            negated = _constant(only)
            return None if negated is None else -negated
        case Call(function="+" | "-" | "*" as name, args=(left, right)):
            return _combined(name, _constant(left), _constant(right))
    return None


def _combined(
    name: str, left: timedelta | int | None, right: timedelta | int | None
) -> timedelta | int | None:
    match name, left, right:
        case "+", timedelta(), timedelta():
            return left + right
        case "-", timedelta(), timedelta():
            return left - right
        case "*", timedelta(), int():
            return left * right
        case "*", int(), timedelta():
            return right * left
    return None


def check(window: Window, size: exp.Expr, step: exp.Expr | None, offset: exp.Expr | None) -> None:
    """Refuses windows that make no sense; the nodes tell where.

    Raises:
        UserError: BAD_WINDOW.
    """
    kind = window.kind.value
    word = "gap" if window.kind is WindowKind.SESSION else "size"
    if window.size <= 0:
        raise bad(size, f"the {word} of {kind} is not above zero", f"Write one such as {_DAY}.")
    if window.step is not None and step is not None:
        name = "slide" if window.kind is WindowKind.HOP else "step"
        if window.step <= 0:
            raise bad(step, f"the {name} of {kind} is not above zero", f"Write one such as {_DAY}.")
        if window.kind is WindowKind.CUMULATE:
            check_panes(window, size)
    if offset is not None and abs(window.offset) >= window.size:
        raise bad(
            offset,
            f"the offset of {kind} is not shorter than its size",
            "Leave out whole sizes: they make no difference.",
        )


def check_panes(window: Window, node: exp.Expr) -> None:
    """Refuses windows whose size is not a multiple of their step, as aggregation needs it.

    Rows may be assigned to any HOP window, and legacy group windows may have any slide.

    Raises:
        UserError: BAD_WINDOW.
    """
    if window.step is None or window.size % window.step == 0:
        return
    kind, name = window.kind.value, "slide" if window.kind is WindowKind.HOP else "step"
    raise bad(
        node,
        f"the size of {kind}, {duration_text(window.size)}, is not a multiple of its {name},"
        f" {duration_text(window.step)}",
        f"The order is {kind}(..., {name}, size); take a {name} that divides the size.",
    )


def bad(node: exp.Expr, message: str, hint: str) -> UserError:
    return UserError("BAD_WINDOW", message, hint=hint, position=position(node))
