"""Where the script says what a physical node does."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.errors import Position
from sameriver.plan import logical
from sameriver.plan.expressions import columns, place
from sameriver.plan.logical import Logical
from sameriver.plan.physical.calc import Calc
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.sink import Sink


def placed(physical: PhysicalNode, node: Logical) -> PhysicalNode:
    """The physical node with the place of the logical one; projections over it have none."""
    position = _position(node)
    if position is None or physical.position is not None:
        return physical
    if isinstance(physical, Calc):
        return replace(physical, input=placed(physical.input, node))
    return replace(physical, position=position)


def _position(node: Logical) -> Position | None:
    match node:
        case logical.WindowTable(window=window) | logical.GroupWindow(window=window):
            return window.position
        case logical.Over(calls=calls):
            return calls[0].call.position if calls else None
    return getattr(node, "position", None)


def column_places(sink: Sink, query: Logical) -> Sink:
    """The sink with the places of the expressions of its columns."""
    return replace(sink, places=tuple(_place(query, name) for name in query.schema.names))


def _place(node: Logical, name: str) -> Position | None:
    """Where the script says a column of a query; casts around it are not in the script."""
    match node:
        case logical.Insert(input=below) | logical.Sort(input=below) | logical.Filter(input=below):
            return _place(below, name)
        case logical.Project(input=below, columns=named):
            expression = next(column.expression for column in named if column.name == name)
            read = sorted(columns(expression))
            found = place(expression)
            return _place(below, read[0]) if found is None and len(read) == 1 else found
    return None
