"""UNION, INTERSECT, EXCEPT, VALUES, and queries in parentheses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from sameriver.common.errors import Position, UserError
from sameriver.common.schema import Schema
from sameriver.common.types import DataType
from sameriver.functions.coercion import chosen_type
from sameriver.plan import logical
from sameriver.plan.bind.calls import coerce
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.query_parts import with_queries
from sameriver.plan.bind.scope import Scope
from sameriver.plan.bind.sort import sort_result, without_order
from sameriver.plan.expressions import Column, Expression, Named
from sameriver.plan.logical import Logical
from sameriver.sql.nodes import position


def bind_union(node: exp.Expr, context: Context) -> Logical:
    """UNION ALL, and UNION as a UNION ALL made distinct.

    Raises:
        UserError: COLUMN_COUNT, NO_COMMON_TYPE.
    """
    context = with_queries(node, context)
    branches, schema = _aligned("UNION", _branches(node), context)
    union = logical.Union(inputs=tuple(branches), schema=schema)
    result = distinct(union) if node.args.get("distinct") else union
    return sort_result(node, result, context)


def bind_set_operation(node: exp.Expr, context: Context) -> Logical:
    """INTERSECT and EXCEPT.

    Raises:
        UserError: COLUMN_COUNT, NO_COMMON_TYPE.
    """
    context = with_queries(node, context)
    kind = node.key.upper()
    (left, right), schema = _aligned(kind, [node.this, node.expression], context)
    result = logical.SetOperation(
        kind=kind,
        all=not node.args.get("distinct"),
        left=left,
        right=right,
        schema=schema,
        position=position(node),
    )
    return sort_result(node, result, context)


def _aligned(
    operation: str, nodes: Sequence[exp.Expr], context: Context
) -> tuple[list[Logical], Schema]:
    """The queries with columns of the same types, and the schema of what they give together."""
    branches = [without_order(context.query(branch)) for branch in nodes]
    first = branches[0]
    for branch, at in zip(branches, nodes, strict=True):
        if len(branch.schema) != len(first.schema):
            raise UserError(
                "COLUMN_COUNT",
                f"{operation} joins queries of {len(first.schema)} and"
                f" {len(branch.schema)} columns",
                hint="Select as many columns in each; write CAST(NULL AS type) for missing ones.",
                position=position(at),
            )
    places = range(len(first.schema))
    types = [_common(operation, branches, nodes, place) for place in places]
    if operation != "UNION":
        types = [type.plain for type in types]
    schema = Schema.of(zip(first.schema.names, types, strict=True))
    return [_cast(branch, types) for branch in branches], schema


def _branches(node: exp.Expr) -> list[exp.Expr]:
    """The queries of a chain of the same UNION, left to right."""
    branches = [node.expression]
    left = node.this
    while (
        type(left) is type(node)
        and left.args.get("distinct") == node.args.get("distinct")
        and not left.args.get("with_")
    ):
        branches.append(left.expression)
        left = left.this
    return [left, *reversed(branches)]


def _common(
    operation: str, branches: Sequence[Logical], nodes: Sequence[exp.Expr], place: int
) -> DataType:
    types = [branch.schema.types[place] for branch in branches]
    common = merged(types)
    if common is None:
        names = " and ".join(dict.fromkeys(type.name for type in types))
        raise UserError(
            "NO_COMMON_TYPE",
            f"column {place + 1} of the {operation} has types {names}, which have no type in"
            " common",
            hint="CAST one of them.",
            position=position(nodes[1]),
        )
    return common


def merged(types: Sequence[DataType]) -> DataType | None:
    """The common type; a time attribute that all have stays."""
    common = chosen_type(types)
    attributes = {(type.attribute, type.root, type.precision) for type in types}
    if common is None or len(attributes) > 1:
        return common
    return replace(common, attribute=types[0].attribute)


def _cast(branch: Logical, types: Sequence[DataType]) -> Logical:
    columns = tuple(
        Named(field.name, coerce(Column(field.name, field.type), type))
        for field, type in zip(branch.schema, types, strict=True)
    )
    if all(isinstance(column.expression, Column) for column in columns):
        return branch
    return logical.Project(input=branch, columns=columns)


def distinct(
    node: Logical, ttl_hint: str | None = None, position: Position | None = None
) -> Logical:
    """Each row once."""
    return logical.Aggregate(
        input=node,
        keys=node.schema.names,
        calls=(),
        ttl_hint=ttl_hint,
        schema=node.schema,
        position=position,
    )


def bind_parenthesized(node: exp.Expr, context: Context) -> Logical:
    """``(SELECT ...)`` as a query."""
    context = with_queries(node, context)
    return sort_result(node, context.query(node.this), context)


def bind_values(node: exp.Expr, context: Context) -> Logical:
    """``VALUES (1, 'a'), (2, 'b')``; columns are EXPR$0, EXPR$1, ...

    Raises:
        UserError: COLUMN_COUNT, NO_COMMON_TYPE.
    """
    context = with_queries(node, context)
    environment = context.environment(Scope(), "VALUES")
    rows = [[environment.bind(cell) for cell in row.expressions] for row in node.expressions]
    for row, at in zip(rows, node.expressions, strict=True):
        if len(row) != len(rows[0]):
            raise UserError(
                "COLUMN_COUNT",
                f"VALUES has rows of {len(rows[0])} and {len(row)} columns",
                hint="Write as many values in each row; NULL for missing ones.",
                position=position(at),
            )
    columns = [_column(node, cells, place) for place, cells in enumerate(zip(*rows, strict=True))]
    schema = Schema.of((f"EXPR${place}", type) for place, (_, type) in enumerate(columns))
    values = logical.Values(
        rows=tuple(zip(*(cells for cells, _ in columns), strict=True)), schema=schema
    )
    return sort_result(node, values, context)


def _column(
    node: exp.Expr, cells: Sequence[Expression], place: int
) -> tuple[list[Expression], DataType]:
    common = chosen_type(cell.type for cell in cells)
    if common is None:
        names = " and ".join(dict.fromkeys(cell.type.name for cell in cells))
        raise UserError(
            "NO_COMMON_TYPE",
            f"column {place + 1} of VALUES has types {names}, which have no type in common",
            hint="CAST the values that differ.",
            position=position(node),
        )
    return [coerce(cell, common) for cell in cells], common
