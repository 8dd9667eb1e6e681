"""WHERE with IN, EXISTS and their negations: semi and anti joins."""

from __future__ import annotations

from sqlglot import exp

from sameriver.plan.bind.around import Around
from sameriver.plan.bind.calls import call, equality
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.operators import condition
from sameriver.plan.bind.outer import prefix
from sameriver.plan.bind.query_joins import those_with
from sameriver.plan.bind.query_tests import Test, check_width, conjuncts, test_of
from sameriver.plan.bind.scope import From, Scope
from sameriver.plan.bind.sort import without_order
from sameriver.plan.expressions import Column, Expression
from sameriver.plan.logical import Logical
from sameriver.plan.rules.tree import filtered


def bind_where(read: From, where: exp.Expr, context: Context) -> From:
    """What of FROM passes WHERE.

    Raises:
        UserError: whatever is wrong with the condition.
    """
    parts = list(conjuncts(where))
    tests = [test for test in map(test_of, parts) if test is not None]
    environment = context.environment(read.scope, "WHERE")
    if not tests:
        bound = condition(where, environment, "the condition of WHERE")
        return From(filtered(read.node, [bound]), read.scope)
    plain = [condition(p, environment, "an operand of AND") for p in parts if test_of(p) is None]
    node = filtered(read.node, plain)
    for test in tests:
        node = _joined(node, read.scope, test, context)
    return From(node, read.scope)


def _joined(left: Logical, scope: Scope, test: Test, context: Context) -> Logical:
    plan = without_order(context.within(scope).query(test.query))
    around = Around(outer=left, before=prefix(context.outer))
    tests: list[Expression] = []
    if test.values is not None:
        environment = context.environment(scope, "WHERE")
        values = [around.raised(environment.bind(value)) for value in test.values]
        check_width(test.query, len(values), len(plan.schema))
        pairs = zip(values, plan.schema, strict=True)
        tests = [_same(value, Column(f.name, f.type), test.negated) for value, f in pairs]
    return those_with(around, plan, tests, negated=test.negated)


def _same(value: Expression, member: Expression, negated: bool) -> Expression:
    """Equal; for NOT IN also where it can't be told, since a NULL on either side withdraws."""
    equal = equality(value, member)
    unknown = [call("IS NULL", [e]) for e in (value, member) if e.type.nullable]
    return call("OR", [*unknown, equal]) if negated and unknown else equal
