"""Queries within a query as joins with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sameriver.common.schema import Field, Schema
from sameriver.common.types import BOOLEAN
from sameriver.plan import logical
from sameriver.plan.bind.around import Around
from sameriver.plan.bind.calls import call
from sameriver.plan.bind.decorrelate import decorrelated
from sameriver.plan.bind.dependent import TRUE, Dependent, padded
from sameriver.plan.bind.joins import joined_to
from sameriver.plan.expressions import Column, Expression, Literal, Named
from sameriver.plan.logical import JoinKind, Logical
from sameriver.plan.rules.tree import conjunction, pass_through


def row_beside(around: Around, plan: Logical) -> Logical:
    """The columns of a query of one row at most beside each row of the query around it."""
    return _rows(around, decorrelated(around, plan), JoinKind.LEFT, ())


def rows_beside(
    around: Around, found: Dependent, kind: JoinKind, parts: Sequence[Expression]
) -> Logical:
    """Each row of the query around with each row of a query, if ``parts`` hold of both.

    Args:
        around: takes the query apart.
        found: the query.
        kind: INNER, or LEFT, which keeps rows that find none.
        parts: over the columns of both.
    """
    if found.default is not None and (parts or kind is JoinKind.LEFT):
        found = around.plain(found)
    return _rows(around, found, kind if found.default is None else JoinKind.LEFT, parts)


def _rows(around: Around, found: Dependent, kind: JoinKind, parts: Sequence[Expression]) -> Logical:
    found = around.apart(around.tested(found, parts), around.outer.schema.names)
    default = found.default or {}
    values = {o.name: default.get(o.name, _null(o.expression)) for o in found.outputs}
    outputs = found.outputs
    if kind is JoinKind.LEFT and all(_simple(o, values[o.name]) for o in outputs):
        outputs = tuple(Named(o.name, _nullable(o.expression)) for o in outputs)
    elif kind is JoinKind.LEFT:
        found, mark = around.marked(found)
        outputs = tuple(Named(o.name, padded(mark, o.expression, values[o.name])) for o in outputs)
    join = _joined(around, found.node, kind, found.tests)
    return _beside(around, join, [Named(o.name, around.inside(o.expression)) for o in outputs])


def exists_beside(around: Around, plan: Logical, tests: Sequence[Expression], name: str) -> Logical:
    """A column beside each row: whether a query has a row that passes ``tests``, which are over
    its columns and outer ones."""
    found = decorrelated(around, plan)
    if found.default is not None and not tests:
        return _beside(around, around.outer, [Named(name, TRUE)])
    kept = around.keyed(around.tested(around.plain(found), tests, outputs=()))
    keys, rows = Schema(kept.node.schema.fields), kept.node
    if not kept.keys:
        keys = Schema((Field("$there", TRUE.type),))
        rows = logical.Project(input=rows, columns=(Named("$there", TRUE),))
    distinct = logical.Aggregate(input=rows, keys=keys.names, calls=(), schema=keys)
    marked, mark = around.marked(Dependent(distinct, kept.tests, ()))
    marked = around.apart(marked, around.outer.schema.names)
    join = _joined(around, marked.node, JoinKind.LEFT, marked.tests)
    return _beside(around, join, [Named(name, call("IS NOT NULL", [mark]))])


def those_with(
    around: Around, plan: Logical, tests: Sequence[Expression], *, negated: bool
) -> Logical:
    """The rows for which a query has a row that passes ``tests``; negated: has none."""
    found = decorrelated(around, plan)
    if found.default is not None and not tests:
        no = Literal(False, BOOLEAN.not_null)
        return logical.Filter(input=around.outer, condition=no) if negated else around.outer
    found = around.tested(around.plain(found), tests, outputs=())
    found = around.apart(found, around.outer.schema.names)
    kind = JoinKind.ANTI if negated else JoinKind.SEMI
    return _joined(around, found.node, kind, found.tests)


def _joined(
    around: Around, right: Logical, kind: JoinKind, tests: Sequence[Expression]
) -> logical.Join:
    own = [around.inside(test) for test in tests]
    return joined_to(around.outer, right, kind, conjunction(own) if own else None)


def _beside(around: Around, rows: Logical, added: Sequence[Named]) -> Logical:
    """The columns of the query around, of which none is a time attribute any more, and others."""
    kept = (
        Field(f.name, f.type.plain if rows is not around.outer else f.type)
        for f in around.outer.schema
    )
    return logical.Project(input=rows, columns=(*pass_through(tuple(kept)), *added))


def _nullable(value: Expression) -> Expression:
    return replace(value, type=value.type.with_nullable(True))


def _null(value: Expression) -> Literal:
    return Literal(None, value.type.with_nullable(True))


def _simple(output: Named, default: Expression) -> bool:
    """Whether padding with NULL gives the default."""
    none = isinstance(default, Literal) and default.value is None
    return isinstance(output.expression, Column) and none
