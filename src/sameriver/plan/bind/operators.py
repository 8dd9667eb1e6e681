"""Operators and predicates, in canonical form: BETWEEN is spelled out, nested AND is flat."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.types import (
    BOOLEAN,
    CHARACTERS,
    INTEGERS,
    INTERVALS,
    NULL,
    NUMERIC,
    TIMESTAMPS,
    UNORDERED,
    DataType,
    Root,
)
from sameriver.functions.coercion import common_type
from sameriver.plan.bind.calls import call, coerce, untyped_null
from sameriver.plan.bind.context import Environment
from sameriver.plan.bind.literals import whole_number
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.expressions import Expression, Literal
from sameriver.sql.nodes import position

BINARY: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.DPipe: "||",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.Like: "LIKE",
    exp.SimilarTo: "SIMILAR TO",
}


def bind_binary(node: exp.Expr, environment: Environment) -> Expression:
    assert isinstance(node, exp.Binary)
    right = node.expression
    if isinstance(right, exp.Any | exp.All):
        construct = f"comparing with {right.key.upper()} in {environment.clause}"
        raise unsupported(construct, right, "Write IN (...), or OR.")
    if isinstance(node, exp.EQ) and _rows(node.this, right):
        pairs = zip(node.this.expressions, right.expressions, strict=True)
        equal = [call("=", [environment.bind(a), environment.bind(b)]) for a, b in pairs]
        return equal[0] if len(equal) == 1 else call("AND", equal)
    one, two = environment.bind(node.this), environment.bind(right)
    if type(node) in _ORDERED and one == two and one.type.root in UNORDERED:
        return _beside_itself(one, equal=_ORDERED[type(node)])
    return call(BINARY[type(node)], [one, two])


_ORDERED = {exp.LT: False, exp.GT: False, exp.LTE: True, exp.GTE: True}
"""Comparisons by order, and whether what is equal satisfies them."""


def _beside_itself(value: Expression, *, equal: bool) -> Expression:
    """``a < a``, which Flink knows the answer to even where ``a`` has no order."""
    unknown = call("IS NULL", [value])
    return call("CASE", [unknown, Literal(None, BOOLEAN), Literal(equal, BOOLEAN.not_null)])


def _rows(left: exp.Expr, right: exp.Expr) -> bool:
    """Whether both are rows written out, which are equal if their fields are."""
    rows = all(isinstance(side, exp.Anonymous) and side.name == "ROW" for side in (left, right))
    return rows and len(left.expressions) == len(right.expressions) > 0


def bind_connector(node: exp.Expr, environment: Environment) -> Expression:
    """AND, OR: a chain of the same word is one call."""
    operands: list[exp.Expr] = []
    pending = [node]
    while pending:
        part = pending.pop()
        if type(part) is type(node):
            pending += [part.expression, part.this]
        else:
            operands.append(part)
    bound = [_condition(part, environment, node.key.upper()) for part in operands]
    return call(node.key.upper(), bound)


def _condition(node: exp.Expr, environment: Environment, word: str) -> Expression:
    if isinstance(node, exp.Null):
        raise untyped_null(word)
    return condition(node, environment, f"an operand of {word}")


def condition(node: exp.Expr, environment: Environment, what: str) -> Expression:
    """Binds a BOOLEAN.

    Raises:
        UserError: NOT_BOOLEAN.
    """
    bound = environment.bind(node)
    if bound.type.root is Root.NULL:
        return Literal(None, BOOLEAN)
    if bound.type.root is not Root.BOOLEAN:
        raise UserError(
            "NOT_BOOLEAN",
            f"{what} is {bound.type.name}, not BOOLEAN",
            hint="Compare it with something, such as x <> 0 or x IS NOT NULL.",
            position=position(node),
        )
    return bound


def bind_not(node: exp.Expr, environment: Environment) -> Expression:
    """NOT; ``IS NOT NULL`` and its like are tests of their own."""
    if isinstance(node.this, exp.Is):
        return _is(node.this, environment, negated=True)
    if isinstance(node.this, exp.Between):
        return _outside(node.this, environment)
    return call("NOT", [_condition(node.this, environment, "NOT")])


def _outside(node: exp.Between, environment: Environment) -> Expression:
    """``x < low OR high < x``, which NaN does not satisfy either; SYMMETRIC: both ways round."""
    value = environment.bind(node.this)
    low, high = environment.bind(node.args["low"]), environment.bind(node.args["high"])
    beyond = call("OR", [call("<", [value, low]), call(">", [value, high])])
    if not node.args.get("symmetric"):
        return beyond
    across = call("OR", [call("<", [value, high]), call(">", [value, low])])
    return call("AND", [beyond, across])


def bind_is(node: exp.Expr, environment: Environment) -> Expression:
    return _is(node, environment, negated=False)


def _is(node: exp.Expr, environment: Environment, *, negated: bool) -> Expression:
    right = node.expression
    if isinstance(right, exp.JSON):
        return call(
            f"IS {'NOT ' if negated else ''}JSON {right.name}", [environment.bind(node.this)]
        )
    word = "NULL" if isinstance(right, exp.Null) else right.name.upper()
    if isinstance(right, exp.Boolean):
        word = "TRUE" if right.this else "FALSE"
    name = f"IS {'NOT ' if negated else ''}{word}"
    if word == "NULL":
        return call(name, [environment.bind(node.this)])
    if isinstance(node.this, exp.Null):
        raise untyped_null(name)
    return call(name, [condition(node.this, environment, f"the operand of {name}")])


def bind_negative(node: exp.Expr, environment: Environment) -> Expression:
    """Unary minus; a negative literal is a literal."""
    written = node.this.this if isinstance(node.this, exp.Literal) else ""
    if written.isdigit() and not node.this.is_string:
        return whole_number(-int(written))
    value = environment.bind(node.this)
    if isinstance(value, Literal) and not isinstance(value.value, bool):
        match value.value:
            case int() if value.type.root in INTEGERS:
                return whole_number(-value.value)
            case int() | float() | Decimal() | timedelta():
                return Literal(-value.value, value.type)
    return call("NEGATE", [value])


def bind_positive(node: exp.Expr, environment: Environment) -> Expression:
    """Unary plus.

    Raises:
        UserError: WRONG_ARGUMENTS for what is neither a number nor an interval.
    """
    value = environment.bind(node.this)
    if value.type.root not in (*NUMERIC, *INTERVALS, Root.NULL):
        raise UserError(
            "WRONG_ARGUMENTS",
            f"unary + takes a number or an interval, not {value.type.name}",
            hint="Leave the + out, or CAST the value.",
        )
    return value


def bind_paren(node: exp.Expr, environment: Environment) -> Expression:
    return environment.bind(node.this)


def bind_between(node: exp.Expr, environment: Environment) -> Expression:
    """``low <= x AND x <= high``, or for SYMMETRIC also the other way round."""
    value = environment.bind(node.this)
    low, high = environment.bind(node.args["low"]), environment.bind(node.args["high"])
    within = call("AND", [call(">=", [value, low]), call("<=", [value, high])])
    if not node.args.get("symmetric"):
        return within
    across = call("AND", [call(">=", [value, high]), call("<=", [value, low])])
    return call("OR", [within, across])


def bind_in(node: exp.Expr, environment: Environment) -> Expression:
    """``x IN (1, 2)`` is one call over literals; other lists are a chain of comparisons.

    Raises:
        UserError: NO_COMMON_TYPE; UNSUPPORTED for a query.
    """
    if node.args.get("query") is not None:
        raise unsupported(f"IN (SELECT ...) in {environment.clause}", node.args["query"])
    value = environment.bind(node.this)
    members = [environment.bind(member) for member in node.expressions]
    if common_type(member.type for member in members) is None:
        names = " and ".join(dict.fromkeys(member.type.name for member in members))
        raise UserError(
            "NO_COMMON_TYPE",
            f"the values of IN have types {names}, which have no type in common",
            hint="CAST the values that differ.",
        )
    literal = all(isinstance(m, Literal) and m.value is not None for m in members)
    if (literal and len(members) > 1) or _only_in(value.type, members[0], literal):
        return call("IN", [value, *members])
    if value.type.root is Root.BOOLEAN:
        members = [coerce(m, BOOLEAN) if m.type.root in CHARACTERS else m for m in members]
    tests = [call("=", [value, member]) for member in members]
    return tests[0] if len(tests) == 1 else call("OR", tests)


def _only_in(type: DataType, member: Expression, literal: bool) -> bool:
    """Whether IN compares what = does not, or compares it in another way."""
    other = member.type.root
    if {type.root, other} == set(TIMESTAMPS):
        return True
    if type.root in CHARACTERS:
        return other in NUMERIC
    return literal and type.root in NUMERIC and other in CHARACTERS


def bind_escape(node: exp.Expr, environment: Environment) -> Expression:
    """``a LIKE b ESCAPE c``."""
    like = node.this
    args = [like.this, like.expression, node.expression]
    return call(BINARY[type(like)], [environment.bind(arg) for arg in args])


def bind_case(node: exp.Expr, environment: Environment) -> Expression:
    """CASE; with an operand each WHEN compares it."""
    operand = None if node.this is None else environment.bind(node.this)
    args: list[Expression] = []
    for branch in node.args["ifs"]:
        if operand is None:
            args.append(condition(branch.this, environment, "the condition of WHEN"))
        else:
            args.append(_equal_to_any(operand, branch.this, environment))
        args.append(environment.bind(branch.args["true"]))
    default = node.args.get("default")
    args.append(Literal(None, NULL) if default is None else environment.bind(default))
    return call("CASE", args)


def _equal_to_any(operand: Expression, node: exp.Expr, environment: Environment) -> Expression:
    """``WHEN a`` or ``WHEN a, b`` of a CASE with an operand."""
    values = node.expressions if isinstance(node, exp.Tuple) else [node]
    tests = [call("=", [operand, environment.bind(value)]) for value in values]
    return tests[0] if len(tests) == 1 else call("OR", tests)
