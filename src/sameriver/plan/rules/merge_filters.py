"""Filter over Filter becomes one."""

from __future__ import annotations

from sameriver.plan.logical import Filter, Logical
from sameriver.plan.rules.tree import filtered, parts_of


def merge_filters(node: Logical) -> Logical | None:
    match node:
        case Filter(condition=outer, input=Filter(condition=inner, input=below)):
            return filtered(below, (*parts_of(inner), *parts_of(outer)))
    return None
