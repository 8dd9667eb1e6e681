"""A Project that gives its input as it is goes."""

from __future__ import annotations

from sameriver.plan.logical import Logical, Project
from sameriver.plan.rules.tree import pass_through


def remove_project(node: Logical) -> Logical | None:
    if isinstance(node, Project) and node.columns == pass_through(node.input.schema):
        return node.input
    return None
