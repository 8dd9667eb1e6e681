"""Filters go as far down as they may."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sameriver.plan import logical
from sameriver.plan.determinism import deterministic
from sameriver.plan.expressions import Column, Expression, columns, substitute
from sameriver.plan.logical import Filter, Logical
from sameriver.plan.rules.tree import filtered, parts_of
from sameriver.plan.window import WindowKind
from sameriver.plan.window_columns import key_columns


def push_filter(node: Logical) -> Logical | None:
    """Below projections and unions; below aggregations what reads keys only; below windows what
    reads none of the window's columns (below SESSION only what reads its partition: any other
    row less could change a session). Keys that are window columns stay above: there the filter
    drops finished windows, below it would stand between the window and its aggregation."""
    if not isinstance(node, Filter):
        return None
    match node.input:
        case logical.Project():
            return _below_project(node, node.input)
        case logical.Union():
            return _below_union(node, node.input)
        case logical.Aggregate(sets=None, keys=keys) as aggregate:
            free = set(keys) - set(key_columns(aggregate).properties)
            return _split(node, aggregate, lambda part: columns(part) <= free)
        case logical.GroupWindow(keys=keys) as group:
            return _split(node, group, lambda part: columns(part) <= set(keys))
        case logical.WindowTable(window=window) as table:
            free = set(table.input.schema.names) - set(table.schema.names[-3:])
            if window.kind is WindowKind.SESSION:
                free = set(window.partition)
            return _split(node, table, lambda part: columns(part) <= free)
        case logical.Correlate() as correlate:
            free = set(correlate.input.schema.names)
            return _split(node, correlate, lambda part: columns(part) <= free)
    return None


def _split(
    node: Filter,
    over: logical.Aggregate | logical.GroupWindow | logical.WindowTable | logical.Correlate,
    free: Callable[[Expression], bool],
) -> Logical | None:
    parts = parts_of(node.condition)
    down = [part for part in parts if columns(part) and free(part) and deterministic(part)]
    if not down:
        return None
    rest = [part for part in parts if part not in down]
    return filtered(replace(over, input=filtered(over.input, down)), rest)


def _below_project(node: Filter, project: logical.Project) -> Logical | None:
    by = {column.name: column.expression for column in project.columns}
    down: list[Expression] = []
    rest: list[Expression] = []
    for part in parts_of(node.condition):
        moved = substitute(part, by)
        (down if deterministic(moved) else rest).append(part)
    if not down:
        return None
    lower = filtered(project.input, [substitute(part, by) for part in down])
    return filtered(replace(project, input=lower), rest)


def _below_union(node: Filter, union: logical.Union) -> Logical | None:
    if not deterministic(node.condition):
        return None
    branches = []
    for branch in union.inputs:
        pairs = zip(union.schema.names, branch.schema, strict=True)
        by: dict[str, Expression] = {name: Column(f.name, f.type) for name, f in pairs}
        branches.append(Filter(input=branch, condition=substitute(node.condition, by)))
    return replace(union, inputs=tuple(branches))
