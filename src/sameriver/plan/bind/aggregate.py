"""GROUP BY: where it is, and what its keys are."""

from __future__ import annotations

from sqlglot import exp

from sameriver.common.schema import unique
from sameriver.plan import logical
from sameriver.plan.bind.aggregate_call import is_aggregate
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.group_window import bind_group_window, is_group_window
from sameriver.plan.bind.grouping import Grouping
from sameriver.plan.bind.grouping_sets import grouping_sets
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scope import Scope
from sameriver.plan.bind.vocabulary import WINDOW_PARTS
from sameriver.plan.expressions import (
    Column,
    Expression,
    Named,
)
from sameriver.plan.logical import Logical


def find_aggregate(node: exp.Expr, context: Context) -> exp.Expr | None:
    """The first aggregate call of an expression; those of OVER and of inner queries don't count."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, exp.Query | exp.Window):
            continue
        window_part = isinstance(part, exp.Anonymous) and part.name in WINDOW_PARTS
        if window_part or is_aggregate(part, context):
            return part
        pending += part.iter_expressions(reverse=True)
    return None


def bind_grouping(
    group: exp.Expr | None, below: Logical, scope: Scope, context: Context
) -> Grouping:
    """The keys of a GROUP BY; None: one group of all rows.

    Raises:
        UserError: UNKNOWN_COLUMN, AGGREGATE_NOT_ALLOWED, ...
    """
    environment = context.environment(scope, "GROUP BY")
    written = [] if group is None else list(group.expressions)
    windows = [element for element in written if is_group_window(element)]
    sets = grouping_sets(element for element in written if element not in windows)
    bound = [[environment.bind(key) for key in keys] for keys in sets]
    every = list(dict.fromkeys(key for keys in bound for key in keys))
    added: list[Named] = []
    names = {key: _key_name(key, below, added) for key in every}
    outputs = {
        key: Column(
            name,
            key.type.with_nullable(key.type.nullable or any(key not in keys for keys in bound)),
        )
        for key, name in names.items()
    }
    if added:
        through = [Named(f.name, Column(f.name, f.type)) for f in below.schema]
        below = logical.Project(input=below, columns=(*through, *added))
    window = bind_group_window(windows, below, environment) if windows else None
    if window is not None and len(bound) > 1:
        raise unsupported("a group window with GROUPING SETS", windows[0])
    return Grouping(
        node=group,
        input=below,
        keys=outputs,
        sets=tuple(tuple(dict.fromkeys(names[key] for key in keys)) for keys in bound)
        if len(bound) > 1
        else None,
        window=window,
        environment=environment,
    )


def _key_name(key: Expression, below: Logical, added: list[Named]) -> str:
    """The input column of a key; an expression becomes one."""
    if isinstance(key, Column):
        return key.name
    name = unique("key", [*below.schema.names, *(named.name for named in added)])
    added.append(Named(name, key))
    return name
