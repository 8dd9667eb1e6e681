"""Columns of the query around a query: how its plan names them until it is decorrelated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sameriver.plan import logical
from sameriver.plan.bind.scope import Scope, Visible
from sameriver.plan.expressions import AggregateCall, Column, Expression, walk
from sameriver.plan.logical import Logical

_OUTER = "$outer"


def is_outer(name: str) -> bool:
    """Whether a column is one of any query around."""
    return name.startswith(_OUTER)


def prefix(scope: Scope | None) -> str:
    """What the names of a query's columns get in front of them in queries within it.

    Args:
        scope: of what stands around that query.
    """
    depth = 0
    while scope is not None:
        depth, scope = depth + 1, scope.outer
    return f"{_OUTER}{depth}:"


def lifted(scope: Scope, around: Scope | None) -> Scope:
    """The names of a query as those within it see them."""
    before = prefix(around)

    def renamed(found: Iterable[Visible]) -> tuple[Visible, ...]:
        return tuple(Visible(c.name, replace(c.column, name=before + c.column.name)) for c in found)

    relations = tuple(replace(r, columns=renamed(r.columns)) for r in scope.relations)
    return Scope(relations, renamed(scope.columns), around)


def outer_columns(expressions: Iterable[Expression], before: str) -> dict[str, Column]:
    """The columns with this prefix that are read, by name."""
    return {
        part.name: part
        for expression in expressions
        for part in walk(expression)
        if isinstance(part, Column) and part.name.startswith(before)
    }


def depends(node: Logical, before: str) -> bool:
    """Whether a plan reads columns with this prefix."""
    if outer_columns(_expressions(node), before):
        return True
    return any(depends(below, before) for below in logical.inputs(node))


def call_expressions(call: AggregateCall) -> tuple[Expression, ...]:
    """What an aggregate reads."""
    return call.args if call.filter is None else (*call.args, call.filter)


def _expressions(node: Logical) -> Iterator[Expression]:
    """The expressions of the node itself."""
    match node:
        case logical.Project(columns=named):
            yield from (column.expression for column in named)
        case logical.Filter(condition=condition) | logical.TemporalJoin(condition=condition):
            yield condition
        case logical.Join(condition=condition):
            yield from () if condition is None else (condition,)
        case logical.Aggregate(calls=calls) | logical.GroupWindow(calls=calls):
            for call in calls:
                yield from call_expressions(call)
        case logical.Over(calls=over):
            for one in over:
                yield from call_expressions(one.call)
        case logical.Correlate(args=args):
            yield from args
        case logical.Values(rows=rows):
            for row in rows:
                yield from row
