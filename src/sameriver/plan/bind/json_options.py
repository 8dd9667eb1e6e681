"""Clauses of the JSON functions, as further arguments in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from sameriver.common.types import NULL, STRING, array
from sameriver.plan.bind.context import Environment
from sameriver.plan.bind.literals import text
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.expressions import Expression, Literal
from sameriver.sql import data_type

_Options = Mapping[str, object]
_Arguments = list[Expression]


def has_options(node: exp.Expr) -> bool:
    """Whether a call is one of those that take clauses."""
    return node.name in _RULES


def json_arguments(node: exp.Expr, args: _Arguments, environment: Environment) -> _Arguments:
    """All arguments of a JSON function, those of its clauses included."""
    options = {**(node.args.get("options") or {}), "json": _made_of_json(node)}
    return _RULES[node.name](args, options, environment)


def _made_of_json(node: exp.Expr) -> str:
    """Positions, behind the first argument, of what is JSON and not text that becomes it."""
    made = [
        str(position)
        for position, part in enumerate(node.expressions, start=1)
        if isinstance(part, exp.Anonymous) and part.name in ("JSON", "JSON_OBJECT", "JSON_ARRAY")
    ]
    return " ".join(["", *made])


def _value(args: _Arguments, options: _Options, environment: Environment) -> _Arguments:
    """``..., typed NULL of RETURNING, on empty, its default, on error, its default``."""
    if not options.keys() - {"json"}:
        return args
    returning = options.get("returning")
    type = data_type(returning) if isinstance(returning, exp.DataType) else NULL
    arguments = [*args, Literal(None, type)]
    for key in ("on_empty", "on_error"):
        handling = options.get(key, "NULL")
        default: Expression = Literal(None, NULL)
        if isinstance(handling, tuple):
            handling, node = handling
            default = environment.bind(node)
        arguments += [text(str(handling)), default]
    return arguments


def _query(args: _Arguments, options: _Options, _: Environment) -> _Arguments:
    """``..., wrapper, on empty, on error, typed NULL of RETURNING``."""
    if not options.keys() - {"json"}:
        return args
    returning = options.get("returning")
    type = data_type(returning) if isinstance(returning, exp.DataType) else STRING
    if isinstance(returning, exp.DataType) and type not in (STRING, array(STRING)):
        raise unsupported(f"JSON_QUERY RETURNING {type.name}", returning)
    wrapper = text(str(options.get("wrapper", "WITHOUT")))
    handling = [text(str(options.get(key, "NULL"))) for key in ("on_empty", "on_error")]
    return [*args, wrapper, *handling, Literal(None, type)]


def _exists(args: _Arguments, options: _Options, _: Environment) -> _Arguments:
    """``..., on error``."""
    return [*args, text(str(options["on_error"]))] if "on_error" in options else args


def _object(args: _Arguments, options: _Options, _: Environment) -> _Arguments:
    """``on null, key, value, ...``."""
    return [text(f"{options.get('on_null', 'NULL')}{options['json']}"), *args]


def _array(args: _Arguments, options: _Options, _: Environment) -> _Arguments:
    """``on null, value, ...``."""
    return [text(f"{options.get('on_null', 'ABSENT')}{options['json']}"), *args]


_RULES: Mapping[str, Callable[[_Arguments, _Options, Environment], _Arguments]] = {
    "JSON_VALUE": _value,
    "JSON_QUERY": _query,
    "JSON_EXISTS": _exists,
    "JSON_OBJECT": _object,
    "$JSON_ENTRY": _object,
    "JSON_ARRAY": _array,
}
