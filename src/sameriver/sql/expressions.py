"""Expressions, by the precedence of Flink's operators, loosest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from sameriver.sql.calls import call, no_parentheses
from sameriver.sql.cursor import Cursor
from sameriver.sql.literals import interval, is_temporal, temporal
from sameriver.sql.nodes import Positive
from sameriver.sql.tokens import Kind, Token
from sameriver.sql.types import at_unit, interval_span, type_node
from sameriver.sql.words import RESERVED

_COMPARISONS: dict[str, type[exp.Binary]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_TERMS: dict[str, type[exp.Binary]] = {"+": exp.Add, "-": exp.Sub}
_FACTORS: dict[str, type[exp.Binary]] = {
    "*": exp.Mul,
    "/": exp.Div,
    "%": exp.Mod,
    "||": exp.DPipe,
}
_CONSTANTS: dict[str, Callable[[], exp.Expr]] = {
    "NULL": exp.Null,
    "TRUE": lambda: exp.Boolean(this=True),
    "FALSE": lambda: exp.Boolean(this=False),
    "UNKNOWN": exp.Null,
}
_QUERY_WORDS = ("SELECT", "WITH", "VALUES")
_QUERY_GOES_ON = (")", "UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET", "FETCH")


def expression(cursor: Cursor) -> exp.Expr:
    """Any expression.

    Raises:
        UserError: SYNTAX.
    """
    return _chain(cursor, _conjunction, {"OR": exp.Or})


def _conjunction(cursor: Cursor) -> exp.Expr:
    return _chain(cursor, _negation, {"AND": exp.And})


def _chain(
    cursor: Cursor,
    rule: Callable[[Cursor], exp.Expr],
    operators: Mapping[str, type[exp.Binary]],
) -> exp.Expr:
    """``rule operator rule ...``, from left to right."""
    start = cursor.token
    left = rule(cursor)
    while cursor.token.upper in operators:
        node = operators[cursor.advance().upper]
        left = cursor.mark(node(this=left, expression=rule(cursor)), start)
    return left


def _negation(cursor: Cursor) -> exp.Expr:
    start = cursor.token
    if cursor.accept("NOT"):
        return cursor.mark(exp.Not(this=_negation(cursor)), start)
    return _predicate(cursor)


def _predicate(cursor: Cursor) -> exp.Expr:
    """Comparisons and IS tests."""
    start = cursor.token
    left = _range(cursor)
    while True:
        if cursor.token.upper in _COMPARISONS:
            node = _COMPARISONS[cursor.advance().upper]
            left = node(this=left, expression=_compared(cursor))
        elif cursor.accept("IS"):
            left = _is(cursor, left)
        else:
            return left
        cursor.mark(left, start)


def _compared(cursor: Cursor) -> exp.Expr:
    """The right side of a comparison, which may be ``ANY | SOME | ALL (...)``."""
    start = cursor.token
    if not (cursor.at_any("ANY", "SOME", "ALL") and cursor.peek().upper == "("):
        return _range(cursor)
    node = exp.All if cursor.advance().upper == "ALL" else exp.Any
    return cursor.mark(node(this=_in_list(cursor)), start)


def _is(cursor: Cursor, left: exp.Expr) -> exp.Expr:
    negated = cursor.accept("NOT")
    if cursor.accept("DISTINCT", "FROM"):
        node = exp.NullSafeEQ if negated else exp.NullSafeNEQ
        return node(this=left, expression=_range(cursor))
    start = cursor.token
    if cursor.accept("JSON"):
        kind = cursor.advance().upper if cursor.at_any(*_JSON_KINDS) else "VALUE"
        right: exp.Expr = exp.JSON(this=kind)
    elif cursor.accept("UNKNOWN"):
        right = exp.Var(this="UNKNOWN")
    elif cursor.at_any("NULL", "TRUE", "FALSE"):
        right = _CONSTANTS[cursor.advance().upper]()
    else:
        cursor.unexpected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS")
    test = exp.Is(this=left, expression=cursor.mark(right, start))
    return exp.Not(this=test) if negated else test


_JSON_KINDS = ("VALUE", "OBJECT", "ARRAY", "SCALAR")


def _range(cursor: Cursor) -> exp.Expr:
    """``[NOT] BETWEEN | IN | LIKE | SIMILAR TO`` and what binds tighter."""
    start = cursor.token
    left = operand(cursor)
    while True:
        negated = cursor.at("NOT")
        word = cursor.peek(1).upper if negated else cursor.token.upper
        if word not in ("BETWEEN", "IN", "LIKE", "SIMILAR", "OVERLAPS"):
            return left
        cursor.move(cursor.index + 1 + negated)
        left = cursor.mark(_ranged(cursor, word, left), start)
        if negated:
            left = cursor.mark(exp.Not(this=left), start)


def _ranged(cursor: Cursor, word: str, left: exp.Expr) -> exp.Expr:
    if word == "BETWEEN":
        symmetric = cursor.accept("SYMMETRIC")
        if not symmetric:
            cursor.accept("ASYMMETRIC")
        low = operand(cursor)
        cursor.expect("AND")
        return exp.Between(this=left, low=low, high=operand(cursor), symmetric=symmetric or None)
    if word == "IN":
        right = _in_list(cursor)
        if isinstance(right, exp.Tuple):
            return exp.In(this=left, expressions=right.expressions)
        return exp.In(this=left, query=right)
    if word == "OVERLAPS":
        return _overlaps(cursor, left)
    node: type[exp.Binary] = exp.Like
    if word == "SIMILAR":
        cursor.expect("TO")
        node = exp.SimilarTo
    like = node(this=left, expression=operand(cursor))
    if cursor.accept("ESCAPE"):
        return exp.Escape(this=like, expression=operand(cursor))
    return like


def _overlaps(cursor: Cursor, left: exp.Expr) -> exp.Expr:
    """``(start, end) OVERLAPS (start, end)`` as a call of four arguments."""
    periods = [left, operand(cursor)]
    for period in periods:
        pair = isinstance(period, exp.Anonymous) and period.name == "ROW"
        if not pair or len(period.expressions) != 2:
            cursor.unexpected("(start, end) on both sides of OVERLAPS")
    ends = [end for period in periods for end in period.expressions]
    return exp.Anonymous(this="OVERLAPS", expressions=ends)


def _in_list(cursor: Cursor) -> exp.Expr:
    """``(query)`` as an exp.Subquery, ``(a, b, ...)`` as an exp.Tuple."""
    start = cursor.token
    cursor.expect("(")
    if at_query(cursor):
        node: exp.Expr = exp.Subquery(this=cursor.query())
    else:
        node = exp.Tuple(expressions=cursor.separated(lambda: expression(cursor)))
    cursor.close(start)
    return cursor.mark(node, start)


def at_query(cursor: Cursor) -> bool:
    """Whether a query comes next; one in parentheses only if nothing but query follows."""
    if cursor.at("TABLE"):
        return cursor.peek().upper != "("
    offset = 0
    while cursor.peek(offset).upper == "(":
        offset += 1
    if cursor.peek(offset).upper not in _QUERY_WORDS:
        return False
    return offset == 0 or cursor.after_parentheses().upper in _QUERY_GOES_ON


def operand(cursor: Cursor) -> exp.Expr:
    """What may stand on either side of a comparison."""
    return _chain(cursor, _factor, _TERMS)


def _factor(cursor: Cursor) -> exp.Expr:
    return _chain(cursor, _unary, _FACTORS)


def _unary(cursor: Cursor) -> exp.Expr:
    start = cursor.token
    if cursor.accept("-"):
        return cursor.mark(exp.Neg(this=_unary(cursor)), start)
    if cursor.accept("+"):
        return cursor.mark(Positive(this=_unary(cursor)), start)
    return _postfix(cursor, start)


def _postfix(cursor: Cursor, start: Token) -> exp.Expr:
    """A primary, then ``[index]`` and ``.field``."""
    node = _primary(cursor)
    while True:
        opening = cursor.token
        if cursor.accept("["):
            node = exp.Bracket(this=node, expressions=[expression(cursor)])
            cursor.close(opening, "]")
        elif cursor.accept("."):
            if cursor.at("*"):
                cursor.unexpected("the name of a field")
            node = exp.Dot(this=node, expression=cursor.identifier("the name of a field"))
        else:
            return node
        cursor.mark(node, start)


def _primary(cursor: Cursor) -> exp.Expr:
    token = cursor.token
    match token.kind:
        case Kind.STRING:
            return _string(cursor)
        case Kind.NUMBER:
            cursor.advance()
            return cursor.mark(exp.Literal.number(token.text), token)
        case Kind.BINARY:
            cursor.advance()
            return cursor.mark(exp.HexString(this=token.text), token)
        case Kind.QUOTED:
            return _named(cursor)
        case Kind.WORD:
            return _word(cursor)
    if cursor.at("("):
        return _parenthesized(cursor)
    return cursor.unexpected("an expression")


def _string(cursor: Cursor) -> exp.Expr:
    """A string; strings side by side are one, as in standard SQL."""
    start = cursor.token
    text = cursor.advance().text
    while cursor.token.kind is Kind.STRING:
        text += cursor.advance().text
    return cursor.mark(exp.Literal.string(text), start)


def _word(cursor: Cursor) -> exp.Expr:
    token = cursor.token
    word = token.upper
    if word in _CONSTANTS:
        cursor.advance()
        return cursor.mark(_CONSTANTS[word](), token)
    match word:
        case "CASE":
            return _case(cursor)
        case "CAST" | "TRY_CAST" if cursor.peek().upper == "(":
            return _cast(cursor)
        case "EXISTS" if cursor.peek().upper == "(":
            cursor.advance()
            subquery = _in_list(cursor)
            if not isinstance(subquery, exp.Subquery):
                cursor.unexpected("a query in EXISTS (...)")
            return cursor.mark(exp.Exists(this=subquery.this), token)
        case "INTERVAL":
            return _interval(cursor)
    if is_temporal(cursor):
        return temporal(cursor)
    found = no_parentheses(cursor)
    if found is not None:
        return found
    return _named(cursor)


def _interval(cursor: Cursor) -> exp.Expr:
    """``INTERVAL '1' DAY``; or of a whole number, ``INTERVAL n DAY``: so many times one of it."""
    signed = cursor.peek().upper in ("+", "-")
    if cursor.peek(2 if signed else 1).kind is Kind.STRING:
        return interval(cursor)
    start = cursor.advance()
    written = cursor.token
    number = _unary(cursor)
    if isinstance(number, exp.Literal) and not written.text.isdigit():
        hint = f"Write INTERVAL '{written.text}' {cursor.token.upper}."
        cursor.unexpected("a whole number before the unit", hint)
    unit, last = interval_span(cursor)
    if last is not None:
        cursor.unexpected(f"a length in single quotes before {unit} TO {last}")
    one = exp.Interval(this=exp.Literal.string("1"), unit=exp.Var(this=unit))
    return cursor.mark(exp.Mul(this=number, expression=one), start)


def _named(cursor: Cursor) -> exp.Expr:
    """A column, a dotted path, or a call."""
    token = cursor.token
    if cursor.peek().upper == "(":
        return call(cursor)
    if token.kind is Kind.WORD and token.upper in RESERVED:
        cursor.identifier("an expression")
    parts = [cursor.identifier()]
    while cursor.at("."):
        if cursor.peek().upper == "*":
            cursor.advance()
            star = cursor.token
            cursor.advance()
            return _column(cursor, [*parts, cursor.mark(exp.Star(), star)], token)
        cursor.advance()
        if cursor.peek().upper == "(":
            return cursor.mark(_qualified(parts, call(cursor)), token)
        parts.append(cursor.identifier("a name after '.'"))
    return _column(cursor, parts, token)


def _column(cursor: Cursor, parts: Sequence[exp.Expr], start: Token) -> exp.Expr:
    keys = ("this", "table", "db", "catalog")
    node: exp.Expr = exp.Column(**dict(zip(keys, parts[3::-1], strict=False)))
    for part in parts[4:]:
        node = exp.Dot(this=node, expression=part)
    return cursor.mark(node, start)


def _qualified(parts: list[exp.Identifier], function: exp.Expr) -> exp.Expr:
    node: exp.Expr = parts[0]
    for part in [*parts[1:], function]:
        node = exp.Dot(this=node, expression=part)
    return node


def _parenthesized(cursor: Cursor) -> exp.Expr:
    """``(query)``, ``(expression)``, or the row ``(a, b)``."""
    start = cursor.advance()
    if at_query(cursor):
        node: exp.Expr = exp.Subquery(this=cursor.query())
    else:
        parts = cursor.separated(lambda: expression(cursor))
        if len(parts) == 1:
            node = exp.Paren(this=parts[0])
        else:
            node = exp.Anonymous(this="ROW", expressions=parts)
    cursor.close(start)
    if isinstance(node.this, exp.Sub) and at_unit(cursor):
        node = _time_between(cursor, node.this)
    return cursor.mark(node, start)


def _time_between(cursor: Cursor, minus: exp.Sub) -> exp.Expr:
    """``(a - b) DAY TO SECOND``, ``(a - b) MONTH``: the interval from one moment to another."""
    first, _ = interval_span(cursor)
    family = "YEAR TO MONTH" if first in ("YEAR", "MONTH") else "DAY TO SECOND"
    return exp.Anonymous(this=f"- {family}", expressions=[minus.this, minus.expression])


def _case(cursor: Cursor) -> exp.Expr:
    start = cursor.advance()
    value = None if cursor.at("WHEN") else expression(cursor)
    branches = []
    if not cursor.at("WHEN"):
        cursor.unexpected("'WHEN'")
    while cursor.accept("WHEN"):
        condition = expression(cursor) if value is None else _whens(cursor)
        cursor.expect("THEN")
        branches.append(exp.If(this=condition, true=expression(cursor)))
    default = expression(cursor) if cursor.accept("ELSE") else None
    if not cursor.accept("END"):
        where = cursor.position_of(start)
        expected = "'END'" if default is not None else "'WHEN', 'ELSE' or 'END'"
        hint = f"The CASE of line {where.line}, column {where.column} needs an END."
        cursor.unexpected(expected, hint)
    return cursor.mark(exp.Case(this=value, ifs=branches, default=default), start)


def _whens(cursor: Cursor) -> exp.Expr:
    """What a CASE with an operand compares it with; several values as an exp.Tuple."""
    start = cursor.token
    values = cursor.separated(lambda: expression(cursor))
    if len(values) == 1:
        return values[0]
    return cursor.mark(exp.Tuple(expressions=values), start)


def _cast(cursor: Cursor) -> exp.Expr:
    start = cursor.advance()
    opening = cursor.token
    cursor.expect("(")
    value = expression(cursor)
    cursor.expect("AS")
    to = type_node(cursor)
    cursor.close(opening)
    node = exp.Cast if start.upper == "CAST" else exp.TryCast
    return cursor.mark(node(this=value, to=to), start)
