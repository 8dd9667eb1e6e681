"""Meanings of the columns of both sides of a join."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sameriver.common.state import Meaning
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import PhysicalNode


def side_meanings(left: PhysicalNode, right: PhysicalNode) -> Meanings:
    """Those of the right are marked where both read the same table: ``a.v`` and ``b.v`` of a table
    joined with itself are two things."""
    marks = reads(left.scope().sources, right.scope().sources)
    marked = {name: right_meaning(text, marks) for name, text in right.meanings().items()}
    return {**left.meanings(), **marked}


def reads(left: Sequence[str], right: Iterable[str]) -> int:
    """How often the left side reads a table of the right one."""
    return max((left.count(source) for source in right), default=0)


def right_meaning(text: Meaning, marks: int) -> Meaning:
    """A meaning with a mark for each time that the left side reads the table."""
    return Meaning(f"{'RIGHT(' * marks}{text}{')' * marks}")
