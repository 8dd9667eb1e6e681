"""Queries that stand for a value, in SELECT, WHERE and HAVING: joins with their only row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT
from sameriver.functions.single_value import SINGLE_VALUE
from sameriver.plan import logical
from sameriver.plan.bind.aggregate_call import is_aggregate
from sameriver.plan.bind.context import Context, Environment
from sameriver.plan.bind.joins import joined_to
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scope import Scope
from sameriver.plan.bind.sort import without_order
from sameriver.plan.expressions import AggregateCall, Call, Column, Expression, Named
from sameriver.plan.logical import JoinKind, Logical
from sameriver.sql.nodes import position

_OUTSIDE = ("UNKNOWN_COLUMN", "UNKNOWN_TABLE")
_TESTS = (exp.Exists, exp.Any, exp.All)


@dataclass(frozen=True, slots=True)
class ScalarQueries:
    """The queries of a block that stand for a value.

    Attributes:
        context: knows the column that holds the value of each.
        below: those that its groups or rows are made of; each has one column.
        above: those that are read beside its groups.
    """

    context: Context
    below: tuple[Logical, ...]
    above: tuple[Logical, ...]

    @classmethod
    def of(cls, node: exp.Expr, scope: Scope, context: Context, *, grouped: bool) -> ScalarQueries:
        """Finds and binds them.

        Raises:
            UserError: whatever is wrong with one; WRONG_NUMBER_OF_COLUMNS; UNSUPPORTED for one
                that reads columns of the query around it.
        """
        where, having = node.args.get("where"), node.args.get("having")
        clauses = [(where, True), *((item, not grouped) for item in node.expressions)]
        found = [
            (query, low or inside)
            for clause, low in (*clauses, (having, False))
            if clause is not None
            for query, inside in _queries(clause, context)
        ]
        columns: dict[int, Column] = {}
        plans: dict[bool, list[Logical]] = {True: [], False: []}
        for number, (query, low) in enumerate(found):
            plan = _only_row(query, f"$value{number}", scope, context)
            (column,) = plan.schema
            columns[id(query)] = Column(column.name, column.type.with_nullable(True))
            plans[low].append(plan)
        context = replace(context, values=columns)
        return cls(context, tuple(plans[True]), tuple(plans[False]))


def joined(node: Logical, queries: tuple[Logical, ...]) -> Logical:
    """The node with the value of each query beside every row: NULL where the query has no row."""
    for query in queries:
        join = joined_to(node, query, JoinKind.LEFT, None)
        node = replace(join, schema=Schema(tuple(Field(f.name, f.type.plain) for f in join.schema)))
    return node


def bind_scalar_query(node: exp.Expr, environment: Environment) -> Expression:
    """The column that holds the value.

    Raises:
        UserError: UNSUPPORTED where no such query may stand.
    """
    found = environment.context.values.get(id(node))
    if found is None:
        raise unsupported(
            f"a query as a value in {environment.clause}",
            node,
            "It may stand in SELECT, WHERE and HAVING; elsewhere join it.",
        )
    return found


def _queries(node: exp.Expr, context: Context) -> Iterator[tuple[exp.Expr, bool]]:
    """Those of an expression, and whether each stands in an aggregate."""
    pending = [(node, False)]
    while pending:
        part, inside = pending.pop()
        if isinstance(part, exp.Subquery):
            yield part, inside
        elif isinstance(part, exp.In):
            pending += [(below, inside) for below in (part.this, *part.expressions)]
        elif not isinstance(part, (*_TESTS, exp.Query)):
            inside = inside or is_aggregate(part, context)
            pending += [(below, inside) for below in part.iter_expressions(reverse=True)]


def _only_row(query: exp.Expr, name: str, scope: Scope, context: Context) -> Logical:
    """A plan of at most one row and one column."""
    try:
        plan = without_order(context.query(query))
    except UserError as error:
        known = [*scope.names(), *(r.name for r in scope.relations if r.name)]
        if error.code in _OUTSIDE and any(f"'{one}'" in error.message for one in known):
            raise unsupported(
                "a query as a value that reads columns of the query around it",
                query,
                "Join a derived table that groups by those columns.",
            ) from None
        raise
    if len(plan.schema) != 1:
        raise UserError(
            "WRONG_NUMBER_OF_COLUMNS",
            f"a query that stands for a value has {len(plan.schema)} columns",
            hint="Select one.",
            position=position(query),
        )
    (field,) = plan.schema
    column: Expression = Column(field.name, field.type.plain)
    if not _at_most_one(plan):
        type = field.type.plain.with_nullable(True)
        counted, last = Column("$count", BIGINT.not_null), Column("$last", type)
        plan = logical.Aggregate(
            input=plan,
            keys=(),
            calls=(
                AggregateCall(name=counted.name, function="COUNT", args=(), type=counted.type),
                AggregateCall(name=last.name, function="LAST_VALUE", args=(column,), type=type),
            ),
            schema=Schema.of([(counted.name, counted.type), (last.name, type)]),
        )
        column = Call(SINGLE_VALUE.name, (counted, last), type, SINGLE_VALUE)
    return logical.Project(input=plan, columns=(Named(name, column),))


def _at_most_one(plan: Logical) -> bool:
    """Whether a plan gives one row at most, whatever it reads."""
    match plan:
        case logical.Project(input=below) | logical.Filter(input=below):
            return _at_most_one(below)
        case logical.Aggregate(keys=keys, sets=sets):
            return not keys and sets is None
        case logical.Values(rows=rows):
            return len(rows) <= 1
    return False
