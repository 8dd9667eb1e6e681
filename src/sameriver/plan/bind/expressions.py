"""Which node of the tree is bound by what."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.types import BIGINT, INT, INTEGERS, Root, array
from sameriver.functions.casts import cast_allowed
from sameriver.plan.bind import literals, operators, paths
from sameriver.plan.bind.calls import bind_call, call
from sameriver.plan.bind.context import Environment, ExpressionRule
from sameriver.plan.bind.intervals import MONTHS, so_many
from sameriver.plan.bind.over import bind_misplaced
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scalar_queries import bind_scalar_query
from sameriver.plan.expressions import Call, Expression, Literal
from sameriver.sql import data_type, position
from sameriver.sql.nodes import Positive


def bind_cast(node: exp.Expr, environment: Environment) -> Expression:
    """CAST, TRY_CAST, and literals of dates and times.

    Raises:
        UserError: BAD_CAST, BAD_LITERAL.
    """
    literal = literals.temporal(node)
    if literal is not None:
        return literal
    name = (
        "CAST" if isinstance(node, exp.Cast) and not isinstance(node, exp.TryCast) else "TRY_CAST"
    )
    value = environment.bind(node.this)
    target = data_type(node.args["to"])
    unit = node.args["to"].meta.get("unit")
    if unit is not None and value.type.root in (*INTEGERS, Root.DECIMAL):
        attempt = name == "TRY_CAST"
        interval = _counted(value, unit, attempt=attempt)
        if interval is not None:
            if not attempt:
                return interval
            return Call(name, (interval,), interval.type.with_nullable(True))
    if node.args["to"].meta.get("bare") and value.type.root is Root.ARRAY:
        target = array(target.children[0].with_nullable(value.type.children[0].nullable))
    if not cast_allowed(value.type, target):
        raise UserError(
            "BAD_CAST",
            f"{value.type.name} can't be cast to {target.name}",
            hint="Cast by way of STRING, or use a function such as TO_TIMESTAMP or UNIX_TIMESTAMP.",
        )
    nullable = value.type.nullable or name == "TRY_CAST"
    if isinstance(value, Literal) and value.value is None:
        return Literal(None, target.with_nullable(True))
    return Call(name, (value,), target.with_nullable(nullable))


def _counted(number: Expression, unit: str, *, attempt: bool) -> Expression | None:
    """A number CAST to an interval; None where there is no such CAST.

    A constant counts the unit, but for TRY_CAST. All else counts months or, as in Flink,
    milliseconds.
    """
    if not attempt and isinstance(number, Literal) and isinstance(number.value, int | Decimal):
        return so_many(number.value, unit)
    if number.type.root not in INTEGERS:
        return None
    held = INT if unit in MONTHS else BIGINT
    counted = Call("CAST", (number,), held.with_nullable(number.type.nullable))
    return call("*", [counted, so_many(1, "MONTH" if unit in MONTHS else "MILLISECOND")])


def bind_filter(node: exp.Expr, environment: Environment) -> Expression:
    """``f(...) FILTER (WHERE ...)`` where no aggregate may stand, or of no aggregate."""
    environment.bind(node.this)
    raise UserError(
        "BAD_FILTER",
        f"FILTER belongs to aggregates, not to '{node.this.name}'",
        hint="Write CASE WHEN ... THEN ... END instead.",
        position=position(node.this),
    )


def _refuse(construct: str) -> ExpressionRule:
    def rule(node: exp.Expr, environment: Environment) -> Expression:
        raise unsupported(construct, node)

    return rule


EXPRESSIONS: Mapping[type[exp.Expr], ExpressionRule] = {
    exp.Literal: literals.bind_literal,
    exp.Boolean: literals.bind_boolean,
    exp.Null: literals.bind_null,
    exp.Interval: literals.bind_interval,
    exp.HexString: literals.bind_binary,
    exp.Var: literals.bind_symbol,
    exp.Column: paths.bind_column,
    exp.Dot: paths.bind_dot,
    exp.Bracket: paths.bind_bracket,
    exp.Star: paths.bind_star,
    exp.Cast: bind_cast,
    exp.TryCast: bind_cast,
    exp.Anonymous: bind_call,
    exp.Paren: operators.bind_paren,
    exp.Alias: operators.bind_paren,
    exp.Neg: operators.bind_negative,
    Positive: operators.bind_positive,
    exp.And: operators.bind_connector,
    exp.Or: operators.bind_connector,
    exp.Not: operators.bind_not,
    exp.Is: operators.bind_is,
    exp.Between: operators.bind_between,
    exp.In: operators.bind_in,
    exp.Escape: operators.bind_escape,
    exp.Case: operators.bind_case,
    **dict.fromkeys(operators.BINARY, operators.bind_binary),
    exp.Filter: bind_filter,
    exp.Window: bind_misplaced,
    exp.Subquery: bind_scalar_query,
    exp.Exists: bind_scalar_query,
    exp.WithinGroup: _refuse("WITHIN GROUP"),
    exp.IgnoreNulls: _refuse("IGNORE NULLS"),
    exp.RespectNulls: _refuse("RESPECT NULLS"),
    exp.Kwarg: _refuse("naming an argument of a function"),
}
