"""Expressions of constants that are certain become constants; sure conditions go."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.types import Root
from sameriver.plan import logical
from sameriver.plan.expressions import AggregateCall, Call, Expression, Literal, Named
from sameriver.plan.logical import Logical
from sameriver.plan.rules.tree import conjunction, parts_of

_LIMITS = {Root.TINYINT: 2**7, Root.SMALLINT: 2**15, Root.INT: 2**31, Root.BIGINT: 2**63}


def fold_constants(node: Logical) -> Logical | None:
    """Only what can neither fail nor round: AND, OR, NOT of booleans, and sums, differences and
    products of integers that stay in range."""
    match node:
        case logical.Project(columns=columns):
            folded = tuple(Named(c.name, fold(c.expression)) for c in columns)
            return replace(node, columns=folded) if folded != columns else None
        case logical.Filter(condition=condition, input=below):
            parts = [p for p in parts_of(fold(condition)) if not _is(p, True)]
            if not parts:
                return below
            smaller = conjunction(parts)
            return replace(node, condition=smaller) if smaller != condition else None
        case logical.Aggregate(calls=calls) | logical.GroupWindow(calls=calls):
            settled = tuple(_fold_call(call) for call in calls)
            return replace(node, calls=settled) if settled != calls else None
    return None


def _fold_call(call: AggregateCall) -> AggregateCall:
    condition = None if call.filter is None else fold(call.filter)
    if condition is not None and _is(condition, True):
        condition = None
    return replace(call, args=tuple(fold(arg) for arg in call.args), filter=condition)


def fold(expression: Expression) -> Expression:
    """The expression with its constant parts computed."""
    if not isinstance(expression, Call):
        return expression
    args = tuple(fold(arg) for arg in expression.args)
    call = expression if args == expression.args else replace(expression, args=args)
    match call.function:
        case "AND":
            return _connect(call, absorbing=False)
        case "OR":
            return _connect(call, absorbing=True)
        case "NOT" if isinstance(args[0], Literal) and isinstance(args[0].value, bool):
            return Literal(not args[0].value, call.type)
        case "+" | "-" | "*":
            return _arithmetic(call)
    return call


def _connect(call: Call, *, absorbing: bool) -> Expression:
    if any(_is(arg, absorbing) for arg in call.args):
        return Literal(absorbing, call.type)
    kept = tuple(arg for arg in call.args if not _is(arg, not absorbing))
    if not kept:
        return Literal(not absorbing, call.type)
    if len(kept) == 1:
        return kept[0] if kept[0].type == call.type else call
    return call if kept == call.args else replace(call, args=kept)


def _arithmetic(call: Call) -> Expression:
    limit = _LIMITS.get(call.type.root)
    values = [arg.value for arg in call.args if isinstance(arg, Literal)]
    if limit is None or len(values) != 2 or len(call.args) != 2:
        return call
    left, right = values
    if type(left) is not int or type(right) is not int:
        return call
    result = {"+": left + right, "-": left - right, "*": left * right}[call.function]
    return Literal(result, call.type) if -limit <= result < limit else call


def _is(expression: Expression, value: bool) -> bool:
    return isinstance(expression, Literal) and expression.value is value
