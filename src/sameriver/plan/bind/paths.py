"""Columns, fields of rows, elements of arrays and maps."""

from __future__ import annotations

from sqlglot import exp

from sameriver.common.errors import UserError, nearest
from sameriver.common.types import FIELDED, Root
from sameriver.plan.bind.calls import call
from sameriver.plan.bind.context import Environment
from sameriver.plan.bind.literals import text
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.expressions import Expression
from sameriver.sql.nodes import position

_QUALIFIERS = ("catalog", "db", "table", "this")


def parts_of(node: exp.Expr) -> list[str]:
    """``a.b.c`` of an exp.Column as names."""
    return [node.args[key].name for key in _QUALIFIERS if node.args.get(key) is not None]


def bind_column(node: exp.Expr, environment: Environment) -> Expression:
    """A column, or a field inside one.

    Raises:
        UserError: UNKNOWN_COLUMN, UNKNOWN_TABLE, AMBIGUOUS_COLUMN, UNKNOWN_FIELD.
    """
    if isinstance(node.this, exp.Star):
        return bind_star(node, environment)
    column, fields = environment.scope.resolve(node, parts_of(node))
    bound: Expression = column
    for name in fields:
        bound = field(bound, name, node)
    return bound


def bind_dot(node: exp.Expr, environment: Environment) -> Expression:
    """``expression.field``."""
    if not isinstance(node.expression, exp.Identifier):
        raise unsupported("a function in a catalog", node)
    return field(environment.bind(node.this), node.expression.name, node)


def field(row: Expression, name: str, node: exp.Expr) -> Expression:
    """A field of a ROW.

    Raises:
        UserError: NOT_A_ROW, UNKNOWN_FIELD.
    """
    if row.type.root not in FIELDED:
        raise UserError(
            "NOT_A_ROW",
            f"'{name}' is asked of {row.type.name}, which has no fields",
            hint="Only values of type ROW or STRUCTURED have fields.",
            position=position(node),
        )
    if name not in row.type.names:
        raise UserError(
            "UNKNOWN_FIELD",
            f"there is no field '{name}' in {row.type.name}",
            hint=nearest(name, row.type.names),
            position=position(node),
        )
    return call("FIELD", [row, text(name)])


def bind_bracket(node: exp.Expr, environment: Environment) -> Expression:
    """``array[1]``, ``map['key']``, ``row[1]``."""
    container = environment.bind(node.this)
    key = environment.bind(node.expressions[0])
    if container.type.root not in (Root.ARRAY, Root.MAP, Root.ROW, Root.VARIANT):
        raise UserError(
            "NOT_A_COLLECTION",
            f"[...] is asked of {container.type.name}, which has no elements",
            hint="Only values of type ARRAY, MAP, ROW and VARIANT have elements.",
            position=position(node),
        )
    return call("ITEM", [container, key])


def bind_star(node: exp.Expr, environment: Environment) -> Expression:
    raise UserError(
        "STAR_NOT_ALLOWED",
        f"'*' may not stand in {environment.clause}",
        hint="It stands alone in SELECT, as in SELECT * or SELECT t.*, or in COUNT(*).",
        position=position(node),
    )
