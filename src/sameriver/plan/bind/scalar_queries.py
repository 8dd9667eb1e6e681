"""Queries within the expressions of a block: the columns that they become."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sqlglot import exp

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.plan.bind.aggregate_call import is_aggregate
from sameriver.plan.bind.around import Around
from sameriver.plan.bind.context import Context, Environment
from sameriver.plan.bind.operators import BINARY
from sameriver.plan.bind.outer import prefix
from sameriver.plan.bind.query_tests import Test, bare, check_width, conjuncts, test_of
from sameriver.plan.bind.query_values import Comparison, Exists, Member, RowValue, Value
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scope import Scope
from sameriver.plan.bind.sort import without_order
from sameriver.plan.expressions import Column, Expression
from sameriver.plan.logical import Logical
from sameriver.sql.nodes import position


@dataclass(frozen=True, slots=True)
class _Found:
    """A node that asks for the value of a query.

    Attributes:
        inside: whether it stands in an aggregate.
        positive: whether FALSE and NULL are the same to what is around it.
    """

    node: exp.Expr
    inside: bool
    positive: bool


@dataclass(frozen=True, slots=True)
class ScalarQueries:
    """The queries of a block that stand for a value.

    Attributes:
        context: knows the values.
        below: those that its groups or rows are made of.
        above: those that are read beside its groups.
    """

    context: Context
    below: tuple[Value, ...]
    above: tuple[Value, ...]

    @classmethod
    def of(cls, node: exp.Expr, scope: Scope, context: Context, *, grouped: bool) -> ScalarQueries:
        """Finds and binds them; tests that stand alone in WHERE are none.

        Raises:
            UserError: whatever is wrong with one; WRONG_NUMBER_OF_COLUMNS.
        """
        inner = context.within(scope)
        found = [
            (one, low or one.inside)
            for clause, low, positive in _clauses(node, grouped)
            for one in _queries(clause, context, positive=positive)
        ]
        values: dict[int, Value] = {}
        plans: dict[bool, list[Value]] = {True: [], False: []}
        for number, (one, low) in enumerate(found):
            value = _value(one, f"$value{number}", inner)
            values[id(one.node)] = value
            plans[low].append(value)
        context = replace(context, values={**context.values, **values})
        for value in plans[True]:
            value.bind(context.environment(scope, "SELECT"))
        return cls(context, tuple(plans[True]), tuple(plans[False]))


def joined(
    node: Logical,
    values: tuple[Value, ...],
    context: Context,
    at: Callable[[Column], Column] = lambda column: column,
) -> Logical:
    """The node with the columns of each value beside every row.

    Args:
        node: the query around.
        values: as bound.
        context: of the query around.
        at: the column of the node that one of the query's FROM is.
    """
    around = Around(outer=node, before=prefix(context.outer), at=at)
    for value in values:
        around = around.over(value.beside(around))
    return around.outer


def bind_scalar_query(node: exp.Expr, environment: Environment) -> Expression:
    """Where no query may stand.

    Raises:
        UserError: UNSUPPORTED.
    """
    raise unsupported(
        f"a query in {environment.clause}",
        node,
        "It may stand in SELECT, WHERE and HAVING; elsewhere join it.",
    )


def _clauses(node: exp.Expr, grouped: bool) -> Iterator[tuple[exp.Expr, bool, bool]]:
    """What may hold queries; whether it is below the groups; whether NULL is as FALSE there."""
    where, having = node.args.get("where"), node.args.get("having")
    for part in conjuncts(where.this) if where is not None else ():
        test = test_of(part)
        if test is None:
            yield part, True, True
        else:
            yield from ((value, True, False) for value in test.values or ())
    for item in node.expressions:
        yield item, not grouped, False
    if having is not None:
        yield having.this, False, True


def _queries(node: exp.Expr, context: Context, *, positive: bool) -> Iterator[_Found]:
    """Those of an expression, innermost first."""
    found: list[_Found] = []
    pending = [_Found(node, False, positive)]
    while pending:
        part = pending.pop()
        asked = _asked(part.node)
        if asked is not None:
            found.append(part)
            pending += [_Found(below, part.inside, False) for below in asked]
        elif not isinstance(part.node, exp.Query):
            inside = part.inside or is_aggregate(part.node, context)
            keeps = part.positive and isinstance(part.node, exp.And | exp.Or | exp.Paren)
            below = part.node.iter_expressions()
            pending += [_Found(child, inside, keeps) for child in below]
    return reversed(found)


def _asked(node: exp.Expr) -> list[exp.Expr] | None:
    """What a node compares with a query; None: it asks none."""
    match node:
        case exp.Subquery():
            return []
        case exp.Exists():
            return []
        case exp.In() if node.args.get("query") is not None:
            return [node.this]
        case exp.Binary(expression=exp.Any() | exp.All()):
            return [node.this]
    return None


def _value(found: _Found, name: str, context: Context) -> Value:
    node = found.node
    test = test_of(node)
    if test is not None and test.values is None:
        return Exists(name, _plan(test.query, context))
    if test is not None:
        return _member(found, test, name, context)
    if isinstance(node, exp.Subquery):
        plan = _plan(node, context)
        if len(plan.schema) != 1:
            raise UserError(
                "WRONG_NUMBER_OF_COLUMNS",
                f"a query that stands for a value has {len(plan.schema)} columns",
                hint="Select one.",
                position=position(node),
            )
        return RowValue(name, plan, position(node))
    return _comparison(node, name, context)


def _member(found: _Found, test: Test, name: str, context: Context) -> Value:
    values = test.values or ()
    plan = _plan(test.query, context)
    check_width(test.query, len(values), len(plan.schema))
    if len(values) > 1 and not found.positive:
        raise unsupported(
            "IN of several values where it may be NULL",
            found.node,
            "Let it stand in WHERE or HAVING, under AND and OR alone, or write EXISTS.",
        )
    return Member(name, plan, values, found.positive, test.negated)


def _comparison(node: exp.Expr, name: str, context: Context) -> Value:
    """``value operator ANY (query)``, or ALL."""
    right, operator = node.expression, BINARY[type(node)]
    if type(node) not in (exp.LT, exp.LTE, exp.GT, exp.GTE) or not isinstance(
        right.this, exp.Subquery
    ):
        raise unsupported(
            f"'{operator}' with {right.key.upper()}",
            node,
            "Compare with MIN and MAX of the query, or write IN or EXISTS.",
        )
    plan = _plan(bare(right.this), context)
    check_width(right, 1, len(plan.schema))
    return Comparison(name, plan, node.this, operator, isinstance(right, exp.All))


def _plan(query: exp.Expr, context: Context) -> Logical:
    return without_order(context.query(query))
