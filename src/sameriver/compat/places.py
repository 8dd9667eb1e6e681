"""Where a script says what a plan's columns and conditions mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position
from sameriver.common.state import Meaning
from sameriver.compat.readings import Reader
from sameriver.plan.expressions import Expression, place, walk
from sameriver.plan.meaning import Meanings, meaning
from sameriver.plan.physical.calc import Calc
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.sink import Sink
from sameriver.plan.rules.tree import parts_of


@dataclass(frozen=True, slots=True)
class Places:
    """Positions of expressions, and texts and positions of conditions, by meaning."""

    expressions: dict[str, Position] = field(default_factory=dict)
    conditions: dict[str, tuple[str, Position | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, nodes: list[PhysicalNode], reader: Reader) -> Places:
        """Of a plan whose nodes come inputs first; what is written further up goes first."""
        places = cls()
        for node in reversed(nodes):
            if isinstance(node, Sink):
                places._sink(node)
            if isinstance(node, Calc):
                places._calc(node, reader)
        return places

    def _sink(self, sink: Sink) -> None:
        meanings = sink.meanings()
        for name, position in zip(sink.schema.names, sink.places, strict=False):
            if position is not None:
                self.expressions.setdefault(meanings[name], position)

    def _calc(self, node: Calc, reader: Reader) -> None:
        below, readings = node.input.meanings(), reader.below(node)
        for column in node.columns:
            self._expression(column.expression, below)
        if node.condition is None:
            return
        for part in parts_of(node.condition):
            shown = reader.expression(part, readings), place(part)
            self.conditions.setdefault(meaning(part, below), shown)
            self._expression(part, below)

    def _expression(self, expression: Expression, below: Meanings) -> None:
        for text, position in _positions(expression, below):
            self.expressions.setdefault(text, position)


def _positions(expression: Expression, below: Meanings) -> Iterator[tuple[Meaning, Position]]:
    for part in walk(expression):
        found = place(part)
        if found is not None:
            yield meaning(part, below), found
