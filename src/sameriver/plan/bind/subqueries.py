"""WHERE with IN, EXISTS and their negations: semi and anti joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.schema import unique
from sameriver.plan import logical
from sameriver.plan.bind.aggregate import find_aggregate
from sameriver.plan.bind.calls import call
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.hints import state_ttl
from sameriver.plan.bind.joins import bind_from, joined_to
from sameriver.plan.bind.operators import condition
from sameriver.plan.bind.query_parts import with_queries
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scope import From, Scope, Visible
from sameriver.plan.bind.settle import settled
from sameriver.plan.bind.sort import without_order
from sameriver.plan.expressions import Column, Expression, Named, columns
from sameriver.plan.logical import JoinKind, Logical
from sameriver.plan.rules.tree import conjunction, filtered
from sameriver.sql.nodes import position

_OUTSIDE = ("UNKNOWN_COLUMN", "UNKNOWN_TABLE")
"""What is wrong with a query that reads columns of the query around it."""

_GROUPS = ("group", "having", "limit", "offset", "windows")


@dataclass(frozen=True, slots=True)
class _Test:
    """``[NOT] values IN (query)``, or ``[NOT] EXISTS (query)`` (no values)."""

    query: exp.Expr
    values: tuple[exp.Expr, ...] | None
    negated: bool


@dataclass(frozen=True, slots=True)
class _Answer:
    """A query in terms of the one around it: rows, what they must meet, and their values."""

    node: Logical
    tests: tuple[Expression, ...]
    values: tuple[Expression, ...]


def bind_where(read: From, where: exp.Expr, context: Context) -> From:
    """What of FROM passes WHERE.

    Raises:
        UserError: whatever is wrong with the condition; UNSUPPORTED for a query that groups and
            reads columns of the query around it.
    """
    parts = list(_conjuncts(where))
    tests = [test for test in map(_test, parts) if test is not None]
    environment = context.environment(read.scope, "WHERE")
    if not tests:
        bound = condition(where, environment, "the condition of WHERE")
        return From(logical.Filter(input=read.node, condition=bound), read.scope)
    plain = [condition(p, environment, "an operand of AND") for p in parts if _test(p) is None]
    node = filtered(read.node, plain)
    for test in tests:
        node = _joined(node, read.scope, test, context)
    return From(node, read.scope)


def _conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The operands of nested AND, left to right."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, exp.And):
            pending += [part.expression, part.this]
        elif isinstance(part, exp.Paren):
            pending.append(part.this)
        else:
            yield part


def _test(node: exp.Expr) -> _Test | None:
    match node:
        case exp.Paren():
            return _test(node.this)
        case exp.Not():
            test = _test(node.this)
            return None if test is None else replace(test, negated=not test.negated)
        case exp.Exists():
            return _Test(_bare(node.this), None, False)
        case exp.In() if node.args.get("query") is not None:
            row = isinstance(node.this, exp.Anonymous) and node.this.name == "ROW"
            values = tuple(node.this.expressions) if row else (node.this,)
            return _Test(_bare(node.args["query"]), values, False)
    return None


def _bare(query: exp.Expr) -> exp.Expr:
    while isinstance(query, exp.Subquery) and not query.args.get("with_"):
        query = query.this
    return query


def _joined(left: Logical, scope: Scope, test: _Test, context: Context) -> Logical:
    answer = _answer(test, scope, left.schema.names, context)
    tests = list(answer.tests)
    if test.values is not None:
        environment = context.environment(scope, "WHERE")
        values = [environment.bind(value) for value in test.values]
        _check_width(test, len(values), len(answer.values))
        pairs = zip(values, answer.values, strict=True)
        tests += [_same(a, b, test.negated) for a, b in pairs]
    kind = JoinKind.ANTI if test.negated else JoinKind.SEMI
    return joined_to(left, answer.node, kind, conjunction(tests) if tests else None)


def _same(value: Expression, member: Expression, negated: bool) -> Expression:
    """Equal; for NOT IN also where it can't be told, since a NULL on either side withdraws."""
    equal = call("=", [value, member])
    unknown = [call("IS NULL", [e]) for e in (value, member) if e.type.nullable]
    return call("OR", [*unknown, equal]) if negated and unknown else equal


def _check_width(test: _Test, wanted: int, found: int) -> None:
    if wanted != found:
        raise UserError(
            "WRONG_NUMBER_OF_COLUMNS",
            f"IN compares {wanted} value{'s' * (wanted > 1)} with a query of {found} columns",
            hint="Select as many columns as stand before IN.",
            position=position(test.query),
        )


def _answer(test: _Test, scope: Scope, taken: Sequence[str], context: Context) -> _Answer:
    try:
        node = without_order(context.query(test.query))
    except UserError as error:
        if error.code not in _OUTSIDE or not isinstance(test.query, exp.Select):
            raise
        return _correlated(test.query, scope, taken, context, test.values is not None)
    names = [Visible(f.name, Column(f.name, f.type)) for f in node.schema]
    read = _apart(From(node, Scope((), tuple(names))), taken)
    return _Answer(read.node, (), tuple(c.column for c in read.scope.columns))


def _correlated(
    query: exp.Select, scope: Scope, taken: Sequence[str], context: Context, selects: bool
) -> _Answer:
    """A query whose WHERE or SELECT reads columns of the query around it."""
    grouped = next((query.args[key] for key in _GROUPS if query.args.get(key)), None)
    aggregate = next(filter(None, (find_aggregate(e, context) for e in query.expressions)), None)
    if grouped is not None or aggregate is not None or query.args.get("from_") is None:
        raise unsupported(
            "a query with its own groups that reads columns of the query around it",
            query,
            "Group in a derived table or view, and join it.",
        )
    context = with_queries(query, context)
    read = bind_from(query.args["from_"].this, query.args.get("joins") or (), context)
    read = settled(read, state_ttl(query, read.scope).joins)
    where = query.args.get("where")
    parts = [] if where is None else list(_conjuncts(where.this))
    node = read.node
    for test in filter(None, map(_test, parts)):
        node = _joined(node, read.scope, test, context)
    read = _apart(From(node, read.scope), taken)
    inside = replace(read.scope, outer=scope)
    environment = context.environment(inside, "WHERE")
    bound = [condition(p, environment, "an operand of AND") for p in parts if _test(p) is None]
    own = [part for part in bound if columns(part).isdisjoint(taken)]
    values = _selected(query, inside, context) if selects else ()
    return _Answer(filtered(read.node, own), tuple(p for p in bound if p not in own), values)


def _selected(query: exp.Select, scope: Scope, context: Context) -> tuple[Expression, ...]:
    environment = context.environment(scope, "SELECT")
    values: list[Expression] = []
    for item in query.expressions:
        if isinstance(item, exp.Star):
            values += [visible.column for visible in scope.columns]
        else:
            values.append(environment.bind(item))
    return tuple(values)


def _apart(read: From, taken: Sequence[str]) -> From:
    """With columns in the plan that no name in ``taken`` has."""
    used = list(taken)
    names: dict[str, str] = {}
    for field in read.node.schema:
        names[field.name] = unique(field.name, used)
        used.append(names[field.name])

    def moved(found: Sequence[Visible]) -> tuple[Visible, ...]:
        return tuple(Visible(c.name, replace(c.column, name=names[c.column.name])) for c in found)

    projected = tuple(Named(names[f.name], Column(f.name, f.type)) for f in read.node.schema)
    scope = replace(
        read.scope,
        relations=tuple(replace(r, columns=moved(r.columns)) for r in read.scope.relations),
        merged=moved(read.scope.columns),
    )
    return From(logical.Project(input=read.node, columns=projected), scope)
