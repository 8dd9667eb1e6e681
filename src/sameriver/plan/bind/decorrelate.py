"""Queries that read columns of the query around them become joins.

A query is taken apart into a plan that reads no such column, and tests over its columns and the
outer ones. Where rows have to be told apart by outer values before the tests can be asked, as
below an aggregate, an equality of ``inner = outer`` gives a key; failing that the plan is joined
with the distinct outer values first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT
from sameriver.plan import logical
from sameriver.plan.bind.around import Around, same
from sameriver.plan.bind.dependent import Dependent
from sameriver.plan.bind.joins import join_schema, joined_to
from sameriver.plan.bind.outer import call_expressions, depends
from sameriver.plan.expressions import (
    AggregateCall,
    Column,
    Expression,
    Literal,
    Named,
    substitute,
)
from sameriver.plan.logical import JoinKind, Logical
from sameriver.plan.rules.tree import conjunction, filtered, parts_of, pass_through


def decorrelated(around: Around, node: Logical) -> Dependent:
    """A query in terms of the one around it.

    Raises:
        UserError: UNSUPPORTED.
    """
    if not depends(node, around.before):
        return Dependent(node, (), pass_through(node.schema))
    match node:
        case logical.Project(input=below, columns=named):
            return _projected(decorrelated(around, below), named)
        case logical.Filter(input=below, condition=condition):
            return around.tested(around.plain(decorrelated(around, below)), parts_of(condition))
        case logical.Join():
            return _join(around, node)
        case logical.Aggregate(sets=None):
            return _aggregate(around, node)
        case logical.Sort(input=below, limit=None, offset=0):
            return decorrelated(around, below)
        case logical.Sort():
            return _limit(around, node)
        case logical.Rank() | logical.Over():
            return _ranked(around, node)
        case logical.Union() | logical.SetOperation():
            return _branches(around, node)
        case logical.Correlate():
            return _correlate(around, node)
        case _:
            raise _refused(f"{type(node).__name__} in a query", node)


def _projected(found: Dependent, named: Sequence[Named]) -> Dependent:
    by, default = found.by_name, found.default
    outputs = tuple(Named(c.name, substitute(c.expression, by)) for c in named)
    if default is not None:
        default = {c.name: substitute(c.expression, default) for c in named}
    return Dependent(found.node, found.tests, outputs, default)


def _join(around: Around, node: logical.Join) -> Dependent:
    left, right = (
        around.plain(decorrelated(around, node.left)),
        around.plain(decorrelated(around, node.right)),
    )
    parts = () if node.condition is None else parts_of(node.condition)
    if node.kind is JoinKind.INNER:
        right = around.apart(right, left.node.schema.names)
        joined = Dependent(
            joined_to(left.node, right.node, JoinKind.INNER, None),
            (*left.tests, *right.tests),
            (*left.outputs, *right.outputs),
        )
        return around.tested(joined, parts)
    if node.kind in (JoinKind.RIGHT, JoinKind.FULL):
        raise _refused(f"a {node.kind.value} JOIN in a query", node)
    kept = around.keyed(right)
    first = around.keyed(left, around.read([*parts, *kept.tests]))
    tests = [substitute(part, dict(first.known)) for part in (*kept.tests, *parts)]
    joined_node = logical.Join(
        left=first.node,
        right=kept.node,
        kind=node.kind,
        condition=conjunction(tests) if tests else None,
        ttl_hints=node.ttl_hints,
        schema=join_schema(first.node.schema, kept.node.schema, node.kind),
        position=node.position,
    )
    return Dependent(joined_node, first.tests, pass_through(node.schema))


def _aggregate(around: Around, node: logical.Aggregate) -> Dependent:
    read = [e for one in node.calls for e in call_expressions(one)]
    below = around.keyed(around.plain(decorrelated(around, node.input)), around.read(read))
    fields = node.schema.fields
    keys = tuple(Field(key, below.node.schema[key]) for key in below.keys)
    place = len(node.keys)
    aggregate = replace(
        node,
        input=below.node,
        keys=(*node.keys, *below.keys),
        calls=tuple(_substituted(one, below.known) for one in node.calls),
        schema=Schema((*fields[:place], *keys, *fields[place:])),
    )
    default = None if node.keys else {one.name: _nothing(one) for one in node.calls}
    return Dependent(aggregate, below.tests, pass_through(node.schema), default)


def _limit(around: Around, node: logical.Sort) -> Dependent:
    if not node.keys or node.limit is None:
        raise _refused("LIMIT without ORDER BY, or OFFSET without LIMIT, in a query", node)
    below = around.keyed(around.plain(decorrelated(around, node.input)))
    ranked = logical.Rank(
        input=below.node,
        function="ROW_NUMBER",
        partition=below.keys,
        order=node.keys,
        start=node.offset + 1,
        end=node.offset + node.limit,
        column=None,
        schema=below.node.schema,
        position=node.position,
    )
    return Dependent(ranked, below.tests, pass_through(node.schema))


def _ranked(around: Around, node: logical.Rank | logical.Over) -> Dependent:
    read = (
        [e for one in node.calls for e in call_expressions(one.call)]
        if isinstance(node, logical.Over)
        else []
    )
    below = around.keyed(around.plain(decorrelated(around, node.input)), around.read(read))
    inputs = node.input.schema.names
    added = [f for f in node.schema if f.name not in inputs]
    schema = Schema((*below.node.schema, *added))
    ranked: Logical
    if isinstance(node, logical.Rank):
        partition = (*node.partition, *below.keys)
        ranked = replace(node, input=below.node, partition=partition, schema=schema)
    else:
        calls = tuple(
            replace(
                one,
                call=_substituted(one.call, below.known),
                partition=(*one.partition, *below.keys),
            )
            for one in node.calls
        )
        ranked = replace(node, input=below.node, calls=calls, schema=schema)
    return Dependent(ranked, below.tests, pass_through(node.schema))


def _branches(around: Around, node: logical.Union | logical.SetOperation) -> Dependent:
    """Each branch with all outer values that any of them asks for."""
    found = [around.plain(decorrelated(around, branch)) for branch in logical.inputs(node)]
    read = [e for one in found for e in (*one.tests, *(o.expression for o in one.outputs))]
    wanted = around.read(read)
    keys = {name: around.fresh() for name in wanted}
    branches = []
    for one in found:
        below = around.keyed(one, wanted)
        outer = [Named(key, _nullable(below.known[name])) for name, key in keys.items()]
        kept = pass_through(one.schema)
        passed = filtered(below.node, [substitute(test, below.known) for test in below.tests])
        branches.append(logical.Project(input=passed, columns=(*kept, *outer)))
    fields = tuple(Field(key, branches[0].schema[key]) for key in keys.values())
    schema = Schema((*node.schema, *fields))
    combined: Logical
    if isinstance(node, logical.Union):
        combined = replace(node, inputs=tuple(branches), schema=schema)
    else:
        combined = replace(node, left=branches[0], right=branches[1], schema=schema)
    tests = tuple(
        same(column, Column(f.name, f.type))
        for column, f in zip(wanted.values(), fields, strict=True)
    )
    return Dependent(combined, tests, pass_through(node.schema))


def _correlate(around: Around, node: logical.Correlate) -> Dependent:
    below = around.keyed(around.plain(decorrelated(around, node.input)), around.read(node.args))
    added = node.schema.fields[len(node.input.schema) :]
    correlated = replace(
        node,
        input=below.node,
        args=tuple(substitute(arg, dict(below.known)) for arg in node.args),
        schema=Schema((*below.node.schema, *added)),
    )
    return Dependent(correlated, below.tests, pass_through(node.schema))


def _substituted(one: AggregateCall, by: dict[str, Expression]) -> AggregateCall:
    condition = None if one.filter is None else substitute(one.filter, by)
    return replace(one, args=tuple(substitute(arg, by) for arg in one.args), filter=condition)


def _nothing(one: AggregateCall) -> Expression:
    """What an aggregate gives of no rows."""
    if one.function == "COUNT":
        return Literal(0, BIGINT.not_null)
    return Literal(None, one.type.with_nullable(True))


def _nullable(value: Expression) -> Expression:
    return replace(value, type=value.type.with_nullable(True))


def _refused(construct: str, node: Logical) -> UserError:
    return UserError(
        "UNSUPPORTED",
        f"{construct} that reads columns of the query around it is not supported yet",
        hint="Join a derived table or view instead.",
        position=getattr(node, "position", None),
    )
