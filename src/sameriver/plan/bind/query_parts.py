"""What any query may have around it: WITH before, other column names behind."""

from __future__ import annotations

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.plan import logical
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.sort import without_order
from sameriver.plan.expressions import Column, Named
from sameriver.plan.logical import Logical
from sameriver.sql.nodes import position


def with_queries(node: exp.Expr, context: Context) -> Context:
    """The context with the WITH queries of a node in sight."""
    clause = node.args.get("with_")
    for cte in clause.expressions if clause is not None else ():
        alias = cte.args["alias"]
        names = [column.name for column in alias.args.get("columns") or ()]
        query = without_order(context.query(cte.this))
        context = context.with_cte(alias.this.name, renamed(query, names, alias))
    return context


def renamed(node: Logical, names: list[str] | tuple[str, ...], at: exp.Expr) -> Logical:
    """The plan with other column names, if names are given.

    Raises:
        UserError: BAD_ALIAS.
    """
    if not names or tuple(names) == node.schema.names:
        return node
    check_names(at, names, node.schema)
    columns = tuple(
        Named(name, Column(field.name, field.type))
        for name, field in zip(names, node.schema, strict=True)
    )
    return logical.Project(input=node, columns=columns)


def check_names(at: exp.Expr, names: list[str] | tuple[str, ...], schema: Schema) -> None:
    """Refuses a list of names that does not fit the columns.

    Raises:
        UserError: BAD_ALIAS.
    """
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if len(names) == len(schema) and not twice:
        return
    problem = f"has '{twice[0]}' twice" if twice else f"has {len(names)}"
    raise UserError(
        "BAD_ALIAS",
        f"the list of column names {problem}; the query has {len(schema)} columns",
        hint="Give each column one name of its own.",
        position=position(at),
    )
