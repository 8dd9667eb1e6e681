"""Project over Project becomes one."""

from __future__ import annotations

from collections import Counter

from sameriver.plan.expressions import Call, Column, Named, substitute, walk
from sameriver.plan.logical import Logical, Project


def merge_projects(node: Logical) -> Logical | None:
    """Not if that would compute an expression of the lower one twice."""
    match node:
        case Project(columns=outer, input=Project(columns=inner, input=below)):
            reads = Counter(
                part.name for c in outer for part in walk(c.expression) if isinstance(part, Column)
            )
            if any(isinstance(c.expression, Call) and reads[c.name] > 1 for c in inner):
                return None
            by = {column.name: column.expression for column in inner}
            merged = tuple(Named(c.name, substitute(c.expression, by)) for c in outer)
            return Project(input=below, columns=merged)
    return None
