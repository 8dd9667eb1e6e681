"""What Flink by itself would do: it finds operators by their place and compares types of state.

The id that Flink gives an operator hangs on the operators below it, on how many were numbered
before it, and on how many are chained to it; not on what it computes.
"""

from __future__ import annotations

from collections import deque
from enum import Enum

from sameriver.flink.compiled import CompiledPlan, Node
from sameriver.flink.meaning import StateNode
from sameriver.flink.parts import Item, Part

_NO_OPERATOR = ("exchange", "union")
"""Nodes that only say how rows go from one operator to the next."""
_BY_RESULT = ("SUM", "SUM0", "MIN", "MAX")
"""Aggregates that hold a value of their result's type."""

Place = tuple[object, ...]


class Plain(Enum):
    """What happens to the state of an operator if the job is restored by Flink alone."""

    KEPT = "kept"
    WRONG = "restored wrong"
    """Without a word: the types fit."""
    FAILS = "fails"
    """The types don't fit: the job fails as soon as it runs."""
    UNMAPPED = "can't be mapped"
    """No operator is at its place: Flink refuses to start the job."""


def plain_outcome(old: StateNode, at_its_place: StateNode | None) -> Plain:
    """What Flink by itself does with the state of an operator.

    Args:
        old: the operator.
        at_its_place: what stands in the new plan where it stood.
    """
    if at_its_place is None or at_its_place.kind != old.kind:
        return Plain.UNMAPPED
    if at_its_place.base == old.base:
        return Plain.KEPT
    return Plain.WRONG if layout(old) == layout(at_its_place) else Plain.FAILS


def places(plan: CompiledPlan) -> dict[int, Place]:
    """Where each operator stands, by the id of its node: numbered breadth first, as Flink does."""
    found: dict[int, Place] = {}
    operators = [node for node in plan if node.type not in _NO_OPERATOR]
    inputs = {node.id: _inputs(plan, node) for node in operators}
    waiting = deque(node for node in operators if not inputs[node.id])
    while waiting:
        node = waiting.popleft()
        if node.id in found or not inputs[node.id] <= found.keys():
            continue
        below = tuple(sorted((found[id] for id in inputs[node.id]), key=repr))
        found[node.id] = (len(found), _chained(plan, node), below)
        waiting.extend(one for one in operators if node.id in inputs[one.id])
    return found


def _inputs(plan: CompiledPlan, node: Node) -> set[int]:
    """The operators that it reads, through exchanges and unions."""
    found: set[int] = set()
    for id in node.inputs:
        below = plan.node(id)
        found |= _inputs(plan, below) if below.type in _NO_OPERATOR else {id}
    return found


def _chained(plan: CompiledPlan, node: Node) -> int:
    """How many operators take its rows in the same thread."""
    readers = plan.readers(node.id)
    return sum(one.type not in _NO_OPERATOR and len(one.inputs) == 1 for one in readers)


def layout(node: StateNode) -> tuple[object, ...]:
    """What Flink compares of a state: how many values it has, and their types."""
    return tuple(
        (part.noun, *(_held(part, item) for item in part.items))
        for part in node.parts
        if any(item.type for item in part.items) or part.noun == "strategy"
    )


def _held(part: Part, item: Item) -> str:
    """The type under which something is held."""
    if part.noun == "strategy":
        return item.meaning
    if part.noun != "aggregate":
        return item.type
    function = item.meaning.partition("(")[0]
    taken, _, given = item.type.partition(" -> ")
    if "DISTINCT " in item.meaning or (given.endswith(" taken back") and function != "COUNT"):
        return f"{function} DISTINCT {item.type}"
    if function == "COUNT":
        return "BIGINT"
    if function in _BY_RESULT:
        return given.removesuffix(" NOT NULL")
    return f"{function} {taken}"
