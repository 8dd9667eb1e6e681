"""Meanings: expressions written over source columns, with every alias and view resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sameriver.common.state import Meaning
from sameriver.common.types import CHARACTERS, INTEGERS, Root
from sameriver.plan.expressions import AggregateCall, Call, Column, Expression, Literal, to_sql

Meanings = Mapping[str, Meaning]
"""Meaning of each column of a node, by column name."""

_COMMUTATIVE = frozenset({"AND", "OR", "+", "*", "=", "<>", "IS NOT DISTINCT FROM"})
_FLIPPED = {">": "<", ">=": "<="}
_NEGATED = {
    "=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    "IS NULL": "IS NOT NULL", "IS NOT NULL": "IS NULL",
    "IS DISTINCT FROM": "IS NOT DISTINCT FROM", "IS NOT DISTINCT FROM": "IS DISTINCT FROM",
}  # fmt: skip
_BITS = {Root.TINYINT: 7, Root.SMALLINT: 15, Root.INT: 31, Root.BIGINT: 63}


def meaning(expression: Expression, below: Meanings) -> Meaning:
    """Canonical text of ``expression`` over an input whose columns mean ``below``.

    These make no difference: the order of the operands of AND, OR, =, <>, + and *, the side of a
    comparison, NOT around one, casts that change nothing, a literal cast to a wider integer type
    or written as such, the length of a character literal, the unit in which an interval is
    written, the order of an IN list.
    """
    match canonical(expression):
        case Column(name=name):
            return below[name]
        case Literal(type=type) as literal:
            plain = type.root in CHARACTERS or type.root is Root.BOOLEAN
            text = to_sql(literal)
            return Meaning(text if plain else f"{text}:{type.name}")
        case Call(function="CAST" | "TRY_CAST" as cast, args=args, type=type):
            return Meaning(f"{cast}({meaning(args[0], below)} AS {type.name})")
        case Call(function=name, args=args):
            return call_meaning(name, [meaning(arg, below) for arg in _flat(name, args)])


def call_meaning(name: str, parts: list[Meaning]) -> Meaning:
    """Canonical text of a call whose operands mean ``parts``."""
    if name in _FLIPPED:
        name, parts = _FLIPPED[name], parts[::-1]
    if name in ("AND", "OR"):
        parts = list(set(parts))
    if name in _COMMUTATIVE:
        parts.sort()
    if name == "IN":
        parts = [parts[0], *sorted(set(parts[1:]))]
    if name in ("AND", "OR") and len(parts) == 1:
        return parts[0]
    return Meaning(f"{name}({', '.join(parts)})")


def canonical(expression: Expression) -> Expression:
    """The simplest form at the top of an expression that has the same value in every row."""
    match expression:
        case Call(function="CAST" | "TRY_CAST", args=(only,)):
            return _cast(expression, canonical(only))
        case Call(function="NOT", args=(Call(function="NOT", args=(inner,)),)):
            return canonical(inner)
        case Call(function="NOT", args=(Call() as inner,)) if inner.function in _NEGATED:
            return replace(inner, function=_NEGATED[inner.function])
        case Call(function="IN", args=(_, _)):
            return replace(expression, function="=")
    return expression


def _cast(call: Call, only: Expression) -> Expression:
    target = call.type
    if only.type.name == target.name:
        return only
    if isinstance(only, Literal) and only.value is not None:
        if target.root is Root.VARCHAR and only.type.root is Root.CHAR:
            fits = target.precision is not None and len(str(only.value)) <= target.precision
            return Literal(only.value, target) if fits else call
        if target.root in INTEGERS and only.type.root in INTEGERS:
            limit = 2 ** _BITS[target.root]
            fits = isinstance(only.value, int) and -limit <= only.value < limit
            return Literal(only.value, target) if fits else call
    return replace(call, args=(only,))


def _flat(name: str, args: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Operands of a nested AND or OR as one list."""
    if name not in ("AND", "OR"):
        return args
    flat: list[Expression] = []
    for arg in args:
        inner = canonical(arg)
        same = isinstance(inner, Call) and inner.function == name
        flat.extend(_flat(name, inner.args) if same else (inner,))  # type: ignore[union-attr]
    return tuple(flat)


def conjuncts(condition: Expression, below: Meanings) -> tuple[Meaning, ...]:
    """Meanings of the parts of a condition that AND joins, each once, sorted."""
    return tuple(sorted({meaning(part, below) for part in _flat("AND", (condition,))}))


def aggregate_meaning(call: AggregateCall, below: Meanings) -> Meaning:
    """``SUM(orders.amount)``, ``COUNT(DISTINCT t.a) FILTER (...)``."""
    inner = ", ".join(meaning(arg, below) for arg in call.args) or "*"
    text = f"{call.function}({'DISTINCT ' if call.distinct else ''}{inner})"
    if call.filter is not None:
        text += f" FILTER ({meaning(call.filter, below)})"
    return Meaning(text)
