"""UNNEST and table functions, joined to what stands left of them in FROM."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from sameriver.common.errors import UserError, closest
from sameriver.common.schema import Field, Schema, unique
from sameriver.common.types import INT
from sameriver.functions.python import table_function
from sameriver.functions.signature import TableFunction
from sameriver.functions.unnest import UNNEST, UNNEST_WITH_ORDINALITY
from sameriver.plan import logical
from sameriver.plan.bind.calls import coerce, operand
from sameriver.plan.bind.context import Context, JoinRule, RelationRule
from sameriver.plan.bind.joins import join_kind
from sameriver.plan.bind.lateral import bind_lateral
from sameriver.plan.bind.operators import condition
from sameriver.plan.bind.query_parts import check_names
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.relations import aliased
from sameriver.plan.bind.scope import From, Relation, Scope, Visible
from sameriver.plan.expressions import Column, Literal
from sameriver.plan.logical import JoinKind
from sameriver.plan.rules.tree import pass_through
from sameriver.plan.window import WindowKind
from sameriver.sql.nodes import position


def bind_correlate(left: From, join: exp.Expr, context: Context) -> From:
    """``CROSS JOIN UNNEST(t.a)``, ``LEFT JOIN LATERAL TABLE(f(t.a)) ON TRUE`` and their like.

    Raises:
        UserError: WRONG_ARGUMENTS, UNKNOWN_FUNCTION, BAD_JOIN, BAD_ALIAS, UNSUPPORTED.
    """
    if isinstance(join.this, exp.Lateral) and isinstance(join.this.this, exp.Subquery):
        return bind_lateral(left, join, context)
    kind = join_kind(join)
    if kind not in (JoinKind.INNER, JoinKind.LEFT) or join.args.get("using"):
        raise UserError(
            "BAD_JOIN",
            "a table function is joined by CROSS JOIN, INNER JOIN ... ON or LEFT JOIN ... ON TRUE",
            hint="It gives rows for each row of the left side, so nothing is ever left over.",
            position=position(join),
        )
    joined = _called(left, join.this, kind, context)
    on = join.args.get("on")
    if on is None:
        return joined
    environment = context.environment(joined.scope, "ON")
    test = condition(on, environment, "the condition of ON")
    if isinstance(test, Literal) and test.value is True:
        return joined
    if kind is JoinKind.LEFT:
        raise unsupported(
            "a LEFT JOIN of a table function on another condition than TRUE",
            on,
            "Write ON TRUE, and filter in a derived table.",
        )
    return From(logical.Filter(input=joined.node, condition=test), joined.scope)


def bind_function_relation(node: exp.Expr, context: Context) -> Relation:
    """UNNEST or a table function as the first item of FROM, where it sees no columns."""
    if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
        return aliased(node, context.relation(node.this))
    row = (Literal(0, INT.not_null),)
    values = logical.Values(rows=(row,), schema=Schema.of([("ZERO", INT.not_null)]))
    joined = _called(From(values, Scope()), node, JoinKind.INNER, context)
    (relation,) = joined.scope.relations
    fields = joined.node.schema.fields[len(values.schema) :]
    alone = logical.Project(input=joined.node, columns=pass_through(fields))
    return Relation(alone, relation.columns, relation.path, hintable=False)


def _called(left: From, node: exp.Expr, kind: JoinKind, context: Context) -> From:
    function, arguments = _function(node, context)
    environment = context.environment(left.scope, function.name)
    args = [environment.bind(argument) for argument in arguments]
    try:
        resolved = function.infer([operand(arg) for arg in args])
    except UserError as error:
        raise error.at(position(node)) from None
    cast = tuple(coerce(a, p) for a, p in zip(args, resolved.parameters, strict=True))
    below = left.node.schema
    taken = list(below.names)
    fields = []
    for name, type in resolved.columns:
        taken.append(unique(name, taken))
        nullable = type.nullable or kind is JoinKind.LEFT
        fields.append(Field(taken[-1], type.with_nullable(nullable)))
    correlate = logical.Correlate(
        input=left.node,
        function=function,
        args=cast,
        kind=kind,
        schema=Schema((*below, *fields)),
        position=position(node),
    )
    names = [name for name, _ in resolved.columns]
    relation = _relation(node, correlate, names, fields)
    columns = (*left.scope.columns, *relation.columns)
    return From(correlate, Scope((*left.scope.relations, relation), columns))


def _relation(
    node: exp.Expr, correlate: logical.Correlate, names: list[str], fields: list[Field]
) -> Relation:
    """What the function gives, under the names of its alias."""
    alias = node.args.get("alias")
    path: tuple[str, ...] = ()
    if alias is not None:
        path = (alias.this.name,)
        given = [column.name for column in alias.args.get("columns") or ()]
        if given:
            check_names(alias, given, Schema(tuple(fields)))
            names = given
    columns = (Column(field.name, field.type) for field in fields)
    visible = tuple(Visible(name, column) for name, column in zip(names, columns, strict=True))
    return Relation(correlate, visible, path, hintable=False)


def _function(node: exp.Expr, context: Context) -> tuple[TableFunction, list[exp.Expr]]:
    """The table function of an item of FROM, and its arguments as written."""
    if isinstance(node, exp.Lateral):
        return _function(node.this, context)
    if isinstance(node, exp.Unnest):
        function = UNNEST_WITH_ORDINALITY if node.args.get("offset") else UNNEST
        return function, list(node.expressions)
    found = context.catalog.function(node.name, context.namespace)
    if found is None:
        raise UserError(
            "UNKNOWN_FUNCTION",
            f"there is no table function '{node.name}'",
            hint=closest(node.name, [*context.catalog.functions(), *(k.value for k in WindowKind)])
            or "Register a function that @udtf decorates.",
            position=position(node),
        )
    if found.columns is None:
        raise UserError(
            "WRONG_PLACE",
            f"'{node.name}' gives a value, not rows",
            hint="Call it in SELECT or WHERE, or decorate it with @udtf to yield rows.",
            position=position(node),
        )
    return table_function(node.name, found), list(node.expressions)


CORRELATED: Mapping[type[exp.Expr], JoinRule] = {
    exp.Unnest: bind_correlate,
    exp.Lateral: bind_correlate,
}
"""Items of FROM that may name columns of what stands left of them."""

FUNCTIONS: dict[type[exp.Expr], RelationRule] = {
    exp.Unnest: bind_function_relation,
    exp.Lateral: bind_function_relation,
    exp.Anonymous: bind_function_relation,
}
"""The same where nothing stands left of them."""
