"""Items of FROM: tables, views, WITH queries, derived tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from sameriver.common.errors import UserError, nearest
from sameriver.common.schema import Schema
from sameriver.plan import logical
from sameriver.plan.bind.context import Context, RelationRule
from sameriver.plan.bind.hints import table_options
from sameriver.plan.bind.match_recognize import bind_match_recognize
from sameriver.plan.bind.query_parts import check_names, renamed
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scope import Relation, Visible, relation_of
from sameriver.plan.bind.sort import without_order
from sameriver.plan.bind.window_table import bind_window_table
from sameriver.plan.catalog import View
from sameriver.plan.logical import Logical
from sameriver.sql.nodes import WindowTvf, position

_REFUSED = {
    "system_time": "FOR SYSTEM_TIME AS OF",
    "version": "FOR SYSTEM_TIME AS OF",
    "when": "FOR SYSTEM_TIME AS OF",
    "sample": "TABLESAMPLE",
    "joins": "an alias of a JOIN in parentheses",
    "laterals": "LATERAL",
    "pivots": "PIVOT",
    "match": "MATCH_RECOGNIZE",
}


def check_parts(node: exp.Expr) -> None:
    """Refuses what may hang on an item of FROM and is not there yet.

    Raises:
        UserError: UNSUPPORTED.
    """
    for key, construct in _REFUSED.items():
        part = node.args.get(key)
        if part:
            raise unsupported(construct, part[0] if isinstance(part, list) else part)


def bind_table_name(node: exp.Expr, context: Context) -> Relation:
    """A table, view or WITH query by name.

    Raises:
        UserError: UNKNOWN_TABLE, RECURSIVE_VIEW, BAD_HINT.
    """
    check_parts(node)
    if not isinstance(node.this, exp.Identifier):
        return aliased(node, context.relation(node.this))
    parts = tuple(
        node.args[key].name for key in ("catalog", "db", "this") if node.args.get(key) is not None
    )
    options = table_options(node)
    if len(parts) == 1 and parts[0] in context.ctes:
        _no_options(node, options, "WITH query")
        return aliased(node, relation_of(context.ctes[parts[0]], parts))
    path = context.catalog.path(parts, context.namespace)
    found = context.catalog.find(parts, context.namespace)
    if found is None:
        known = {**dict(context.catalog.items(context.namespace)), **context.ctes}
        raise _unknown_table(node, parts, known)
    if isinstance(found, View):
        _no_options(node, options, "view")
        return aliased(node, relation_of(view_query(found, path, context, node), path))
    alias = node.alias or parts[-1]
    scan = logical.Scan(table=found, options=options, alias=alias, schema=found.schema)
    return aliased(node, relation_of(scan, path))


def view_query(view: View, path: tuple[str, str, str], context: Context, node: exp.Expr) -> Logical:
    """The plan of a view, bound where it was made; its errors are placed where it is used."""
    if path in context.views:
        raise UserError(
            "RECURSIVE_VIEW",
            f"view '{view.name}' is defined by itself",
            hint="Give one of the views another name.",
            position=position(node),
        )
    inner = replace(
        context, namespace=view.namespace, ctes={}, views=(*context.views, path), outer=None
    )
    try:
        return renamed(inner.query(view.query), view.columns, node)
    except UserError as error:
        raise UserError(
            error.code,
            f"in view '{view.name}': {error.message}",
            hint=error.hint,
            position=position(node),
        ) from error


def _unknown_table(
    node: exp.Expr, parts: tuple[str, ...], known: Mapping[str, object]
) -> UserError:
    return UserError(
        "UNKNOWN_TABLE",
        f"there is no table or view '{'.'.join(parts)}'",
        hint=nearest(parts[-1], known) or "Declare it first with CREATE TABLE.",
        position=position(node),
    )


def _no_options(node: exp.Expr, options: Sequence[object], what: str) -> None:
    if options:
        raise UserError(
            "BAD_HINT",
            f"'{node.name}' is a {what}, so it takes no OPTIONS",
            hint="Give OPTIONS to the tables that it reads.",
            position=position(node),
        )


def bind_derived(node: exp.Expr, context: Context) -> Relation:
    """``(SELECT ...) AS t (a, b)``."""
    check_parts(node)
    if not isinstance(node.this, exp.Query | exp.Values):
        return aliased(node, context.relation(node.this))
    query = without_order(context.query(node.this))
    return aliased(node, relation_of(query, hintable=False))


def bind_values_relation(node: exp.Expr, context: Context) -> Relation:
    """``(VALUES ...) AS t (a, b)``."""
    return aliased(node, relation_of(context.query(node), hintable=False))


def aliased(node: exp.Expr, relation: Relation) -> Relation:
    """The relation under the alias of its node, if there is one.

    Raises:
        UserError: BAD_ALIAS if the alias names too few or too many columns.
    """
    alias = node.args.get("alias")
    if alias is None:
        return relation
    names = [column.name for column in alias.args.get("columns") or ()]
    if names:
        check_names(alias, names, relation.node.schema)
        relation = _renamed(relation, names)
    columns = relation.columns
    if names:
        columns = tuple(
            Visible(name, visible.column) for name, visible in zip(names, columns, strict=True)
        )
    return Relation(relation.node, columns, (alias.this.name,))


def _renamed(relation: Relation, names: Sequence[str]) -> Relation:
    """Literal rows have no names of their own: they take those of the alias."""
    if not isinstance(relation.node, logical.Values):
        return relation
    schema = Schema.of(zip(names, relation.node.schema.types, strict=True))
    return relation_of(replace(relation.node, schema=schema), hintable=False)


RELATIONS: dict[type[exp.Expr], RelationRule] = {
    exp.Table: bind_table_name,
    exp.Subquery: bind_derived,
    exp.Values: bind_values_relation,
    WindowTvf: bind_window_table,
    exp.MatchRecognize: bind_match_recognize,
}
