"""ORDER BY, LIMIT, OFFSET and FETCH FIRST of any query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import unique
from sameriver.common.types import UNORDERED
from sameriver.plan import logical
from sameriver.plan.bind.context import Context, Environment
from sameriver.plan.bind.paths import parts_of
from sameriver.plan.bind.scope import Scope, relation_of
from sameriver.plan.expressions import Column, Expression, Literal, Named, SortKey, to_sql
from sameriver.plan.logical import Logical
from sameriver.sql.nodes import position


@dataclass(frozen=True, slots=True)
class Order:
    """ORDER BY as bound.

    Attributes:
        keys: over the columns of the query's result and the hidden ones.
        hidden: columns that only sorting needs.
    """

    keys: tuple[SortKey, ...] = ()
    hidden: tuple[Named, ...] = ()


def bind_order(
    node: exp.Expr,
    names: Sequence[str | None],
    columns: Sequence[Named],
    environment: Environment,
    *,
    selected: bool = False,
) -> Order:
    """The ORDER BY of a query block.

    A simple name means an item of SELECT before it means a column of FROM; a number alone means
    an item by its place.

    Args:
        node: the query.
        names: of the items of SELECT, as written.
        columns: the items, bound.
        environment: for what is no item.
        selected: whether keys must be items, as with DISTINCT.

    Raises:
        UserError: AMBIGUOUS_COLUMN, ORDINAL_OUT_OF_RANGE, NOT_COMPARABLE, NOT_SELECTED, ...
    """
    order = node.args.get("order")
    if order is None:
        return Order()
    environment = _with_items(environment, names, columns)
    keys: list[SortKey] = []
    hidden: list[Named] = []
    for written in order.expressions:
        bound = _key(written.this, columns, environment)
        if isinstance(bound, Literal):
            continue
        column = next((c for c in (*columns, *hidden) if c.expression == bound), None)
        if column is None:
            if selected:
                raise _not_selected(bound, written)
            taken = [known.name for known in (*columns, *hidden)]
            name = bound.name if isinstance(bound, Column) else "$sort"
            column = Named(unique(name, taken), bound)
            hidden.append(column)
        if all(key.expression != Column(column.name, bound.type) for key in keys):
            at = Column(column.name, bound.type, position(written))
            keys.append(_sort_key(at, written))
    return Order(tuple(keys), tuple(hidden))


def _sort_key(column: Column, written: exp.Expr) -> SortKey:
    """NULL is low unless NULLS FIRST or NULLS LAST say otherwise."""
    descending = bool(written.args.get("desc"))
    nulls_first = written.args.get("nulls_first")
    return SortKey(column, descending, not descending if nulls_first is None else nulls_first)


def _with_items(
    environment: Environment, names: Sequence[str | None], columns: Sequence[Named]
) -> Environment:
    """The environment in which a simple name means an item of SELECT first."""
    inner = environment.special

    def special(node: exp.Expr, at: Environment) -> Expression | None:
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            parts = parts_of(node)
            found = [
                column.expression
                for name, column in zip(names, columns, strict=True)
                if len(parts) == 1 and name == parts[0]
            ]
            if len(set(found)) > 1:
                raise UserError(
                    "AMBIGUOUS_COLUMN",
                    f"'{parts[0]}' names {len(found)} columns of SELECT",
                    hint="Give one of them another alias, or name it by its place: ORDER BY 1.",
                    position=position(node),
                )
            if found:
                return found[0]
        return inner(node, at) if inner is not None else None

    return replace(environment, special=special)


def _key(node: exp.Expr, columns: Sequence[Named], environment: Environment) -> Expression:
    if isinstance(node, exp.Literal) and not node.is_string:
        return _ordinal(node, columns)
    bound = environment.bind(node)
    if bound.type.root in UNORDERED:
        raise UserError(
            "NOT_COMPARABLE",
            f"ORDER BY takes no {bound.type.name}, which has no order",
            hint="Order by an element or a field of it.",
            position=position(node),
        )
    return bound


def _ordinal(node: exp.Expr, columns: Sequence[Named]) -> Expression:
    place = int(node.name) if node.name.isdigit() else 0
    if not 1 <= place <= len(columns):
        raise UserError(
            "ORDINAL_OUT_OF_RANGE",
            f"ORDER BY {node.name} names no column: SELECT has {len(columns)}",
            hint=f"Write a number from 1 to {len(columns)}, or a column's name.",
            position=position(node),
        )
    return columns[place - 1].expression


def _not_selected(bound: Expression, written: exp.Expr) -> UserError:
    return UserError(
        "NOT_SELECTED",
        f"Expression '{to_sql(bound)}' is not in the select clause",
        hint="With SELECT DISTINCT, ORDER BY takes only what is selected: select it too.",
        position=position(written.this),
    )


def sort_plan(node: exp.Expr, below: Logical, order: Order) -> Logical:
    """ORDER BY, LIMIT and OFFSET of a query over ``below``, which ends with the hidden columns.

    Raises:
        UserError: BAD_LIMIT.
    """
    limit, offset = _count(node, "limit"), _count(node, "offset")
    if not order.keys and limit is None and not offset:
        return below if not order.hidden else _without(below, order.hidden)
    result: Logical = logical.Sort(
        input=below,
        keys=order.keys,
        limit=limit,
        offset=offset or 0,
        position=position(
            node.args.get("order") or node.args.get("limit") or node.args.get("offset")
        ),
    )
    return _without(result, order.hidden) if order.hidden else result


def _without(below: Logical, hidden: Sequence[Named]) -> Logical:
    shown = below.schema.fields[: len(below.schema) - len(hidden)]
    columns = tuple(Named(f.name, Column(f.name, f.type)) for f in shown)
    return logical.Project(input=below, columns=columns)


def _count(node: exp.Expr, key: str) -> int | None:
    """The number of rows of LIMIT, FETCH FIRST or OFFSET."""
    part = node.args.get(key)
    if part is None:
        return None
    written = part.expression
    if isinstance(written, exp.Literal) and not written.is_string and written.name.isdigit():
        return int(written.name)
    raise UserError(
        "BAD_LIMIT",
        f"{key.upper()} takes a number of rows, not an expression",
        hint=f"Write a whole number, such as {key.upper()} 10.",
        position=position(part),
    )


def sort_result(node: exp.Expr, below: Logical, context: Context) -> Logical:
    """ORDER BY, LIMIT and OFFSET of a query of which only the result's columns are in sight.

    Raises:
        UserError: whatever is wrong with them.
    """
    columns = tuple(Named(f.name, Column(f.name, f.type)) for f in below.schema)
    scope = Scope((relation_of(below),))
    environment = context.environment(scope, "ORDER BY")
    order = bind_order(node, below.schema.names, columns, environment)
    if order.hidden:
        below = logical.Project(input=below, columns=(*columns, *order.hidden))
    return sort_plan(node, below, order)


def without_order(query: Logical) -> Logical:
    """A query inside another one: rows of a table have no order, so ORDER BY alone goes."""
    match query:
        case logical.Sort(limit=None, offset=0):
            return query.input
        case logical.Project(input=logical.Sort(limit=None, offset=0) as below):
            return replace(query, input=below.input)
    return query
