"""Rewrites of logical plans: pure functions, one file each."""

from __future__ import annotations

from collections.abc import Callable

from sameriver.common.errors import InternalError
from sameriver.plan.logical import Logical
from sameriver.plan.rules.fold_constants import fold_constants
from sameriver.plan.rules.merge_filters import merge_filters
from sameriver.plan.rules.merge_projects import merge_projects
from sameriver.plan.rules.project_arguments import project_arguments
from sameriver.plan.rules.prune_columns import prune_columns
from sameriver.plan.rules.push_filter import push_filter
from sameriver.plan.rules.push_join import push_join
from sameriver.plan.rules.recognize_rank import recognize_rank
from sameriver.plan.rules.remove_project import remove_project
from sameriver.plan.rules.share_calls import share_calls
from sameriver.plan.rules.tree import everywhere

RULES: list[Callable[[Logical], Logical]] = [
    everywhere(fold_constants),
    everywhere(share_calls),
    everywhere(project_arguments),
    everywhere(push_filter),
    everywhere(push_join),
    everywhere(merge_filters),
    everywhere(recognize_rank),
    prune_columns,
    everywhere(merge_projects),
    everywhere(remove_project),
]
"""In order; each takes and gives a whole plan and keeps its schema."""

_ROUNDS = 100


def rewrite(node: Logical) -> Logical:
    """Applies all rules until none has anything to add."""
    for _ in range(_ROUNDS):
        before = node
        for rule in RULES:
            node = rule(node)
        if node == before:
            return node
    raise InternalError("RULES_DO_NOT_SETTLE", "the rewriting of a query does not come to an end")
