"""SQL/JSON. Each distinct text is read once.

Clauses come as further literal arguments: ``JSON_VALUE(text, path, typed NULL of RETURNING,
on empty, default, on error, default)``, ``JSON_QUERY(text, path, wrapper, on empty, on error)``,
``JSON_EXISTS(text, path, on error)``, ``JSON_OBJECT(on null, key, value, ...)`` and
``JSON_ARRAY(on null, value, ...)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial

import polars as pl

from sameriver.common.types import (
    APPROXIMATE,
    BINARIES,
    BOOLEAN,
    CHARACTERS,
    DOUBLE,
    INTERVALS,
    NUMERIC,
    STRING,
    DataType,
    Root,
    array,
    to_polars,
    varchar,
)
from sameriver.functions.by_constant import by_each_constant
from sameriver.functions.casts import cast
from sameriver.functions.distinct import by_distinct
from sameriver.functions.failure import failure
from sameriver.functions.forms import (
    ANY,
    CONSTANT,
    TEXT,
    Family,
    Form,
    fit,
    infer,
    wrong_arguments,
)
from sameriver.functions.json_scan import items, quoted, scanned, written
from sameriver.functions.jsonpath import (
    DECODER,
    Invalid,
    JsonValue,
    Path,
    dump,
    find,
    first_value,
    parse,
    path_or_none,
)
from sameriver.functions.kernels import json_path
from sameriver.functions.kernels.json_text import quote
from sameriver.functions.octets import rewritten
from sameriver.functions.render import text as rendered
from sameriver.functions.signature import (
    UNKNOWN,
    Evaluation,
    Infer,
    Operand,
    Resolved,
    ScalarFunction,
)
from sameriver.functions.staged import else_by, let

_Args = Sequence[pl.Expr]
_JSON = Family(
    "<string>",
    frozenset(CHARACTERS),
    STRING,
    also=(Root.DECIMAL, Root.BITMAP, Root.VARIANT),
)
"""What holds JSON, or is shown as text first."""
_PATHED: Form = (_JSON, TEXT)


def _value_types(operands: Sequence[Operand]) -> Resolved:
    full: Form = (*_PATHED, ANY, CONSTANT, ANY, CONSTANT, ANY)
    parameters = list(fit("JSON_VALUE", (_PATHED, full), operands))
    if len(operands) == 2:
        return Resolved(tuple(parameters), STRING)
    result = STRING if operands[2].type.root is Root.NULL else operands[2].type
    if result.root not in _RETURNED:
        raise wrong_arguments(
            "JSON_VALUE",
            operands,
            (_PATHED, full),
            hint="It returns STRING, BOOLEAN, INT or DOUBLE.",
        )
    result = result.with_nullable(True)
    parameters[4] = parameters[6] = result
    return Resolved(tuple(parameters), result)


_RETURNED = (*CHARACTERS, Root.BOOLEAN, Root.INT, Root.DOUBLE)


def _option(evaluation: Evaluation, position: int, default: str = "NULL") -> str:
    if len(evaluation.operands) <= position:
        return default
    return str(evaluation.operands[position].value).upper()


def _value(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """A scalar at the path, as text, then as what RETURNING says."""
    to = path_or_none(str(evaluation.operands[1].value))
    read = partial(
        _read_scalar,
        to,
        _option(evaluation, 3) == "ERROR",
        _option(evaluation, 5) == "ERROR",
        evaluation.result.root,
    )
    quick = let(_PAIR, partial(_scanned_scalar, evaluation, to), scanned(args[0], to))
    found = else_by(_PAIR, quick, lambda odd: by_distinct(read, _PAIR, odd), args[0])

    def told(pair: pl.Expr, if_empty: pl.Expr, on_error: pl.Expr) -> pl.Expr:
        shown, state = pair.struct.field("text"), pair.struct.field("state")
        result = cast(shown, STRING, evaluation.result, evaluation.zone, attempt=False)
        for position, wanted, default in ((3, _EMPTY, if_empty), (5, _ERROR, on_error)):
            if _option(evaluation, position) == "DEFAULT":
                result = pl.when(state == wanted).then(default).otherwise(result)
        return result

    defaults = args[4:7:2] if len(args) > 6 else (pl.lit(None), pl.lit(None))
    return let(to_polars(evaluation.result), told, found, *defaults)


_PAIR = pl.Struct({"state": pl.Int8, "text": pl.String})


def _scanned_scalar(evaluation: Evaluation, to: Path | None, found: pl.Expr) -> pl.Expr:
    """State and text of what the scan told; NULL where it fails the job, or is not known."""
    kind, text = found.struct.field("kind"), found.struct.field("text")
    strict = to is not None and to.strict
    empty = kind.is_in([json_path.MISSING, json_path.NULL, json_path.NESTED])
    otherwise, option = (_ERROR, 5) if strict else (_EMPTY, 3)
    wanted = _SCANNED.get(evaluation.result.root)
    fits = kind == wanted if wanted is not None else kind > json_path.NULL
    told = pl.when(empty & (_option(evaluation, option) != "ERROR")).then(otherwise)
    state = told.when(~empty & fits).then(_FOUND).cast(pl.Int8)
    whole = pl.struct(state=state, text=text)
    return pl.when(state.is_not_null()).then(whole)


_SCANNED = {
    Root.BOOLEAN: json_path.TRUTH,
    Root.INT: json_path.WHOLE,
    Root.DOUBLE: json_path.DECIMAL,
}
"""The kind that a value has to be of for RETURNING."""


_FOUND, _EMPTY, _ERROR = 0, 1, 2


def _read_scalar(
    to: Path | None, fail_if_empty: bool, fail_on_error: bool, root: Root, text: str
) -> dict[str, object]:
    try:
        found = find(text, to)
        strict = to is not None and to.strict
        if len(found) > 1 or (found and isinstance(found[0], dict | list)):
            if strict:
                raise Invalid("it is no scalar")
            found = []
        if found == [None] and strict:
            raise Invalid("it is null")
    except Invalid as error:
        if fail_on_error:
            raise failure("JSON_ERROR", f"JSON_VALUE of '{text}': {error}") from None
        return {"state": _ERROR, "text": None}
    if not found or found[0] is None:
        if fail_if_empty:
            raise failure("JSON_EMPTY", f"JSON_VALUE of '{text}' is empty")
        return {"state": _EMPTY, "text": None}
    value = found[0]
    wanted = _KINDS.get(root)
    if wanted is not None and type(value) is not wanted:
        raise failure("JSON_TYPE", f"JSON_VALUE of '{text}': {dump(value)} is no {root.value}")
    return {"state": _FOUND, "text": value if isinstance(value, str) else dump(value)}


_KINDS: dict[Root, type] = {Root.BOOLEAN: bool, Root.INT: int, Root.DOUBLE: Decimal}
"""What a value has to be in the text for RETURNING; nothing is converted, as in Flink."""


def _query_types(operands: Sequence[Operand]) -> Resolved:
    full: Form = (*_PATHED, CONSTANT, CONSTANT, CONSTANT, ANY)
    parameters = fit("JSON_QUERY", (_PATHED, full), operands)
    listed = len(parameters) == 6 and parameters[5].root is Root.ARRAY
    return Resolved(parameters, array(STRING) if listed else STRING)


def _query(evaluation: Evaluation, args: _Args) -> pl.Expr:
    to = path_or_none(str(evaluation.operands[1].value))
    wrapper = _option(evaluation, 2, "WITHOUT")
    on_empty, on_error = _option(evaluation, 3), _option(evaluation, 4)
    read = partial(_read_query, to, wrapper, on_empty, on_error)
    quick = let(_TEXT, partial(_written_query, evaluation, to), written(args[0], to))
    pair = else_by(_TEXT, quick, lambda odd: by_distinct(read, _TEXT, odd), args[0])
    found = pair.struct.field("text")
    if evaluation.result.root is Root.ARRAY:
        return items(found)
    return found


_TEXT = pl.Struct({"text": pl.String})


def _written_query(evaluation: Evaluation, to: Path | None, found: pl.Expr) -> pl.Expr:
    """What was found, as JSON_QUERY gives it; NULL where it fails the job, or is not known."""
    kind, text = found.struct.field("kind"), found.struct.field("text")
    wrapper = _option(evaluation, 2, "WITHOUT")
    on_empty, on_error = _option(evaluation, 3), _option(evaluation, 4)
    strict = to is not None and to.strict
    empty, nested = kind <= json_path.NULL, kind == json_path.NESTED
    missing = kind == json_path.MISSING
    plain = nested if wrapper == "WITHOUT" else pl.lit(False)
    if wrapper == "WITH CONDITIONAL":
        plain = nested & text.str.starts_with("[")
    scalar = ~empty & ~nested if wrapper == "WITHOUT" else pl.lit(False)
    wrong = (missing | scalar) & pl.lit(strict)
    told = (
        pl.when(wrong)
        .then(pl.lit(_DEFAULTS.get(on_error), dtype=pl.String))
        .when(empty | scalar)
        .then(pl.lit(_DEFAULTS.get(on_empty), dtype=pl.String))
        .when(plain)
        .then(text)
        .otherwise(pl.format("[{}]", text))
    )
    fails = (wrong & (on_error == "ERROR")) | (~wrong & (empty | scalar) & (on_empty == "ERROR"))
    return pl.when(kind.is_not_null() & ~fails).then(pl.struct(text=told))


def _read_query(
    to: Path | None, wrapper: str, on_empty: str, on_error: str, text: str
) -> dict[str, str | None]:
    return {"text": _queried(to, wrapper, on_empty, on_error, text)}


def _queried(to: Path | None, wrapper: str, on_empty: str, on_error: str, text: str) -> str | None:
    try:
        found = find(text, to)
        several = to is not None and None in to.steps
        value: JsonValue = found if several else found[0] if found else None
        if not found or value is None:
            return _instead(on_empty, "JSON_EMPTY", text)
        listed = isinstance(value, list)
        if wrapper == "WITH UNCONDITIONAL" or (wrapper == "WITH CONDITIONAL" and not listed):
            return dump([value])
        if isinstance(value, dict | list):
            return dump(value)
        if to is not None and to.strict:
            raise Invalid("it is a scalar")
        return _instead(on_empty, "JSON_EMPTY", text)
    except Invalid:
        return _instead(on_error, "JSON_ERROR", text)


def _instead(option: str, code: str, text: str) -> str | None:
    if option == "ERROR":
        raise failure(code, f"JSON_QUERY of '{text}' finds no object or array")
    return _DEFAULTS.get(option)


_DEFAULTS = {"EMPTY ARRAY": "[]", "EMPTY OBJECT": "{}"}


def _exists(evaluation: Evaluation, args: _Args) -> pl.Expr:
    to = path_or_none(str(evaluation.operands[1].value))
    on_error = _option(evaluation, 2, "FALSE")
    read = partial(_read_exists, to, on_error)
    kind = scanned(args[0], to).struct.field("kind")
    there = pl.when(kind >= json_path.NULL).then(kind > json_path.NULL)
    absent = there.when(kind == json_path.MISSING).then(pl.lit(False))
    quick = there if to is None or to.strict else absent
    return else_by(pl.Boolean, quick, lambda odd: by_distinct(read, pl.Boolean, odd), args[0])


def _read_exists(to: Path | None, on_error: str, text: str) -> bool | None:
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
            value = first_value(text, DECODER)
        except ValueError:
            return False
        if kinds is None:
            return True
        return isinstance(value, kinds) if kinds else not isinstance(value, dict | list)

    def is_kind(_: Evaluation, args: _Args) -> pl.Expr:
        kind = scanned(args[0], Path((), False)).struct.field("kind")
        start = args[0].str.strip_chars_start(" \t\r\n").str.head(1)
        wanted = [_STARTS[one] for one in kinds or ()]
        is_one = start.is_in(wanted) if wanted else ~start.is_in(list(_STARTS.values()))
        quick = pl.when(kind.is_not_null()).then(pl.lit(True) if kinds is None else is_one)
        slow = else_by(pl.Boolean, quick, lambda odd: by_distinct(test, pl.Boolean, odd), args[0])
        return slow.fill_null(False)

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


_STARTS: dict[type, str] = {dict: "{", list: "["}


def to_json(value: pl.Expr, type: DataType, evaluation: Evaluation) -> pl.Expr:
    """JSON text of a value; NULL stays NULL."""
    match type.root:
        case Root.BOOLEAN:
            return value.cast(pl.String)
        case root if root in APPROXIMATE:
            return _floating(value.cast(pl.Float64), evaluation)
        case Root.DECIMAL:
            shown = rendered(value, type, evaluation.zone)
            if (type.scale or 0) <= _PLAIN_DIGITS:
                return shown
            usual = pl.when(value.cast(pl.Float64).abs() >= 10.0**-_PLAIN_DIGITS).then(shown)
            return else_by(pl.String, usual, lambda odd: by_distinct(str, pl.String, odd), value)
        case root if root in NUMERIC:
            return rendered(value, type, evaluation.zone)
        case Root.TIMESTAMP | Root.TIMESTAMP_LTZ:
            return _moment(value, "Z" if type.root is Root.TIMESTAMP_LTZ else "")
        case root if root in BINARIES:
            return pl.format('"{}"', value.bin.encode("base64"))
        case Root.ARRAY:
            items = value.list.eval(_or_null(pl.element(), type.children[0], evaluation))
            return pl.format("[{}]", items.list.join(","))
        case Root.VARIANT:
            return value
        case Root.ROW | Root.STRUCTURED:
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
            entry = pl.format("{}:{}", quoted(key), content)
            return pl.format("{{{}}}", value.list.eval(entry).list.join(","))
    return quoted(rendered(value, type, evaluation.zone))


_PLAIN_DIGITS = 6
"""A number with so many zeros behind the point is written with an exponent."""


def _floating(value: pl.Expr, evaluation: Evaluation) -> pl.Expr:
    """As Java's BigDecimal prints it: 1.0E+10; what is no number in quotes."""
    size = value.abs()
    plain = (size >= 1e-3) & (size < 1e7)
    shown = rendered(pl.when(~plain).then(value), DOUBLE, evaluation.zone)
    usual = pl.when(plain).then(value.cast(pl.String))
    return else_by(pl.String, usual, lambda odd: by_distinct(_exact, pl.String, odd), shown)


def _exact(shown: str) -> str:
    value = Decimal(shown)
    return str(value if value else abs(value)) if value.is_finite() else f'"{shown}"'


def _moment(value: pl.Expr, zone: str) -> pl.Expr:
    """ISO 8601 with as many digits of a second as there are."""
    digits = value.dt.strftime("%.9f").str.strip_chars_end("0")
    fraction = pl.when(value.dt.nanosecond() != 0).then(digits).otherwise(pl.lit(""))
    shown = value.dt.strftime("%Y-%m-%dT%H:%M:%S")
    return pl.concat_str(pl.lit('"'), shown, fraction, pl.lit(f'{zone}"'))


def _or_null(value: pl.Expr, type: DataType, evaluation: Evaluation) -> pl.Expr:
    return to_json(value, type, evaluation).fill_null("null")


def _check(name: str, types: Sequence[DataType]) -> None:
    """Refuses what has no JSON text, as Flink does.

    Raises:
        UserError: WRONG_ARGUMENTS.
    """
    for type in types:
        if type.root in (Root.DATE, Root.TIME, Root.BITMAP, *INTERVALS):
            hint = "CAST it to STRING." if type.root is Root.BITMAP else _AS_MOMENT
            raise wrong_arguments(name, [Operand(type)], ((ANY,),), hint=hint)
        _check(name, type.children)


_AS_MOMENT = "CAST it to STRING or TIMESTAMP."


def _object_types(name: str, key: Family) -> Infer:
    forms: tuple[Form, ...] = ((CONSTANT,), (CONSTANT, key, ANY), (CONSTANT, key, ANY, ANY, ...))

    def settle(operands: Sequence[Operand]) -> Resolved:
        parameters = fit(name, forms, operands)
        constant = all(key.parameter(operand) for operand in operands[1::2])
        if len(operands) % 2 == 0 or not constant:
            raise wrong_arguments(name, operands, forms)
        _check(name, parameters[2::2])
        return Resolved(parameters, STRING.not_null)

    return settle


def _array_types(operands: Sequence[Operand]) -> Resolved:
    parameters = fit("JSON_ARRAY", ((CONSTANT,), (CONSTANT, ANY, ...)), operands)
    _check("JSON_ARRAY", parameters[1:])
    return Resolved(parameters, STRING.not_null)


def _string_types(operands: Sequence[Operand]) -> Resolved:
    (type,) = fit("JSON_STRING", ((ANY,),), operands)
    _check("JSON_STRING", [type])
    return Resolved((type,), STRING.with_nullable(type.nullable))


def _object(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """Of entries with one constant key the last counts."""
    entries: dict[object, pl.Expr] = {}
    for position in range(1, len(args), 2):
        key = quoted(args[position])
        content = _known(evaluation, _content(evaluation, args, position + 1))
        value = evaluation.operands[position].value
        name = position if value is UNKNOWN else value
        entries[name] = pl.concat_str([key, pl.lit(":"), content])
    return _wrapped("{", list(entries.values()), "}")


def _array(evaluation: Evaluation, args: _Args) -> pl.Expr:
    items = [
        _known(evaluation, _content(evaluation, args, position), "ABSENT")
        for position in range(1, len(args))
    ]
    return _wrapped("[", items, "]")


def _content(evaluation: Evaluation, args: _Args, position: int) -> pl.Expr:
    """JSON text of an argument; what is JSON already, as the first argument tells, stays."""
    if str(position) in str(evaluation.operands[0].value).split()[1:]:
        return args[position]
    return to_json(args[position], evaluation.operands[position].type, evaluation)


def _known(evaluation: Evaluation, content: pl.Expr, default: str = "NULL") -> pl.Expr:
    option = str(evaluation.operands[0].value or default).split()[0].upper()
    return content if option == "ABSENT" else content.fill_null("null")


def _wrapped(start: str, parts: list[pl.Expr], end: str) -> pl.Expr:
    if not parts:
        return pl.lit(start + end)
    inner = pl.concat_str(parts, separator=",", ignore_nulls=True)
    return pl.concat_str([pl.lit(start), inner, pl.lit(end)])


def _compact(text: pl.Expr) -> pl.Expr:
    quick = written(text, Path((), False)).struct.field("text")
    return else_by(pl.String, quick, lambda odd: by_distinct(_checked, pl.String, odd), text)


def _checked(text: str) -> str:
    """The same text, compact.

    Raises:
        EvaluationError: BAD_JSON.
    """
    try:
        return dump(parse(text))
    except Invalid as error:
        raise failure("BAD_JSON", f"'{text}' is no JSON: {error}") from None


def _without_quotes(text: pl.Expr) -> pl.Expr:
    """What does not stand between quotes stays; so does what is no JSON."""
    bare = ~(text.str.starts_with('"') & text.str.ends_with('"'))
    found = scanned(text, Path((), False)).struct.field("text")
    quick = pl.when(bare).then(text).otherwise(found)
    return else_by(pl.String, quick, lambda odd: by_distinct(_unquoted, pl.String, odd), text)


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
        fallible=name == "JSON_EXISTS",
    )


JSON = [
    ScalarFunction(
        name="JSON_VALUE", infer=_value_types, kernel=by_each_constant(_value, 1), fallible=True
    ),
    ScalarFunction(
        name="JSON_QUERY", infer=_query_types, kernel=by_each_constant(_query, 1), fallible=True
    ),
    _function(
        "JSON_EXISTS",
        ((TEXT, TEXT), (TEXT, TEXT, CONSTANT)),
        by_each_constant(_exists, 1),
        BOOLEAN,
        nullable=True,
    ),
    *_is_json("VALUE", None),
    *_is_json("OBJECT", (dict,)),
    *_is_json("ARRAY", (list,)),
    *_is_json("SCALAR", ()),
    ScalarFunction(
        name="JSON_OBJECT", infer=_object_types("JSON_OBJECT", CONSTANT), kernel=_object
    ),
    ScalarFunction(name="$JSON_ENTRY", infer=_object_types("JSON_OBJECTAGG", TEXT), kernel=_object),
    ScalarFunction(name="JSON_ARRAY", infer=_array_types, kernel=_array),
    ScalarFunction(
        name="JSON_STRING",
        infer=_string_types,
        kernel=lambda e, args: to_json(args[0], e.operands[0].type, e),
    ),
    _function(
        "JSON_QUOTE",
        ((TEXT,),),
        lambda _, args: rewritten(args[0], quote, growth=6, more=2),
        STRING,
    ),
    ScalarFunction(
        name="$JSON_TEXT",
        infer=infer("$JSON_TEXT", (TEXT,), result=varchar(2000), nullable=False),
        kernel=lambda _, args: args[0],
    ),
    ScalarFunction(
        name="$JSON",
        infer=infer("JSON", (TEXT,), result=STRING),
        kernel=lambda _, args: _compact(args[0]),
        fallible=True,
    ),
    _function(
        "JSON_UNQUOTE",
        ((TEXT,),),
        lambda _, args: _without_quotes(args[0]),
        STRING,
    ),
]
