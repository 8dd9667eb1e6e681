"""Aggregates that are made of others: a function of the result of LISTAGG or ARRAY_AGG."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.sql.nodes import Arguments, position


def composed(node: exp.Expr) -> exp.Expr | None:
    """The same in terms of other aggregates; None if it is none of these.

    Raises:
        UserError: WRONG_ARGUMENTS.
    """
    call = node.this if isinstance(node, exp.Filter) else node
    rule = _RULES.get(call.name) if isinstance(call, exp.Anonymous) else None
    if rule is None:
        return None
    condition = node.expression if isinstance(node, exp.Filter) else None
    return rule(call, condition)


def _json_array(call: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """``[`` items ``]``; without ``NULL ON NULL`` NULLs are left out."""
    first = call.expressions[0] if len(call.expressions) == 1 else None
    if first is None:
        raise _wrong(call, "JSON_ARRAYAGG(value [NULL ON NULL | ABSENT ON NULL])")
    distinct = isinstance(first, exp.Distinct)
    values = first.expressions if distinct else [first]
    item = _made("JSON_ARRAY", values, call, default="ABSENT")
    return _between("[", item, "]", condition, distinct=distinct)


def _json_object(call: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """``{`` entries ``}``."""
    if len(call.expressions) != 2:
        raise _wrong(call, "JSON_OBJECTAGG(KEY key VALUE value [ABSENT ON NULL])")
    entry = _made("$JSON_ENTRY", call.expressions, call, default="NULL")
    return _between("{", entry, "}", condition, distinct=False)


def _made(name: str, values: list[exp.Expr], call: exp.Expr, *, default: str) -> exp.Expr:
    options = dict(call.args.get("options") or {})
    options.setdefault("on_null", default)
    return exp.Anonymous(this=name, expressions=values, options=Arguments(options))


def _between(
    start: str, whole: exp.Expr, end: str, condition: exp.Expr | None, *, distinct: bool
) -> exp.Expr:
    """The insides of JSON texts of one item, joined, between the brackets; nothing is NULL."""
    size = _call("CHAR_LENGTH", whole.copy())
    inside = _call("SUBSTRING", whole, _number(2), exp.Sub(this=size, expression=_number(2)))
    part = _call("NULLIF", inside, _text(""))
    distinct_part = [exp.Distinct(expressions=[part])]
    listed: exp.Expr = _call("LISTAGG", *(distinct_part if distinct else (part, _text(","))))
    if condition is not None:
        listed = exp.Filter(this=listed, expression=condition)
    return _call("CONCAT", _text(start), _call("COALESCE", listed, _text("")), _text(end))


def _percentile(call: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """All values, then the percentile of them."""
    if len(call.expressions) not in (2, 3) or isinstance(call.expressions[0], exp.Distinct):
        raise _wrong(call, "PERCENTILE(value, share [, frequency])")
    value, share, *frequency = call.expressions
    listed: exp.Expr = _call("ARRAY_AGG", _call("$WEIGHTED", value, *frequency))
    if condition is not None:
        listed = exp.Filter(this=listed, expression=condition)
    return _call("$PERCENTILE", listed, share)


def _call(name: str, *args: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(args))


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)


def _text(value: str) -> exp.Expr:
    return exp.Literal.string(value)


def _wrong(call: exp.Expr, takes: str) -> UserError:
    return UserError(
        "WRONG_ARGUMENTS",
        f"'{call.name}' does not take these arguments",
        hint=f"Write {takes}.",
        position=position(call),
    )


_RULES: Mapping[str, Callable[[exp.Expr, exp.Expr | None], exp.Expr]] = {
    "JSON_ARRAYAGG": _json_array,
    "JSON_OBJECTAGG": _json_object,
    "PERCENTILE": _percentile,
}
COMPOSED = frozenset(_RULES)
