"""Queries and views."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from sameriver.common.config import Config
from sameriver.plan.bind.context import Context, QueryRule, Rules
from sameriver.plan.bind.correlate import CORRELATED, FUNCTIONS
from sameriver.plan.bind.expressions import EXPRESSIONS
from sameriver.plan.bind.query_parts import renamed
from sameriver.plan.bind.relations import RELATIONS
from sameriver.plan.bind.select import bind_select
from sameriver.plan.bind.set_operations import (
    bind_parenthesized,
    bind_set_operation,
    bind_union,
    bind_values,
)
from sameriver.plan.catalog import Catalog, View
from sameriver.plan.logical import Logical
from sameriver.sql.statements import CreateView

QUERIES: Mapping[type[exp.Expr], QueryRule] = {
    exp.Select: bind_select,
    exp.Union: bind_union,
    exp.Values: bind_values,
    exp.Subquery: bind_parenthesized,
    exp.Intersect: bind_set_operation,
    exp.Except: bind_set_operation,
}

RULES = Rules(
    queries=QUERIES, relations=RELATIONS | FUNCTIONS, expressions=EXPRESSIONS, joins=CORRELATED
)


def query_context(catalog: Catalog, config: Config) -> Context:
    """The surroundings of a statement."""
    return Context(catalog=catalog, namespace=catalog.namespace, config=config, rules=RULES)


def bind_query(query: exp.Expr, catalog: Catalog, config: Config) -> Logical:
    """A query as a typed plan, names resolved and views expanded.

    Raises:
        UserError: with code, position and a way out, whatever is wrong with it.
    """
    return query_context(catalog, config).query(query)


def bind_view(create: CreateView, catalog: Catalog, config: Config) -> View:
    """A view for the catalog; its query is bound now, so that errors show now.

    Raises:
        UserError: whatever is wrong with its query; BAD_ALIAS.
    """
    plan = renamed(bind_query(create.query, catalog, config), create.columns, create.query)
    return View(
        name=catalog.display(catalog.path(create.name.parts)),
        columns=create.columns,
        query=create.query,
        said=create.said,
        namespace=catalog.namespace,
        schema=plan.schema,
        comment=create.comment,
    )
