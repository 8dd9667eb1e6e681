"""SELECT: FROM, WHERE, GROUP BY, HAVING, the columns, DISTINCT, ORDER BY."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError, nearest
from sameriver.common.schema import Schema, unique
from sameriver.common.types import FIELDED, INT
from sameriver.plan import logical
from sameriver.plan.bind.aggregate import bind_grouping, find_aggregate
from sameriver.plan.bind.context import Context, Environment
from sameriver.plan.bind.hints import state_ttl
from sameriver.plan.bind.joins import bind_from
from sameriver.plan.bind.on_queries import without_on_queries
from sameriver.plan.bind.over import OverCalls
from sameriver.plan.bind.paths import field, parts_of
from sameriver.plan.bind.query_parts import with_queries
from sameriver.plan.bind.query_values import Value
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scalar_queries import ScalarQueries, joined
from sameriver.plan.bind.scope import From, Scope
from sameriver.plan.bind.set_operations import distinct
from sameriver.plan.bind.settle import settled, with_types
from sameriver.plan.bind.sort import Order, bind_order, sort_plan
from sameriver.plan.bind.subqueries import bind_where
from sameriver.plan.expressions import Expression, Literal, Named
from sameriver.plan.logical import Logical
from sameriver.sql.nodes import position

_REFUSED = {
    "laterals": "LATERAL",
    "match": "MATCH_RECOGNIZE",
}


_BARE = ("CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIMESTAMP", "LOCALTIME")
"""Calls without parentheses, which name their column."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of SELECT, stars spread out; ``column`` is set where a star gave it."""

    name: str | None
    node: exp.Expr
    column: Expression | None = None


def bind_select(node: exp.Expr, context: Context) -> Logical:
    """A query block.

    Raises:
        UserError: whatever is wrong with it.
    """
    try:
        return _select(node, context)
    except UserError as error:
        for item in node.expressions:
            name = item.alias if isinstance(item, exp.Alias) else ""
            if name and error.message.startswith(f"there is no column '{name}'"):
                error.hint = (
                    f"SELECT names '{name}', which the other clauses don't see: repeat its"
                    " expression there, or filter in a query around this one."
                )
        raise


def _select(node: exp.Expr, context: Context) -> Logical:
    node = without_on_queries(node)
    context = with_queries(node, context)
    read = _from(node, context)
    hints = state_ttl(node, read.scope)
    grouped = _is_grouped(node, _items(node, read.scope), context)
    queries = ScalarQueries.of(node, read.scope, context, grouped=grouped)
    context = queries.context
    read = From(joined(read.node, queries.below, context), read.scope)
    where = node.args.get("where")
    if where is not None:
        read = bind_where(read, where.this, context)
    if read.scope.relations:
        read = settled(read, hints.joins)
    below, scope = read.node, read.scope
    items = _items(node, scope)
    ttl = hints.aggregate
    if grouped:
        result, order = _grouped(node, items, below, scope, context, ttl, queries.above)
    else:
        over = OverCalls.of(node, below.schema.names)
        environment = over.environment(context.environment(scope, "SELECT"))
        bound = [item.column or environment.bind(item.node) for item in items]
        columns = _named(items, bound)
        environment = over.environment(context.environment(scope, "ORDER BY"))
        order = _order(node, items, columns, environment)
        result = logical.Project(input=over.plan(below), columns=(*columns, *order.hidden))
    if node.args.get("distinct"):
        result = distinct(result, ttl, position(node))
    return sort_plan(node, result, order)


def _order(
    node: exp.Expr, items: Sequence[Item], columns: tuple[Named, ...], environment: Environment
) -> Order:
    names = [item.name or column.name for item, column in zip(items, columns, strict=True)]
    selected = bool(node.args.get("distinct"))
    return bind_order(node, names, columns, environment, selected=selected)


def _from(node: exp.Expr, context: Context) -> From:
    """What FROM reads; one row without FROM."""
    source = node.args.get("from_")
    for key, construct in _REFUSED.items():
        part = node.args.get(key)
        if part:
            raise unsupported(construct, part[0] if isinstance(part, list) else part)
    if source is None:
        row = (Literal(0, INT.not_null),)
        values = logical.Values(rows=(row,), schema=Schema.of([("ZERO", INT.not_null)]))
        return From(values, Scope())
    return bind_from(source.this, node.args.get("joins") or (), context)


def _is_grouped(node: exp.Expr, items: Sequence[Item], context: Context) -> bool:
    if node.args.get("group") is not None or node.args.get("having") is not None:
        return True
    written = [item.node for item in items if item.column is None]
    return any(find_aggregate(item, context) is not None for item in written)


def _grouped(
    node: exp.Expr,
    items: Sequence[Item],
    below: Logical,
    scope: Scope,
    context: Context,
    ttl: str | None,
    above: tuple[Value, ...],
) -> tuple[Logical, Order]:
    try:
        grouping = bind_grouping(node.args.get("group"), below, scope, context)
    except UserError as error:
        _explain_alias(error, items)
        raise
    grouping.over = OverCalls.of(node, ())
    bound = [grouping.item(item.node, item.name, item.column) for item in items]
    having = node.args.get("having")
    filter = None if having is None else grouping.having(having.this)
    columns = _named(items, bound)
    order = _order(node, items, columns, grouping.order())
    result = joined(grouping.plan(ttl), above, context, grouping.key)
    if filter is not None:
        result = logical.Filter(input=result, condition=filter)
    result = grouping.over.plan(result)
    selected = [Named(c.name, with_types(c.expression, result.schema)) for c in columns]
    return logical.Project(input=result, columns=(*selected, *order.hidden)), order


def _explain_alias(error: UserError, items: Sequence[Item]) -> None:
    """Flink groups by columns of FROM, not by what SELECT names."""
    aliases = [item.name for item in items if isinstance(item.node, exp.Alias)]
    for alias in aliases:
        if error.code == "UNKNOWN_COLUMN" and f"'{alias}'" in error.message:
            error.hint = f"GROUP BY takes no alias of SELECT: repeat the expression of '{alias}'."


def _items(node: exp.Expr, scope: Scope) -> list[Item]:
    items: list[Item] = []
    for item in node.expressions:
        if isinstance(item, exp.Star) or isinstance(item.this, exp.Star):
            items += _spread(item, scope)
        else:
            items.append(Item(_name(item), item))
    return items


def _spread(item: exp.Expr, scope: Scope) -> list[Item]:
    """``*`` and ``t.*``.

    Raises:
        UserError: UNKNOWN_TABLE; STAR_NOT_ALLOWED without FROM.
    """
    if not scope.relations:
        raise UserError(
            "STAR_NOT_ALLOWED",
            "'*' needs a FROM",
            hint="Name the table: SELECT * FROM t.",
            position=position(item),
        )
    if not isinstance(item, exp.Column):
        return [Item(column.name, item, column.column) for column in scope.columns]
    path = parts_of(item)[:-1]
    found = scope.relation(path)
    if found is not None:
        return [Item(column.name, item, column.column) for column in found.columns]
    return _fields(item, path, scope)


def _fields(item: exp.Expr, path: Sequence[str], scope: Scope) -> list[Item]:
    """The fields of ``row.*``.

    Raises:
        UserError: UNKNOWN_TABLE, NOT_A_ROW.
    """
    named = scope.relation(path[:1]) is not None
    if path[0] not in scope.names() and not (named and len(path) > 1):
        raise UserError(
            "UNKNOWN_TABLE",
            f"there is no table '{'.'.join(path)}' in this FROM",
            hint=nearest(path[-1], [r.name for r in scope.relations if r.name]),
            position=position(item),
        )
    column, fields = scope.resolve(item, path)
    row: Expression = column
    for name in fields:
        row = field(row, name, item)
    if row.type.root not in FIELDED:
        raise UserError(
            "NOT_A_ROW",
            f"'{'.'.join(path)}.*' is asked of {row.type.name}, which has no fields",
            hint="Only tables and columns of type ROW spread out.",
            position=position(item),
        )
    return [Item(name, item, field(row, name, item)) for name in row.type.names]


def _name(item: exp.Expr) -> str | None:
    """The name an item has by itself."""
    match item:
        case exp.Alias():
            return item.alias
        case exp.Paren():
            return _name(item.this)
        case exp.Column():
            return item.name
        case exp.Dot() if _name(item.this) is not None and not isinstance(item.this, exp.Paren):
            return str(item.expression.name)
        case exp.Anonymous() if item.name in _BARE and not item.expressions:
            return item.name
    return None


def _named(items: Sequence[Item], bound: Sequence[Expression]) -> tuple[Named, ...]:
    """Columns under Flink's names: EXPR$n without a name, a0 for the second a."""
    names: list[str] = []
    for place, item in enumerate(items):
        names.append(unique(item.name or f"EXPR${place}", names))
    return tuple(Named(name, expression) for name, expression in zip(names, bound, strict=True))
