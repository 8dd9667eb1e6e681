"""The expressions that stand in a plan's nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from sameriver.plan.expressions import AggregateCall, Call, Column, Literal
from sameriver.plan.physical.node import PhysicalNode


def feeding(node: PhysicalNode) -> Iterator[Call | AggregateCall]:
    """The calls of a node and of all nodes below it."""
    yield from own_calls(node)
    for below in node.inputs:
        yield from feeding(below)


def own_calls(node: PhysicalNode) -> Iterator[Call | AggregateCall]:
    """The calls in a node's own fields."""
    for field in dataclasses.fields(node):
        yield from _calls(getattr(node, field.name))


def _calls(value: Any) -> Iterator[Call | AggregateCall]:
    match value:
        case PhysicalNode() | Column() | Literal():
            return
        case Call() | AggregateCall():
            yield value
            yield from _calls(value.args)
            if isinstance(value, AggregateCall):
                yield from _calls(value.filter)
        case tuple():
            for one in value:
                yield from _calls(one)
        case _ if hasattr(value, "expression"):
            yield from _calls(value.expression)
