"""FROM: its first item and what is joined to it, in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from sameriver.common.errors import UserError, nearest
from sameriver.common.schema import Field, Schema, unique
from sameriver.plan import logical
from sameriver.plan.bind.calls import call
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.operators import condition
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scope import From, Scope, Visible
from sameriver.plan.bind.temporal_join import as_of, is_temporal, temporal
from sameriver.plan.expressions import Column, Expression, Literal, Named
from sameriver.plan.logical import JoinKind, Logical
from sameriver.plan.rules.tree import conjunction, pass_through
from sameriver.sql.nodes import position


def bind_from(source: exp.Expr, joins: Sequence[exp.Expr], context: Context) -> From:
    """The first item, then each join.

    Raises:
        UserError: DUPLICATE_TABLE, BAD_JOIN, and whatever is wrong with the items.
    """
    left = _item(source, context)
    for join in joins:
        left = context.rules.joins.get(type(join.this), _bind_join)(left, join, context)
    return left


def _item(node: exp.Expr, context: Context) -> From:
    """One item of FROM; several, joined, if they stand in parentheses."""
    if isinstance(node, exp.Subquery) and not isinstance(node.this, exp.Query | exp.Values):
        joins = node.this.args.get("joins") or ()
        if joins and node.args.get("alias") is None:
            first = node.this.copy()
            first.set("joins", None)
            return bind_from(first, joins, context)
        if node.args.get("alias") is None:
            return _item(node.this, context)
    relation = context.relation(node)
    return From(relation.node, Scope((relation,)))


def _bind_join(left: From, join: exp.Expr, context: Context) -> From:
    item, time = as_of(left, join, context) if is_temporal(join) else (join.this, None)
    right = apart(_item(item, context), left.node.schema.names)
    for relation in right.scope.relations:
        check_name(relation.name, left.scope, join.this)
    kind = join_kind(join)
    both = beside(left.scope, right.scope)
    using = _common(join, left.scope, right.scope)
    on = join.args.get("on")
    if using:
        pairs = [_pair(name, left.scope, right.scope, join) for name in using]
        test: Expression | None = conjunction([call("=", list(pair)) for pair in pairs])
    else:
        pairs = []
        environment = context.environment(both, "ON")
        test = None if on is None else condition(on, environment, "the condition of ON")
    joined = joined_to(left.node, right.node, kind, test)
    joined = replace(joined, position=position(join))
    if time is not None:
        plan: Logical = temporal(joined, time, join)
    else:
        plan = joined
    read = From(plan, typed(both, joined.schema))
    return _merged(read, using, pairs, kind) if using else read


def joined_to(
    left: Logical, right: Logical, kind: JoinKind, condition: Expression | None
) -> logical.Join:
    """The join of two plans without a column name in common."""
    if isinstance(condition, Literal) and condition.value is True:
        condition = None
    schema = join_schema(left.schema, right.schema, kind)
    return logical.Join(left=left, right=right, kind=kind, condition=condition, schema=schema)


def join_schema(left: Schema, right: Schema, kind: JoinKind) -> Schema:
    """Left columns, then right ones, nullable where they may be padded."""
    if kind in (JoinKind.SEMI, JoinKind.ANTI):
        return left
    padded_left = kind in (JoinKind.RIGHT, JoinKind.FULL)
    padded_right = kind in (JoinKind.LEFT, JoinKind.FULL)
    return Schema((*_nullable(left, padded_left), *_nullable(right, padded_right)))


def _nullable(schema: Schema, padded: bool) -> Iterable[Field]:
    if not padded:
        return schema
    return [Field(f.name, f.type.with_nullable(True)) for f in schema]


def join_kind(join: exp.Expr) -> JoinKind:
    """The kind that is written: INNER unless a side is named.

    Raises:
        UserError: UNSUPPORTED for other kinds, such as LEFT SEMI JOIN.
    """
    side = (join.args.get("side") or "").upper()
    if (join.args.get("kind") or "").upper() in ("SEMI", "ANTI"):
        raise unsupported(f"{join.args['kind']} JOIN", join, "Write IN or EXISTS in WHERE.")
    return JoinKind(side or "INNER")


def beside(left: Scope, right: Scope) -> Scope:
    """The names of two sides."""
    return Scope((*left.relations, *right.relations), (*left.columns, *right.columns))


def apart(read: From, taken: Iterable[str]) -> From:
    """The same with columns in its plan that no name in ``taken`` has."""
    used = list(taken)
    names: dict[str, str] = {}
    for field in read.node.schema:
        names[field.name] = unique(field.name, used)
        used.append(names[field.name])
    if all(old == new for old, new in names.items()):
        return read
    columns = tuple(Named(names[f.name], Column(f.name, f.type)) for f in read.node.schema)
    node = logical.Project(input=read.node, columns=columns)

    def renamed(found: Iterable[Visible]) -> tuple[Visible, ...]:
        return tuple(Visible(c.name, replace(c.column, name=names[c.column.name])) for c in found)

    relations = tuple(
        replace(r, columns=renamed(r.columns), node=node if r.node is read.node else r.node)
        for r in read.scope.relations
    )
    return From(node, Scope(relations, renamed(read.scope.columns)))


def check_name(name: str | None, scope: Scope, node: exp.Expr) -> None:
    """Refuses a second item of FROM of one name.

    Raises:
        UserError: DUPLICATE_TABLE.
    """
    if name is None or all(known.name != name for known in scope.relations):
        return
    raise UserError(
        "DUPLICATE_TABLE",
        f"two items of FROM are called '{name}'",
        hint=f"Give one an alias: {name} AS {name}2.",
        position=position(node),
    )


def _common(join: exp.Expr, left: Scope, right: Scope) -> list[str]:
    """The columns of USING, or those that NATURAL finds on both sides."""
    if (join.args.get("method") or "").upper() == "NATURAL":
        names = {column.name for column in right.columns}
        return list(dict.fromkeys(c.name for c in left.columns if c.name in names))
    return list(dict.fromkeys(name.name for name in join.args.get("using") or ()))


def _pair(name: str, left: Scope, right: Scope, join: exp.Expr) -> tuple[Column, Column]:
    pair = []
    for scope, side in ((left, "left"), (right, "right")):
        found = [c.column for c in scope.columns if c.name == name]
        if len(found) != 1:
            problem = "ambiguous on" if found else "not a column of"
            raise UserError(
                "BAD_JOIN",
                f"column '{name}' of the join is {problem} the {side} side",
                hint="Write ON with qualified names." if found else nearest(name, scope.names()),
                position=position(join),
            )
        pair.append(found[0])
    return pair[0], pair[1]


def typed(scope: Scope, schema: Schema) -> Scope:
    """The scope with the types of a schema."""

    def of(columns: Iterable[Visible]) -> tuple[Visible, ...]:
        return tuple(Visible(c.name, Column(c.column.name, schema[c.column.name])) for c in columns)

    relations = tuple(replace(r, columns=of(r.columns)) for r in scope.relations)
    return Scope(relations, of(scope.columns))


def _merged(
    joined: From, names: Sequence[str], pairs: Sequence[tuple[Column, Column]], kind: JoinKind
) -> From:
    """Columns of USING come first and once: those of the side that is never padded; of a FULL
    join whichever there is."""
    schema = joined.node.schema
    keys: list[Visible] = []
    added: list[Named] = []
    for name, (left, right) in zip(names, pairs, strict=True):
        ends = [Column(c.name, schema[c.name]) for c in (left, right)]
        column = ends[1] if kind is JoinKind.RIGHT else ends[0]
        if kind is JoinKind.FULL:
            either = call("COALESCE", list(ends))
            column = Column(unique(name, [*schema.names, *(a.name for a in added)]), either.type)
            added.append(Named(column.name, either))
        keys.append(Visible(name, column))
    hidden = {column.name for pair in pairs for column in pair}
    rest = tuple(c for c in joined.scope.columns if c.column.name not in hidden)
    node = joined.node
    if added:
        node = logical.Project(input=node, columns=(*pass_through(schema), *added))
    return From(node, Scope(joined.scope.relations, (*keys, *rest)))
