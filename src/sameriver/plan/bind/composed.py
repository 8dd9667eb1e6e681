"""Aggregates that are made of others: a function of the result of LISTAGG or ARRAY_AGG."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.sql.nodes import Arguments, position

_Rule = Callable[[exp.Expr, exp.Expr | None], exp.Expr]
"""From the call and its FILTER to the same in terms of other aggregates."""


def composed(node: exp.Expr) -> exp.Expr | None:
    """The same in terms of other aggregates; None if it is none of these.

    Raises:
        UserError: WRONG_ARGUMENTS.
    """
    if isinstance(node, exp.Window):
        return _over(node)
    call = node.this if isinstance(node, exp.Filter) else node
    rule = _RULES.get(call.name) if isinstance(call, exp.Anonymous) else None
    if rule is None:
        return None
    condition = node.expression if isinstance(node, exp.Filter) else None
    return rule(call, condition)


def _json_array(call: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """``[`` items ``]``; without ``NULL ON NULL`` NULLs are left out."""
    _check_unfiltered(call, condition)
    first = call.expressions[0] if len(call.expressions) == 1 else None
    if first is None:
        raise _wrong(call, "JSON_ARRAYAGG(value [NULL ON NULL | ABSENT ON NULL])")
    distinct = isinstance(first, exp.Distinct)
    values = first.expressions if distinct else [first]
    item = _made("JSON_ARRAY", values, call, default="ABSENT")
    return _between("[", item, "]", distinct=distinct)


def _json_object(call: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """``{`` entries ``}``."""
    _check_unfiltered(call, condition)
    if len(call.expressions) != 2:
        raise _wrong(call, "JSON_OBJECTAGG(KEY key VALUE value [ABSENT ON NULL])")
    entry = _made("$JSON_ENTRY", call.expressions, call, default="NULL")
    return _between("{", entry, "}", distinct=False)


def _made(name: str, values: list[exp.Expr], call: exp.Expr, *, default: str) -> exp.Expr:
    options = dict(call.args.get("options") or {})
    options.setdefault("on_null", default)
    return exp.Anonymous(this=name, expressions=values, options=Arguments(options))


def _check_unfiltered(call: exp.Expr, condition: exp.Expr | None) -> None:
    """Raises UserError: WRONG_ARGUMENTS."""
    if condition is not None:
        raise UserError(
            "WRONG_ARGUMENTS",
            f"'{call.name}' does not take a FILTER",
            hint="Filter the rows with WHERE, or write CASE WHEN ... THEN ... END as the value.",
            position=position(call),
        )


def _between(start: str, whole: exp.Expr, end: str, *, distinct: bool) -> exp.Expr:
    """The insides of JSON texts of one item, joined, between the brackets; nothing is NULL."""
    size = _call("CHAR_LENGTH", whole.copy())
    inside = _call("SUBSTRING", whole, _number(2), exp.Sub(this=size, expression=_number(2)))
    part = _call("NULLIF", inside, _text(""))
    distinct_part = [exp.Distinct(expressions=[part])]
    listed: exp.Expr = _call("LISTAGG", *(distinct_part if distinct else (part, _text(","))))
    filled = _call("COALESCE", listed, _text(""))
    return _call("$JSON_TEXT", _call("CONCAT", _text(start), filled, _text(end)))


def _percentile(call: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """All values, then the percentile of them."""
    listed, share = _collected(call)
    if condition is not None:
        listed = exp.Filter(this=listed, expression=condition)
    return _call("$PERCENTILE", listed, share)


def _over(window: exp.Window) -> exp.Expr | None:
    """A function of the values in a frame; None if the window has another one."""
    call = window.this
    if not isinstance(call, exp.Anonymous):
        return None
    if call.name == "PERCENTILE":
        listed, share = _collected(call)
        return _call("$PERCENTILE", _in_frame(window, listed), share)
    if call.name not in _BITMAPS:
        return None
    known = _call("$KNOWN", _in_frame(window, _call("ARRAY_AGG", _bitmap_value(call)[1])))
    return _bitmap_of(call, known)


def _in_frame(window: exp.Window, listed: exp.Expr) -> exp.Expr:
    return exp.Window(**{**window.args, "this": listed})


def _collected(call: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """What collects the values, and the share."""
    written = list(call.expressions)
    distinct = bool(written) and isinstance(written[0], exp.Distinct)
    if distinct:
        written = list(written[0].expressions)
    if len(written) not in (2, 3):
        raise _wrong(call, "PERCENTILE([DISTINCT] value, share [, frequency])")
    value, share, *frequency = written
    weighted = _call("$WEIGHTED", value, *frequency)
    values = exp.Distinct(expressions=[weighted]) if distinct else weighted
    return _call("ARRAY_AGG", values), share


def _bitmap(call: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """A bitmap of all values that are not NULL, or how many numbers are in it."""
    value, listed = _bitmap_value(call)
    known = exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))
    asked = known if condition is None else exp.And(this=known, expression=condition.this)
    some = exp.Filter(this=_call("ARRAY_AGG", listed), expression=exp.Where(this=asked))
    return _bitmap_of(call, some)


def _bitmap_value(call: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """The value, and what is collected: each number once."""
    value = call.expressions[0] if len(call.expressions) == 1 else None
    if value is None or isinstance(value, exp.Star):
        raise _wrong(call, f"{call.name}(value)")
    if isinstance(value, exp.Distinct):
        value = value.expressions[0]
    numbers = _BITMAPS[call.name] == "BITMAP_BUILD"
    return value, exp.Distinct(expressions=[value]) if numbers else value


def _bitmap_of(call: exp.Expr, values: exp.Expr) -> exp.Expr:
    bitmap = _call(_BITMAPS[call.name], values)
    return _call("BITMAP_CARDINALITY", bitmap) if "_CARDINALITY" in call.name else bitmap


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


_BITMAPS: Mapping[str, str] = {
    f"BITMAP_{combine}{counted}_AGG": function
    for combine, function in {
        "BUILD": "BITMAP_BUILD", "AND": "$BITMAP_AND", "OR": "$BITMAP_OR", "XOR": "$BITMAP_XOR",
    }.items()
    for counted in ("", "_CARDINALITY")
}  # fmt: skip
"""What makes one bitmap of those, or of the numbers, that an aggregate sees."""

_RULES: Mapping[str, _Rule] = {
    "JSON_ARRAYAGG": _json_array,
    "JSON_OBJECTAGG": _json_object,
    "PERCENTILE": _percentile,
    **dict.fromkeys(_BITMAPS, _bitmap),
}
COMPOSED = frozenset(_RULES)
