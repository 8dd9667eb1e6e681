"""What the condition of a join is made of: equalities of both sides, and the rest."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Schema
from sameriver.common.types import to_polars
from sameriver.functions.coercion import common_type
from sameriver.plan.determinism import deterministic
from sameriver.plan.expressions import Call, Column, Expression, Named, columns
from sameriver.plan.lower.calc import calc
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.timed_join import JoinKeys
from sameriver.plan.rules.tree import conjunction, parts_of, pass_through


@dataclass(frozen=True, slots=True)
class Equality:
    """An expression over the left side that equals one over the right side.

    ``test`` is the condition that says so.
    """

    left: Expression
    right: Expression
    null_safe: bool
    test: Expression


@dataclass(frozen=True, slots=True)
class JoinParts:
    """``equalities`` and ``rest`` together are the condition."""

    equalities: tuple[Equality, ...]
    rest: tuple[Expression, ...]

    @property
    def condition(self) -> Expression | None:
        """The rest; None: nothing."""
        return conjunction(self.rest) if self.rest else None


def join_parts(
    parts: Sequence[Expression], left: Schema, right: Schema, *, cast: bool = False
) -> JoinParts:
    """Sorts the operands of a condition's AND.

    Equal sides have the same type; ``cast``: sides of other types are cast to what they have in
    common, else their equality is among the rest.
    """
    equalities: list[Equality] = []
    rest: list[Expression] = []
    for part in parts:
        found = _equality(part, frozenset(left.names), frozenset(right.names), cast=cast)
        if found is None:
            rest.append(part)
        else:
            equalities.append(found)
    return JoinParts(tuple(equalities), tuple(rest))


def condition_parts(condition: Expression | None) -> tuple[Expression, ...]:
    """The operands of a condition's AND."""
    return () if condition is None else parts_of(condition)


def _equality(
    part: Expression, left: frozenset[str], right: frozenset[str], *, cast: bool
) -> Equality | None:
    if not isinstance(part, Call) or part.function not in ("=", "IS NOT DISTINCT FROM"):
        return None
    one, two = part.args
    if columns(one) <= right and columns(two) <= left:
        one, two = two, one
    sides = columns(one), columns(two)
    if not all(sides) or not (sides[0] <= left and sides[1] <= right):
        return None
    if not deterministic(part):
        return None
    if to_polars(one.type) != to_polars(two.type):
        alike = _alike(one, two) if cast else None
        if alike is None:
            return None
        one, two = alike
    return Equality(one, two, part.function != "=", part)


def _alike(left: Expression, right: Expression) -> tuple[Expression, Expression] | None:
    """Both as one type, so that equal values are equal keys; None: a BOOLEAN and a text."""
    common = common_type([left.type, right.type])
    if common is None:
        return None
    casts = [Call("CAST", (e,), common.with_nullable(e.type.nullable)) for e in (left, right)]
    return casts[0], casts[1]


def keyed(
    left: PhysicalNode, right: PhysicalNode, equalities: Sequence[Equality]
) -> tuple[PhysicalNode, PhysicalNode, JoinKeys]:
    """Both sides with a column for each side of each equality."""
    left, left_keys = with_keys(left, [e.left for e in equalities], "$left_key")
    right, right_keys = with_keys(right, [e.right for e in equalities], "$right_key")
    safe = tuple(e.null_safe for e in equalities)
    return left, right, JoinKeys(left=left_keys, right=right_keys, null_safe=safe)


def with_keys(
    node: PhysicalNode, expressions: Sequence[Expression], prefix: str
) -> tuple[PhysicalNode, tuple[str, ...]]:
    """The node with a column for each expression, and their names; ``prefix`` names new ones."""
    names: list[str] = []
    added: list[Named] = []
    for number, expression in enumerate(expressions):
        if isinstance(expression, Column) and expression.name not in names:
            names.append(expression.name)
        else:
            added.append(Named(f"{prefix}{number}", expression))
            names.append(added[-1].name)
    if added:
        node = calc(node, (*pass_through(node.schema), *added))
    return node, tuple(names)
