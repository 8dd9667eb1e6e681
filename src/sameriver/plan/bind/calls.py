"""Function calls: looked up by name, arguments cast to what the function takes."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from sqlglot import exp

from sameriver import functions
from sameriver.common.errors import UserError, closest
from sameriver.common.types import CHARACTERS, INTEGERS, STRING, DataType, Root
from sameriver.functions.casts import cast_fallible
from sameriver.functions.nulls import UNTYPED_NULL_REFUSED
from sameriver.functions.python import scalar_function
from sameriver.functions.signature import UNKNOWN, Operand
from sameriver.plan.bind.context import Environment
from sameriver.plan.bind.json_options import has_options, json_arguments
from sameriver.plan.bind.vocabulary import GROUP_WINDOWS, GROUPING_CALLS, OVER_ONLY, WINDOW_PARTS
from sameriver.plan.expressions import Call, Expression, Literal, place
from sameriver.sql.nodes import position


def call(name: str, args: Sequence[Expression]) -> Expression:
    """A call of a scalar function or operator, typed.

    Raises:
        UserError: UNKNOWN_FUNCTION, UNTYPED_NULL, or what the function says about its arguments.
    """
    function = functions.scalar(name)
    if function is None:
        raise unknown_function(name)
    if function.name in UNTYPED_NULL_REFUSED and any(map(_untyped, args)):
        raise untyped_null(name)
    resolved = function.infer([operand(arg) for arg in args])
    cast = tuple(
        coerce(arg, parameter, attempt=resolved.attempt)
        for arg, parameter in zip(args, resolved.parameters, strict=True)
    )
    return Call(function.name, cast, resolved.result)


def equality(value: Expression, other: Expression) -> Expression:
    """``value = other``; an error is placed at the value.

    Raises:
        UserError: WRONG_ARGUMENTS, UNTYPED_NULL.
    """
    try:
        return call("=", [value, other])
    except UserError as error:
        raise error.at(place(value)) from None


def untyped_null(name: str) -> UserError:
    return UserError(
        "UNTYPED_NULL",
        f"'{name}' can't tell the type of NULL",
        hint="Give it one: CAST(NULL AS STRING).",
    )


def _untyped(argument: Expression) -> bool:
    return isinstance(argument, Literal) and argument.type.root is Root.NULL


def operand(argument: Expression) -> Operand:
    value = argument.value if isinstance(argument, Literal) else UNKNOWN
    return Operand(argument.type, value)


def coerce(expression: Expression, type: DataType, *, attempt: bool = False) -> Expression:
    """The expression as a value of ``type``, whatever its own nullability."""
    own = expression.type
    target = type.plain.with_nullable(own.nullable)
    if own.plain == target or _same_but_for_null(own, target):
        return expression
    if isinstance(expression, Literal):
        literal = _retyped(expression, target)
        if literal is not None:
            return literal
    if attempt and cast_fallible(own, target):
        return Call("TRY_CAST", (expression,), target.with_nullable(True))
    return Call("CAST", (expression,), target)


def _same_but_for_null(one: DataType, two: DataType) -> bool:
    """Equal up to nullability, also of elements and fields, which values do not show."""
    if not one.children or one.root is not two.root or one.names != two.names:
        return one.plain.with_nullable(True) == two.plain.with_nullable(True)
    pairs = zip(one.children, two.children, strict=True)
    return all(_same_but_for_null(a, b) for a, b in pairs)


def _retyped(literal: Literal, type: DataType) -> Literal | None:
    """The same value under a type that surely holds it; None if CAST has to do it."""
    value, root = literal.value, literal.type.root
    if value is None:
        return Literal(None, type)
    if root in INTEGERS and isinstance(value, int):
        if type.root in INTEGERS and INTEGERS.index(root) <= INTEGERS.index(type.root):
            return Literal(value, type)
        if type.root is Root.DOUBLE and abs(value) < 2**53:
            return Literal(float(value), type)
        whole = (type.precision or 0) - (type.scale or 0)
        if type.root is Root.DECIMAL and len(str(abs(value))) <= whole:
            return Literal(Decimal(value), type)
    longer = (literal.type.precision or 0) <= (type.precision or 0)
    if root in CHARACTERS and type.root is Root.VARCHAR and longer:
        return Literal(value, type)
    return None


def bind_call(node: exp.Expr, environment: Environment) -> Expression:
    """A call as written; aggregates are bound where they may stand, so not here."""
    assert isinstance(node, exp.Anonymous)
    name = node.name
    _check_place(name, node, environment)
    for argument in node.expressions:
        if isinstance(argument, exp.Distinct | exp.Star):
            raise UserError(
                "WRONG_ARGUMENTS",
                f"'{name}' takes neither * nor DISTINCT",
                hint="They belong to aggregates, such as COUNT(*) or SUM(DISTINCT a).",
                position=position(argument),
            )
    if name == "CURRENT_DATABASE" and not node.expressions:
        return Literal(environment.context.namespace[1], STRING.not_null)
    if functions.scalar(name) is None:
        return _users_call(name, node, environment)
    if has_options(node):
        args = [_json_argument(argument, name, environment) for argument in node.expressions]
        return call(name, json_arguments(node, args, environment))
    return call(name, [environment.bind(argument) for argument in node.expressions])


def _json_argument(argument: exp.Expr, name: str, environment: Environment) -> Expression:
    """An argument of a JSON function, inside which JSON(text) may stand.

    Raises:
        UserError: UNTYPED_NULL.
    """
    if isinstance(argument, exp.Null):
        raise untyped_null(name)
    if isinstance(argument, exp.Anonymous) and argument.name == "JSON":
        return call("$JSON", [environment.bind(part) for part in argument.expressions])
    return environment.bind(argument)


def _users_call(name: str, node: exp.Expr, environment: Environment) -> Expression:
    """A call of a function of the user's.

    Raises:
        UserError: UNKNOWN_FUNCTION, WRONG_ARGUMENTS; WRONG_PLACE for a table function.
    """
    context = environment.context
    found = context.catalog.function(name, context.namespace)
    if found is None:
        raise unknown_function(name, context.catalog.functions())
    if found.aggregate is not None:
        raise UserError(
            "AGGREGATE_NOT_ALLOWED",
            f"aggregate '{name}' may not stand in {environment.clause}",
            hint="Aggregate in a derived table, and use its column here.",
        )
    if found.result is None:
        raise UserError(
            "WRONG_PLACE",
            f"'{name}' is a table function, so it gives no single value",
            hint=f"Write it in FROM: CROSS JOIN LATERAL TABLE({name}(...)) AS t (a).",
        )
    definition = scalar_function(name, found)
    args = [environment.bind(argument) for argument in node.expressions]
    resolved = definition.infer([operand(arg) for arg in args])
    cast = tuple(coerce(a, p) for a, p in zip(args, resolved.parameters, strict=True))
    return Call(name, cast, resolved.result, definition)


def _check_place(name: str, node: exp.Expr, environment: Environment) -> None:
    """Refuses calls that only some clauses take.

    Raises:
        UserError: AGGREGATE_NOT_ALLOWED, MISSING_OVER, MISSING_GROUP_WINDOW, MISSING_GROUPING.
    """
    clause = environment.clause
    if functions.aggregate(name) is not None and functions.scalar(name) is None:
        raise UserError(
            "AGGREGATE_NOT_ALLOWED",
            f"aggregate '{name}' may not stand in {clause}",
            hint="Filter groups with HAVING, or aggregate in a derived table."
            if clause == "WHERE"
            else "Aggregate in a derived table, and use its column here.",
        )
    if name in OVER_ONLY:
        raise UserError(
            "MISSING_OVER",
            f"'{name}' needs OVER (...)",
            hint=f"Write {name}(...) OVER (PARTITION BY ... ORDER BY ...).",
        )
    if name in GROUP_WINDOWS or name in WINDOW_PARTS:
        raise UserError(
            "MISSING_GROUP_WINDOW",
            f"'{name}' may not stand in {clause}",
            hint="Group windows stand in GROUP BY, their START and END in its SELECT; "
            "TABLE(TUMBLE(...)) in FROM gives window_start and window_end as columns.",
        )
    if name in GROUPING_CALLS:
        raise UserError(
            "MISSING_GROUPING",
            f"'{name}' may not stand in {clause}",
            hint="It stands in the SELECT or HAVING of a GROUP BY.",
        )


def unknown_function(name: str, more: Sequence[str] = ()) -> UserError:
    return UserError(
        "UNKNOWN_FUNCTION",
        f"there is no function '{name}'",
        hint=closest(name, [*functions.names(), *more]) or "SHOW FUNCTIONS lists those there are.",
    )
