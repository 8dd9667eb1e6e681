"""Filters and projections become Calcs, as few as will do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from sameriver.common.schema import Field, Schema
from sameriver.plan.expressions import Call, Column, Expression, Named, substitute, walk
from sameriver.plan.physical.calc import Calc
from sameriver.plan.physical.node import PhysicalNode


def calc(
    below: PhysicalNode, columns: Sequence[Named], condition: Expression | None = None
) -> PhysicalNode:
    """A Calc over ``below``; one with the Calc there if that computes nothing twice; none if
    idle."""
    if isinstance(below, Calc) and _merges(below, columns, condition):
        by = {column.name: column.expression for column in below.columns}
        columns = [Named(c.name, substitute(c.expression, by)) for c in columns]
        condition = None if condition is None else substitute(condition, by)
        below = below.input
    schema = Schema(tuple(Field(c.name, c.expression.type) for c in columns))
    if condition is None and schema.names == below.schema.names and _plain(columns):
        return below
    return Calc(schema=schema, input=below, columns=tuple(columns), condition=condition)


def select(below: PhysicalNode, names: Iterable[str]) -> PhysicalNode:
    """These columns of ``below``."""
    fields = below.schema.select(names)
    return calc(below, [Named(f.name, Column(f.name, f.type)) for f in fields])


def _merges(below: Calc, columns: Sequence[Named], condition: Expression | None) -> bool:
    above = [column.expression for column in columns]
    if condition is not None:
        above.append(condition)
    reads = Counter(e.name for top in above for e in walk(top) if isinstance(e, Column))
    computed = (c.name for c in below.columns if isinstance(c.expression, Call))
    return below.condition is None and all(reads[name] <= 1 for name in computed)


def _plain(columns: Sequence[Named]) -> bool:
    return all(isinstance(c.expression, Column) and c.expression.name == c.name for c in columns)
