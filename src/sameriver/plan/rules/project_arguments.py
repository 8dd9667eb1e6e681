"""Arguments and filters of aggregates become columns below the aggregation; equal ones share."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.schema import unique
from sameriver.plan import logical
from sameriver.plan.expressions import AggregateCall, Call, Column, Expression, Named
from sameriver.plan.logical import Logical
from sameriver.plan.rules.tree import pass_through


def project_arguments(node: Logical) -> Logical | None:
    """Physical aggregations see columns and literals only."""
    if not isinstance(node, logical.Aggregate | logical.GroupWindow):
        return None
    wanted = [e for call in node.calls for e in _expressions(call) if isinstance(e, Call)]
    if not wanted:
        return None
    columns = list(pass_through(node.input.schema))
    names: dict[Expression, Expression] = {}
    for expression in wanted:
        if expression not in names:
            name = unique("$f", [column.name for column in columns])
            columns.append(Named(name, expression))
            names[expression] = Column(name, expression.type)
    calls = tuple(
        replace(
            call,
            args=tuple(names.get(arg, arg) for arg in call.args),
            filter=None if call.filter is None else names.get(call.filter, call.filter),
        )
        for call in node.calls
    )
    below = logical.Project(input=node.input, columns=tuple(columns))
    return replace(node, input=below, calls=calls)


def _expressions(call: AggregateCall) -> tuple[Expression, ...]:
    return call.args if call.filter is None else (*call.args, call.filter)
