"""What is decided on the joins of a query block once its WHERE is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Field, Schema
from sameriver.plan import logical
from sameriver.plan.bind.joins import join_schema
from sameriver.plan.bind.scope import From, Relation, Scope, Visible
from sameriver.plan.bind.temporal_join import retyped
from sameriver.plan.expressions import Column, Expression, Named, columns, transform
from sameriver.plan.logical import JoinKind, Logical
from sameriver.plan.rules.tree import parts_of, with_inputs
from sameriver.plan.time_bounds import interval_bounds
from sameriver.plan.window_shape import joined_windows

Conditions = tuple[Expression, ...]

TIMED: Sequence[Callable[[logical.Join, Conditions], object]] = (interval_bounds, joined_windows)
"""Joins that keep time attributes: each is asked with the join, and the conditions over its
columns, of ON and WHERE. All others are regular joins, where a time attribute becomes an ordinary
column, as in Flink."""


def settled(bound: From, ttl: Mapping[str, str]) -> From:
    """The block's joins with their hints, and without time attributes where they don't keep them.

    Args:
        bound: FROM and WHERE.
        ttl: durations of the hints for joins, by name of table, view or alias.
    """
    work = _Work(bound.scope.relations, ttl)
    node = work.settle(bound.node, ())
    return From(node, _retyped_scope(bound.scope, node.schema))


@dataclass(frozen=True, slots=True)
class _Work:
    relations: tuple[Relation, ...]
    ttl: Mapping[str, str]

    def settle(self, node: Logical, above: Conditions) -> Logical:
        """``above``: conditions that filter what the node gives."""
        if self._is_item(node) or not logical.inputs(node):
            return node
        match node:
            case logical.Join():
                return self._join(node, above)
            case logical.Filter():
                below = self.settle(node.input, (*above, *parts_of(node.condition)))
                return replace(
                    node, input=below, condition=with_types(node.condition, below.schema)
                )
            case logical.Project():
                below = self.settle(node.input, ())
                columns = tuple(
                    Named(c.name, with_types(c.expression, below.schema)) for c in node.columns
                )
                return replace(node, input=below, columns=columns)
            case logical.Correlate():
                below = self.settle(node.input, ())
                args = tuple(with_types(arg, below.schema) for arg in node.args)
                added = node.schema.fields[len(below.schema) :]
                return replace(node, input=below, args=args, schema=Schema((*below.schema, *added)))
            case logical.TemporalJoin():
                below = self.settle(node.left, ())
                condition = with_types(node.condition, below.schema)
                return replace(retyped(node, below), condition=condition)
        below, *others = logical.inputs(node)
        return with_inputs(node, [self.settle(below, ()), *others])

    def _join(self, node: logical.Join, above: Conditions) -> Logical:
        left = self.settle(node.left, above if node.kind is not JoinKind.RIGHT else ())
        right = self.settle(node.right, ()) if self._holds_item(node.right) else node.right
        schema = join_schema(left.schema, right.schema, node.kind)
        condition = None
        if node.condition is not None:
            sides = Schema((*left.schema, *right.schema))
            condition = with_types(node.condition, sides)
        join = replace(node, left=left, right=right, condition=condition, schema=schema)
        join = replace(join, ttl_hints=(self._hint(node.left), self._hint(node.right)))
        own = () if condition is None else parts_of(condition)
        filters = [part for part in above if columns(part) <= set(schema.names)]
        if any(timed(join, (*own, *filters)) is not None for timed in TIMED):
            return join
        return replace(join, schema=Schema(tuple(Field(f.name, f.type.plain) for f in schema)))

    def _is_item(self, node: Logical) -> bool:
        return any(relation.node is node for relation in self.relations)

    def _holds_item(self, node: Logical) -> bool:
        """Whether items of FROM stand below: a join in parentheses."""
        return self._is_item(node) or any(map(self._holds_item, logical.inputs(node)))

    def _hint(self, side: Logical) -> str | None:
        while isinstance(side, logical.Filter):
            side = side.input
        names = [r.name for r in self.relations if r.node is side]
        return self.ttl.get(names[0]) if names and names[0] is not None else None


def with_types(expression: Expression, schema: Schema) -> Expression:
    """With columns as the schema types them."""

    def typed(part: Expression) -> Expression | None:
        if isinstance(part, Column) and part.name in schema:
            return replace(part, type=schema[part.name])
        return None

    return transform(expression, typed)


def _retyped_scope(scope: Scope, schema: Schema) -> Scope:
    def typed(found: tuple[Visible, ...]) -> tuple[Visible, ...]:
        return tuple(Visible(c.name, Column(c.column.name, schema[c.column.name])) for c in found)

    relations = tuple(replace(r, columns=typed(r.columns)) for r in scope.relations)
    return Scope(relations, typed(scope.columns))
