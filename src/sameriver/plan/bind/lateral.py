"""``LATERAL (SELECT ...)``: a derived table that may name columns of what stands left of it."""

from __future__ import annotations

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.types import BOOLEAN
from sameriver.plan.bind.around import Around
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.decorrelate import decorrelated
from sameriver.plan.bind.joins import apart, beside, check_name, join_kind, typed
from sameriver.plan.bind.operators import condition
from sameriver.plan.bind.outer import prefix
from sameriver.plan.bind.query_joins import rows_beside
from sameriver.plan.bind.relations import aliased
from sameriver.plan.bind.scope import From, Scope, relation_of
from sameriver.plan.bind.sort import without_order
from sameriver.plan.expressions import Expression, Literal
from sameriver.plan.logical import JoinKind
from sameriver.plan.rules.tree import parts_of
from sameriver.sql.nodes import position

_ALWAYS = Literal(True, BOOLEAN.not_null)


def bind_lateral(left: From, join: exp.Expr, context: Context) -> From:
    """``CROSS JOIN LATERAL (SELECT ... WHERE r.k = t.k) AS r``, and its like.

    Raises:
        UserError: BAD_JOIN, DUPLICATE_TABLE, and whatever is wrong with the query.
    """
    kind = join_kind(join)
    if kind not in (JoinKind.INNER, JoinKind.LEFT) or join.args.get("using"):
        raise UserError(
            "BAD_JOIN",
            "LATERAL is joined by CROSS JOIN, INNER JOIN ... ON or LEFT JOIN ... ON",
            hint="It gives rows for each row of the left side, so nothing is ever left over.",
            position=position(join),
        )
    lateral = join.this
    plan = without_order(context.within(left.scope).query(lateral.this.this))
    relation = aliased(lateral, relation_of(plan, hintable=False))
    right = apart(From(plan, Scope((relation,))), left.node.schema.names)
    check_name(relation.name, left.scope, join)
    around = Around(outer=left.node, before=prefix(context.outer))
    both = beside(left.scope, right.scope)
    on = join.args.get("on")
    parts: list[Expression] = []
    if on is not None:
        test = condition(on, context.environment(both, "ON"), "the condition of ON")
        parts = [around.raised(part) for part in parts_of(test) if part != _ALWAYS]
    found = decorrelated(around, right.node)
    node = rows_beside(around, found, kind, parts)
    return From(node, typed(both, node.schema))
