"""SQL/JSON. Each distinct text is read once.

Clauses come as further literal arguments: ``JSON_VALUE(text, path, typed NULL of RETURNING,
on empty, default, on error, default)``, ``JSON_QUERY(text, path, wrapper, on empty, on error)``,
``JSON_EXISTS(text, path, on error)``, ``JSON_OBJECT(on null, key, value, ...)`` and
``JSON_ARRAY(on null, value, ...)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import polars as pl

from sameriver.common.types import (
    BOOLEAN,
    NUMERIC,
    STRING,
    DataType,
    Root,
)
from sameriver.functions.casts import cast
from sameriver.functions.distinct import by_distinct
from sameriver.functions.failure import failure
from sameriver.functions.forms import (
    ANY,
    CONSTANT,
    TEXT,
    Form,
    fit,
    infer,
    wrong_arguments,
)
from sameriver.functions.jsonpath import Invalid, JsonValue, Path, dump, find, parse, path
from sameriver.functions.render import text as rendered
from sameriver.functions.signature import Evaluation, Operand, Resolved, ScalarFunction

_Args = Sequence[pl.Expr]


def _value_types(operands: Sequence[Operand]) -> Resolved:
    short: Form = (TEXT, CONSTANT)
    full: Form = (TEXT, CONSTANT, ANY, CONSTANT, ANY, CONSTANT, ANY)
    parameters = list(fit("JSON_VALUE", (short, full), operands))
    if len(operands) == 2:
        return Resolved(tuple(parameters), STRING)
    result = STRING if operands[2].type.root is Root.NULL else operands[2].type
    result = result.with_nullable(True)
    parameters[4] = parameters[6] = result
    return Resolved(tuple(parameters), result)


def _option(evaluation: Evaluation, position: int, default: str = "NULL") -> str:
    if len(evaluation.operands) <= position:
        return default
    return str(evaluation.operands[position].value).upper()


def _value(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """A scalar at the path, as text, then as what RETURNING says."""
    to = path(str(evaluation.operands[1].value))
    read = partial(
        _read_scalar, to, _option(evaluation, 3) == "ERROR", _option(evaluation, 5) == "ERROR"
    )
    pair = pl.Struct({"state": pl.Int8, "text": pl.String})
    found = by_distinct(read, pair, args[0])
    shown, state = found.struct.field("text"), found.struct.field("state")
    result = cast(shown, STRING, evaluation.result, evaluation.zone, attempt=False)
    for position, wanted in ((3, _EMPTY), (5, _ERROR)):
        if _option(evaluation, position) == "DEFAULT":
            result = pl.when(state == wanted).then(args[position + 1]).otherwise(result)
    return result


_FOUND, _EMPTY, _ERROR = 0, 1, 2


def _read_scalar(
    to: Path, fail_if_empty: bool, fail_on_error: bool, text: str
) -> dict[str, object]:
    try:
        found = find(text, to)
        if len(found) > 1 or (found and isinstance(found[0], dict | list)):
            if to.strict:
                raise Invalid("it is no scalar")
            found = []
    except Invalid as error:
        if fail_on_error:
            raise failure("JSON_ERROR", f"JSON_VALUE of '{text}': {error}") from None
        return {"state": _ERROR, "text": None}
    if found == [None] and to.strict:
        return {"state": _FOUND, "text": None}
    if not found or found[0] is None:
        if fail_if_empty:
            raise failure("JSON_EMPTY", f"JSON_VALUE of '{text}' is empty")
        return {"state": _EMPTY, "text": None}
    value = found[0]
    return {"state": _FOUND, "text": value if isinstance(value, str) else dump(value)}


def _query(evaluation: Evaluation, args: _Args) -> pl.Expr:
    to = path(str(evaluation.operands[1].value))
    wrapper = _option(evaluation, 2, "WITHOUT")
    on_empty, on_error = _option(evaluation, 3), _option(evaluation, 4)
    read = partial(_read_query, to, wrapper, on_empty, on_error)
    return by_distinct(read, pl.String, args[0])


def _read_query(to: Path, wrapper: str, on_empty: str, on_error: str, text: str) -> str | None:
    try:
        found = find(text, to)
        several = None in to.steps
        value: JsonValue = found if several else found[0] if found else None
        if not found or value is None:
            return _instead(on_empty, "JSON_EMPTY", text)
        holds = isinstance(value, dict | list)
        if wrapper == "WITH UNCONDITIONAL" or (wrapper == "WITH CONDITIONAL" and not holds):
            return dump([value])
        if not holds and to.strict:
            raise Invalid("it is a scalar")
        if not holds:
            return _instead(on_empty, "JSON_EMPTY", text)
        return dump(value)
    except Invalid:
        return _instead(on_error, "JSON_ERROR", text)


def _instead(option: str, code: str, text: str) -> str | None:
    if option == "ERROR":
        raise failure(code, f"JSON_QUERY of '{text}' finds no object or array")
    return {"EMPTY ARRAY": "[]", "EMPTY OBJECT": "{}"}.get(option)


def _exists(evaluation: Evaluation, args: _Args) -> pl.Expr:
    to = path(str(evaluation.operands[1].value))
    read = partial(_read_exists, to, _option(evaluation, 2, "FALSE"))
    return by_distinct(read, pl.Boolean, args[0])


def _read_exists(to: Path, on_error: str, text: str) -> bool | None:
    try:
        return any(value is not None for value in find(text, to))
    except Invalid as error:
        if on_error == "ERROR":
            raise failure("JSON_ERROR", f"JSON_EXISTS of '{text}': {error}") from None
        return {"TRUE": True, "FALSE": False}.get(on_error)


def _is_json(kind: str, kinds: tuple[type, ...] | None) -> list[ScalarFunction]:
    """``IS JSON kind`` and ``IS NOT JSON kind``; no kinds: scalars; None: any value."""

    def test(text: str) -> bool:
        try:
            value = parse(text)
        except Invalid:
            return False
        if kinds is None:
            return True
        return isinstance(value, kinds) if kinds else not isinstance(value, dict | list)

    def is_kind(_: Evaluation, args: _Args) -> pl.Expr:
        return by_distinct(test, pl.Boolean, args[0]).fill_null(False)

    return [
        _function(f"IS JSON {kind}", ((TEXT,),), is_kind, BOOLEAN, nullable=False),
        _function(
            f"IS NOT JSON {kind}",
            ((TEXT,),),
            lambda e, args: ~is_kind(e, args),
            BOOLEAN,
            nullable=False,
        ),
    ]


def to_json(value: pl.Expr, type: DataType, evaluation: Evaluation) -> pl.Expr:
    """JSON text of a value; NULL stays NULL."""
    match type.root:
        case Root.BOOLEAN:
            return value.cast(pl.String)
        case root if root in NUMERIC:
            return rendered(value, type, evaluation.zone)
        case Root.ARRAY:
            items = value.list.eval(_or_null(pl.element(), type.children[0], evaluation))
            return pl.format("[{}]", items.list.join(","))
        case Root.ROW:
            pairs = zip(type.names, type.children, strict=True)
            fields = [
                pl.format(
                    "{}:{}", pl.lit(dump(name)), _or_null(value.struct.field(name), t, evaluation)
                )
                for name, t in pairs
            ]
            return pl.when(value.is_not_null()).then(
                pl.format("{{{}}}", pl.concat_str(fields, separator=","))
            )
        case Root.MAP:
            key = rendered(pl.element().struct.field("key"), type.children[0], evaluation.zone)
            content = _or_null(pl.element().struct.field("value"), type.children[1], evaluation)
            entry = pl.format("{}:{}", by_distinct(dump, pl.String, key), content)
            return pl.format("{{{}}}", value.list.eval(entry).list.join(","))
    return by_distinct(dump, pl.String, rendered(value, type, evaluation.zone))


def _or_null(value: pl.Expr, type: DataType, evaluation: Evaluation) -> pl.Expr:
    return to_json(value, type, evaluation).fill_null("null")


def _object_types(operands: Sequence[Operand]) -> Resolved:
    forms: tuple[Form, ...] = ((CONSTANT,), (CONSTANT, TEXT, ANY), (CONSTANT, TEXT, ANY, ANY, ...))
    parameters = fit("JSON_OBJECT", forms, operands)
    if len(operands) % 2 == 0:
        raise wrong_arguments("JSON_OBJECT", operands, forms)
    return Resolved(parameters, STRING.not_null)


def _object(evaluation: Evaluation, args: _Args) -> pl.Expr:
    entries: list[pl.Expr] = []
    for position in range(1, len(args), 2):
        key = by_distinct(dump, pl.String, args[position])
        content = to_json(args[position + 1], evaluation.operands[position + 1].type, evaluation)
        entries.append(pl.concat_str([key, pl.lit(":"), _known(evaluation, content)]))
    return _wrapped("{", entries, "}")


def _array(evaluation: Evaluation, args: _Args) -> pl.Expr:
    operands = evaluation.operands
    items = [
        _known(evaluation, to_json(args[position], operands[position].type, evaluation), "ABSENT")
        for position in range(1, len(args))
    ]
    return _wrapped("[", items, "]")


def _known(evaluation: Evaluation, content: pl.Expr, default: str = "NULL") -> pl.Expr:
    option = str(evaluation.operands[0].value or default).upper()
    return content if option == "ABSENT" else content.fill_null("null")


def _wrapped(start: str, parts: list[pl.Expr], end: str) -> pl.Expr:
    if not parts:
        return pl.lit(start + end)
    inner = pl.concat_str(parts, separator=",", ignore_nulls=True)
    return pl.concat_str([pl.lit(start), inner, pl.lit(end)])


def _quoted(evaluation: Evaluation, args: _Args) -> pl.Expr:
    return by_distinct(dump, pl.String, args[0])


def _unquoted(text: str) -> str:
    try:
        value = parse(text)
    except Invalid:
        return text
    return value if isinstance(value, str) else text


def _function(
    name: str,
    forms: tuple[Form, ...],
    kernel: Callable[[Evaluation, _Args], pl.Expr],
    result: DataType,
    *,
    nullable: bool | None = None,
) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, *forms, result=result, nullable=nullable),
        kernel=kernel,
        fallible=name in ("JSON_QUERY", "JSON_EXISTS"),
    )


_PATHED: Form = (TEXT, CONSTANT)

JSON = [
    ScalarFunction(name="JSON_VALUE", infer=_value_types, kernel=_value, fallible=True),
    _function(
        "JSON_QUERY",
        (_PATHED, (*_PATHED, CONSTANT, CONSTANT, CONSTANT)),
        _query,
        STRING,
        nullable=True,
    ),
    _function("JSON_EXISTS", (_PATHED, (*_PATHED, CONSTANT)), _exists, BOOLEAN, nullable=True),
    *_is_json("VALUE", None),
    *_is_json("OBJECT", (dict,)),
    *_is_json("ARRAY", (list,)),
    *_is_json("SCALAR", ()),
    ScalarFunction(name="JSON_OBJECT", infer=_object_types, kernel=_object),
    _function("JSON_ARRAY", ((CONSTANT,), (CONSTANT, ANY, ...)), _array, STRING, nullable=False),
    _function(
        "JSON_STRING",
        ((ANY,),),
        lambda e, args: to_json(args[0], e.operands[0].type, e),
        STRING,
    ),
    _function("JSON_QUOTE", ((TEXT,),), _quoted, STRING),
    _function(
        "JSON_UNQUOTE",
        ((TEXT,),),
        lambda _, args: by_distinct(_unquoted, pl.String, args[0]),
        STRING,
    ),
]
