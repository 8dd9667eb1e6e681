"""What binding a query needs to know, and how its parts call each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Protocol

from sqlglot import exp

from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.plan.bind.outer import lifted
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scope import From, Relation, Scope
from sameriver.plan.catalog import Catalog
from sameriver.plan.expressions import Expression
from sameriver.plan.logical import Logical
from sameriver.plan.namespaces import Namespace, Path
from sameriver.sql.nodes import position

QueryRule = Callable[[exp.Expr, "Context"], Logical]
RelationRule = Callable[[exp.Expr, "Context"], Relation]
JoinRule = Callable[[From, exp.Expr, "Context"], From]
"""Joins an item of its own kind, which may name columns of what stands left of it."""
ExpressionRule = Callable[[exp.Expr, "Environment"], Expression]
Special = Callable[[exp.Expr, "Environment"], Expression | None]


class Value(Protocol):
    """A query that stands for a value."""

    def bind(self, environment: Environment) -> Expression:
        """The value, over columns that will stand beside those in sight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Who binds what, by kind of tree node; adding a construct is a line in one of these."""

    queries: Mapping[type[exp.Expr], QueryRule]
    relations: Mapping[type[exp.Expr], RelationRule]
    expressions: Mapping[type[exp.Expr], ExpressionRule]
    joins: Mapping[type[exp.Expr], JoinRule]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The surroundings of a query block.

    Attributes:
        catalog: tables and views.
        namespace: catalog and database that simple names mean.
        config: options.
        rules: how parts are bound.
        ctes: WITH queries in sight, by name.
        views: the views that are being expanded, outermost first.
        values: queries that stand for a value, by id of the node that asks for it.
        outer: the columns of the query around, for a query within an expression.
    """

    catalog: Catalog
    namespace: Namespace
    config: Config
    rules: Rules
    ctes: Mapping[str, Logical] = field(default_factory=dict)
    views: tuple[Path, ...] = ()
    values: Mapping[int, Value] = field(default_factory=dict)
    outer: Scope | None = None

    def query(self, node: exp.Expr) -> Logical:
        """Binds a query.

        Raises:
            UserError: whatever is wrong with it.
        """
        rule = self.rules.queries.get(type(node))
        if rule is None:
            raise unsupported(node.key.upper(), node)
        try:
            return rule(node, self)
        except RecursionError:
            raise UserError(
                "TOO_DEEP",
                "the expressions of the query nest too deeply",
                hint="Compute parts of them in derived tables or views.",
                position=position(node),
            ) from None

    def relation(self, node: exp.Expr) -> Relation:
        """Binds an item of FROM."""
        rule = self.rules.relations.get(type(node))
        if rule is None:
            raise unsupported(node.key.upper(), node)
        return rule(node, self)

    def environment(self, scope: Scope, clause: str) -> Environment:
        """For the expressions of a clause, such as WHERE, over the columns in ``scope``."""
        return Environment(context=self, scope=replace(scope, outer=self.outer), clause=clause)

    def within(self, scope: Scope) -> Context:
        """For queries that may read the columns in ``scope``."""
        return replace(self, outer=lifted(scope, self.outer), values={})

    def with_cte(self, name: str, query: Logical) -> Context:
        return replace(self, ctes={**self.ctes, name: query})


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The surroundings of an expression.

    Attributes:
        context: of the query block.
        scope: columns in sight.
        clause: what messages call the place, such as ``WHERE``.
        special: is asked first for each node; what it gives stands for the node.
    """

    context: Context
    scope: Scope
    clause: str
    special: Special | None = None

    def bind(self, node: exp.Expr) -> Expression:
        """Binds an expression.

        Raises:
            UserError: placed at the innermost node that is wrong.
        """
        try:
            value = self.context.values.get(id(node))
            if value is not None:
                return value.bind(self)
            found = self.special(node, self) if self.special is not None else None
            if found is None:
                rule = self.context.rules.expressions.get(type(node))
                if rule is None:
                    raise unsupported(node.key.upper(), node)
                found = rule(node, self)
            return found if found.position is not None else replace(found, position=position(node))
        except UserError as error:
            error.at(position(node))
            raise
