"""Columns of a plan as people read them: expressions over the columns of tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from sameriver.common.dataclass import dataclass
from sameriver.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expression,
    aggregate_to_sql,
    substitute,
    to_sql,
    transform,
)
from sameriver.plan.physical.calc import Calc
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.union import Union

Readings = Mapping[str, str]
"""Text of each column of a node, by name."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the columns of a plan's nodes; each node once."""

    known: dict[PhysicalNode, Readings] = field(default_factory=dict)

    def of(self, node: PhysicalNode) -> Readings:
        """What each output column of a node shows."""
        if node not in self.known:
            self.known[node] = self._read(node)
        return self.known[node]

    def below(self, node: PhysicalNode) -> Readings:
        """What each input column of a node shows."""
        return {
            name: text for below in reversed(node.inputs) for name, text in self.of(below).items()
        }

    def expression(self, expression: Expression, below: Readings) -> str:
        """An expression over columns that show ``below``."""
        by: dict[str, Expression] = {n: Column(text, expression.type) for n, text in below.items()}
        return _bare(to_sql(transform(substitute(expression, by), _as_written)))

    def call(self, call: AggregateCall, below: Readings) -> str:
        """``SUM(qty * 2)``."""
        args = tuple(Column(self.expression(arg, below), arg.type) for arg in call.args)
        filter = call.filter
        if filter is not None:
            filter = Column(self.expression(filter, below), filter.type)
        return aggregate_to_sql(replace(call, args=args, filter=filter))

    def _read(self, node: PhysicalNode) -> Readings:
        below = self.below(node)
        if isinstance(node, Calc):
            return {c.name: self.expression(c.expression, below) for c in node.columns}
        if isinstance(node, Union):
            first = self.of(node.branches[0])
            pairs = zip(node.schema.names, node.branches[0].schema.names, strict=True)
            return {name: first[source] for name, source in pairs}
        calls = {call.name: self.call(call, below) for call in getattr(node, "calls", ())}
        return {name: calls.get(name, below.get(name, name)) for name in node.schema.names}


def _as_written(expression: Expression) -> Expression | None:
    """Without a cast that the script doesn't say."""
    if isinstance(expression, Call) and expression.function == "CAST" and not expression.position:
        return transform(expression.args[0], _as_written)
    return None


def _bare(text: str) -> str:
    """Without parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1]
