"""MATCH_RECOGNIZE: a pattern over the rows of each partition, in order of time."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlglot import exp

from sameriver.common.errors import UserError, nearest
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT, PROCTIME, DataType, TimeAttribute
from sameriver.plan import logical
from sameriver.plan.bind.aggregate_call import aggregate_call, is_aggregate
from sameriver.plan.bind.calls import coerce
from sameriver.plan.bind.context import Context, Environment
from sameriver.plan.bind.operators import condition
from sameriver.plan.bind.paths import parts_of
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scope import Relation, Scope, Visible, relation_of
from sameriver.plan.bind.time_attributes import carries_time
from sameriver.plan.bind.window_sizes import milliseconds
from sameriver.plan.expressions import Call, Column, Expression, Named, SortKey
from sameriver.plan.logical import Logical
from sameriver.sql.nodes import position

_NEXT_ROW = "AFTER MATCH SKIP TO NEXT ROW"
_STEPS = ("FIRST", "LAST", "PREV", "NEXT")
_WORDS = re.compile(r"[^\W\d]\w*|\{[^}]*\}|[^\w\s]")


def bind_match_recognize(node: exp.Expr, context: Context) -> Relation:
    """One row a match: the columns of PARTITION BY, then the measures.

    Raises:
        UserError: UNSUPPORTED for ALL ROWS PER MATCH; BAD_PATTERN; NOT_A_TIME_ATTRIBUTE; whatever
            is wrong with the expressions.
    """
    below = context.relation(node.this)
    rows = node.args.get("rows")
    if rows is not None and rows.name.startswith("ALL"):
        raise unsupported("ALL ROWS PER MATCH", node, "Write ONE ROW PER MATCH, as in Flink.")
    pattern, variables = _pattern(node.args["pattern"])
    scope = Scope((below,))
    partition = tuple(_column(key, scope).name for key in node.args.get("partition_by") or ())
    order = _order(node, scope, below.node)
    inside = replace(
        context.environment(_rows(below, variables), "MATCH_RECOGNIZE"), special=_special
    )
    measures = [
        Named(m.this.alias, inside.bind(m.this.this)) for m in node.args.get("measures") or ()
    ]
    define = tuple(_definition(d, inside, variables) for d in node.args["define"])
    within = node.args.get("within")
    keys = [Field(name, below.node.schema[name]) for name in partition]
    results = [Field(m.name, m.expression.type) for m in measures]
    match = logical.MatchRecognize(
        input=below.node,
        partition=partition,
        order=order,
        measures=tuple(measures),
        pattern=pattern,
        skip=_skip(node, variables),
        within=None if within is None else milliseconds(within, context, "WITHIN"),
        define=define,
        schema=Schema((*keys, *results)),
        position=position(node),
    )
    alias = node.args.get("alias")
    return relation_of(match, () if alias is None else (alias.this.name,), hintable=False)


def _pattern(node: exp.Expr) -> tuple[str, tuple[str, ...]]:
    """The pattern, its parts apart by one space, and its variables."""
    words = _WORDS.findall(node.name)
    variables = tuple(dict.fromkeys(word for word in words if word[0].isalpha() or word[0] == "_"))
    if "PERMUTE" in variables or not variables:
        raise UserError(
            "BAD_PATTERN",
            f"the pattern '{node.name}' {'uses PERMUTE' if variables else 'has no variable'}",
            hint="Write variables one after the other, with | for a choice: PATTERN (A B+ C).",
            position=position(node),
        )
    return " ".join(word.replace(" ", "") for word in words), variables


def _column(node: exp.Expr, scope: Scope) -> Column:
    column, fields = scope.resolve(node, parts_of(node))
    if fields:
        raise unsupported("a field of a ROW in PARTITION BY or ORDER BY", node)
    return column


def _order(node: exp.Expr, scope: Scope, below: Logical) -> tuple[SortKey, ...]:
    """ORDER BY: a time attribute, ascending, then further keys.

    Raises:
        UserError: NOT_A_TIME_ATTRIBUTE.
    """
    order = node.args.get("order")
    keys: list[SortKey] = []
    for written in order.expressions if order is not None else ():
        column = replace(_column(written.this, scope), position=position(written))
        descending = bool(written.args.get("desc"))
        keys.append(SortKey(column, descending, not descending))
    first = keys[0] if keys else None
    timed = first is not None and isinstance(first.expression, Column)
    if first is None or first.descending or not timed or not _is_time(first.expression, below):
        raise UserError(
            "NOT_A_TIME_ATTRIBUTE",
            "MATCH_RECOGNIZE must be ordered by a time attribute first, ascending",
            hint="Write ORDER BY with an event time (WATERMARK) or a processing time (PROCTIME()).",
            position=position(order) if order is not None else position(node),
        )
    return tuple(keys)


def _is_time(key: Expression, below: Logical) -> bool:
    if not isinstance(key, Column):
        return False
    return key.type.attribute is TimeAttribute.PROCTIME or carries_time(below, key.name)


def _rows(below: Relation, variables: tuple[str, ...]) -> Scope:
    """What measures and definitions name: the columns of rows mapped to each variable, and those
    of any row."""

    def of(variable: str) -> Relation:
        columns = tuple(
            Visible(c.name, Column(f"{variable}.{c.column.name}", c.column.type.plain))
            for c in below.columns
        )
        return Relation(below.node, columns, (variable,))

    return Scope(tuple(of(variable) for variable in variables), below.columns)


def _special(node: exp.Expr, at: Environment) -> Expression | None:
    """FIRST, LAST, PREV, NEXT, the time of a match, and aggregates over its rows."""
    if is_aggregate(node, at.context):
        call = aggregate_call(node, replace(at, special=None), empty=True)
        name = f"{call.function} DISTINCT" if call.distinct else call.function
        return Call(name, call.args, call.type)
    if not isinstance(node, exp.Anonymous):
        return None
    if node.name in ("MATCH_ROWTIME", "MATCH_PROCTIME"):
        return Call(node.name, (), _time_type(node.name, at.scope))
    if node.name not in _STEPS:
        return None
    if len(node.expressions) not in (1, 2):
        raise UserError(
            "WRONG_ARGUMENTS",
            f"'{node.name}' takes a value of a row, and how many rows to go",
            hint=f"Write {node.name}(A.price) or {node.name}(A.price, 1).",
            position=position(node),
        )
    value, *steps = (at.bind(argument) for argument in node.expressions)
    counted = tuple(coerce(step, BIGINT.not_null) for step in steps)
    return Call(node.name, (value, *counted), value.type.plain.with_nullable(True))


def _time_type(name: str, scope: Scope) -> DataType:
    if name == "MATCH_PROCTIME":
        return PROCTIME
    types = [c.column.type for c in scope.columns]
    return next((t for t in types if t.attribute is TimeAttribute.ROWTIME), PROCTIME)


def _definition(node: exp.Expr, inside: Environment, variables: tuple[str, ...]) -> Named:
    if node.alias not in variables:
        raise UserError(
            "BAD_PATTERN",
            f"DEFINE names '{node.alias}', which is not in the pattern",
            hint=nearest(node.alias, variables),
            position=position(node),
        )
    return Named(node.alias, condition(node.this, inside, f"the definition of '{node.alias}'"))


def _skip(node: exp.Expr, variables: tuple[str, ...]) -> str:
    after = node.args.get("after")
    text = _NEXT_ROW if after is None else str(after.name)
    words = text.split()
    if words[-1] != "ROW" and words[-1] not in variables:
        raise UserError(
            "BAD_PATTERN",
            f"'{text}' names a variable that is not in the pattern",
            hint=nearest(words[-1], variables),
            position=position(node),
        )
    return text
