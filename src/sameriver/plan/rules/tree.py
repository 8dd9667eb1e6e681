"""How rules walk and rebuild a logical plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import is_not

from sameriver.common.schema import Field, Schema
from sameriver.plan import logical
from sameriver.plan.expressions import Call, Column, Expression, Named
from sameriver.plan.logical import Logical

LocalRule = Callable[[Logical], Logical | None]
"""A better form of this very node, or None."""


def with_inputs(node: Logical, below: Sequence[Logical]) -> Logical:
    """The node over other inputs of the same columns."""
    match node:
        case logical.Scan() | logical.Values():
            return node
        case logical.Union():
            return replace(node, inputs=tuple(below))
        case logical.Join() | logical.TemporalJoin() | logical.SetOperation():
            return replace(node, left=below[0], right=below[1])
        case _:
            return replace(node, input=below[0])


def everywhere(rule: LocalRule) -> Callable[[Logical], Logical]:
    """Applies a local rule to each node, from the leaves up."""

    def apply(node: Logical) -> Logical:
        below = logical.inputs(node)
        rewritten = tuple(map(apply, below))
        if any(map(is_not, rewritten, below)):
            node = with_inputs(node, rewritten)
        return rule(node) or node

    return apply


def conjunction(parts: Sequence[Expression]) -> Expression:
    """The parts joined by AND; at least one."""
    joined = parts[0]
    for part in parts[1:]:
        nullable = joined.type.nullable or part.type.nullable
        joined = Call("AND", (joined, part), joined.type.with_nullable(nullable))
    return joined


def parts_of(condition: Expression) -> tuple[Expression, ...]:
    """The operands of (nested) AND, left to right."""
    if isinstance(condition, Call) and condition.function == "AND":
        return tuple(part for arg in condition.args for part in parts_of(arg))
    return (condition,)


def filtered(node: Logical, parts: Sequence[Expression]) -> Logical:
    """The node under a filter of these parts, if there are any."""
    return logical.Filter(input=node, condition=conjunction(parts)) if parts else node


def pass_through(fields: Schema | Sequence[Field]) -> tuple[Named, ...]:
    """Projections of columns to themselves."""
    return tuple(Named(f.name, Column(f.name, f.type)) for f in fields)
