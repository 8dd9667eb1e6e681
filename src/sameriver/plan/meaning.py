"""Meanings: expressions written over source columns, with every alias and view resolved."""

from __future__ import annotations

from collections.abc import Mapping

from sameriver.common.state import Meaning
from sameriver.plan.expressions import AggregateCall, Call, Column, Expression, Literal, to_sql

Meanings = Mapping[str, Meaning]
"""Meaning of each column of a node, by column name."""

_COMMUTATIVE = frozenset({"AND", "OR", "+", "*", "=", "<>", "IS NOT DISTINCT FROM"})
_FLIPPED = {">": "<", ">=": "<="}


def meaning(expression: Expression, below: Meanings) -> Meaning:
    """Canonical text of ``expression`` over an input whose columns mean ``below``.

    Order of the operands of AND, OR, =, <>, + and * makes no difference, nor does the side of a
    comparison.
    """
    match expression:
        case Column(name=name):
            return below[name]
        case Literal():
            return Meaning(f"{to_sql(expression)}:{expression.type.name}")
        case Call(function="CAST" | "TRY_CAST" as cast, args=args):
            return Meaning(f"{cast}({meaning(args[0], below)} AS {expression.type.name})")
        case Call(function=name, args=args):
            parts = [meaning(arg, below) for arg in _flat(name, args)]
            if name in _FLIPPED:
                name, parts = _FLIPPED[name], parts[::-1]
            if name in _COMMUTATIVE:
                parts.sort()
            return Meaning(f"{name}({', '.join(parts)})")


def _flat(name: str, args: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Operands of a nested AND or OR as one list."""
    if name not in ("AND", "OR"):
        return args
    flat: list[Expression] = []
    for arg in args:
        same = isinstance(arg, Call) and arg.function == name
        flat.extend(_flat(name, arg.args) if same else (arg,))  # type: ignore[union-attr]
    return tuple(flat)


def conjuncts(condition: Expression, below: Meanings) -> tuple[Meaning, ...]:
    """Meanings of the parts of a condition that AND joins, sorted."""
    parts = (
        _flat("AND", condition.args)
        if isinstance(condition, Call) and condition.function == "AND"
        else (condition,)
    )
    return tuple(sorted(meaning(part, below) for part in parts))


def aggregate_meaning(call: AggregateCall, below: Meanings) -> Meaning:
    """``SUM(orders.amount)``, ``COUNT(DISTINCT t.a) FILTER (...)``."""
    inner = ", ".join(meaning(arg, below) for arg in call.args) or "*"
    text = f"{call.function}({'DISTINCT ' if call.distinct else ''}{inner})"
    if call.filter is not None:
        text += f" FILTER ({meaning(call.filter, below)})"
    return Meaning(text)
