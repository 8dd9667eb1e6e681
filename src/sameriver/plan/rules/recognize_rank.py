"""A filter on ROW_NUMBER, RANK or DENSE_RANK becomes a range of ranks."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.schema import Schema
from sameriver.common.types import INTEGERS
from sameriver.plan import logical
from sameriver.plan.expressions import Call, Column, Expression, Literal, Named
from sameriver.plan.logical import Logical
from sameriver.plan.rules.tree import filtered, parts_of, pass_through

_FUNCTIONS = ("ROW_NUMBER", "RANK", "DENSE_RANK")
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def recognize_rank(node: Logical) -> Logical | None:
    """``rn = 1``, ``rn <= n``, ``n >= rn``, ``rn BETWEEN 2 AND 3`` and their like; the range needs
    an end, as in Flink. What else the filter asks stays above."""
    if not isinstance(node, logical.Filter) or not isinstance(node.input, logical.Over):
        return None
    over = node.input
    if len(over.calls) != 1 or over.calls[0].call.function not in _FUNCTIONS:
        return None
    (only,) = over.calls
    start, end, rest = 1, None, list[Expression]()
    for part in parts_of(node.condition):
        bound = _bound(part, only.call.name)
        if bound is None:
            rest.append(part)
            continue
        start = max(start, bound[0])
        if bound[1] is not None:
            end = bound[1] if end is None else min(end, bound[1])
    if end is None:
        return None
    ranked = logical.Rank(
        input=over.input,
        function=only.call.function,
        partition=only.partition,
        order=only.order,
        start=start,
        end=end,
        column=only.call.name,
        schema=over.schema,
        position=only.call.position,
    )
    if only.call.function == "ROW_NUMBER" and start == end:
        return filtered(_constant(ranked, only.call.name, start), rest)
    return filtered(ranked, rest)


def _constant(ranked: logical.Rank, name: str, value: int) -> Logical:
    """There is but one rank: rows need not carry it."""
    fields = tuple(f for f in ranked.schema if f.name != name)
    below = replace(ranked, column=None, schema=Schema(fields))
    literal = Named(name, Literal(value, ranked.schema[name]))
    return logical.Project(input=below, columns=(*pass_through(fields), literal))


def _bound(part: Expression, name: str) -> tuple[int, int | None] | None:
    """The ranks that a comparison of the rank with a whole number lets through."""
    if not isinstance(part, Call) or part.function not in _FLIPPED:
        return None
    left, right, comparison = part.args[0], part.args[1], part.function
    if isinstance(left, Literal):
        left, right, comparison = right, left, _FLIPPED[comparison]
    if not isinstance(left, Column) or left.name != name or not isinstance(right, Literal):
        return None
    if right.type.root not in INTEGERS or not isinstance(right.value, int):
        return None
    value = right.value
    match comparison:
        case "=":
            return value, value
        case "<":
            return 1, value - 1
        case "<=":
            return 1, value
        case ">":
            return value + 1, None
    return value, None
