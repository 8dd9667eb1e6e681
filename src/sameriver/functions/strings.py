"""Functions of strings. Positions count characters from 1."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from sameriver.common.types import (
    BINARIES,
    BOOLEAN,
    BYTES,
    CHARACTERS,
    INT,
    INTEGERS,
    MAX_LENGTH,
    STRING,
    DataType,
    Root,
    array,
    char,
    map_of,
    to_polars,
    varchar,
)
from sameriver.functions import letters
from sameriver.functions.by_constant import by_constant, by_each_constant
from sameriver.functions.distinct import by_distinct
from sameriver.functions.forms import (
    BINARY,
    PLAIN,
    SYMBOL,
    TEXT,
    TEXT_OR_BINARY,
    WHOLE,
    Form,
    first,
    fit,
    infer,
)
from sameriver.functions.kernels.octets import capitalise, decode_url, encode_url
from sameriver.functions.members import last_of_each_key, per_member
from sameriver.functions.octets import decoded, rewritten
from sameriver.functions.printf import printf
from sameriver.functions.signature import Evaluation, Kernel, Operand, Resolved, ScalarFunction
from sameriver.functions.urls import parsed_url

_Args = Sequence[pl.Expr]


def _text(
    name: str,
    form: Form | tuple[Form, ...],
    compute: Callable[..., pl.Expr],
    *aliases: str,
    result: DataType | Callable[[Sequence[Operand]], DataType] = STRING,
    nullable: bool | None = None,
    fallible: bool = False,
) -> ScalarFunction:
    forms = form if form and isinstance(form[0], tuple) else (form,)
    return ScalarFunction(
        name=name,
        infer=infer(name, *forms, result=result, nullable=nullable),
        kernel=lambda _, args: compute(*args),
        fallible=fallible,
        aliases=aliases,
    )


def _joined_type(operands: Sequence[Operand]) -> DataType:
    """CHAR(a) || CHAR(b) is CHAR(a + b); with a VARCHAR it is a VARCHAR."""
    total = min(MAX_LENGTH, sum(operand.type.precision or 0 for operand in operands))
    fixed = all(operand.type.root is Root.CHAR for operand in operands)
    return char(total) if fixed else varchar(total)


def _varying(position: int) -> Callable[[Sequence[Operand]], DataType]:
    """VARCHAR of the length of an argument."""

    def result(operands: Sequence[Operand]) -> DataType:
        length = operands[position].type.precision
        return varchar(MAX_LENGTH if length is None else length)

    return result


def _concat(*args: pl.Expr) -> pl.Expr:
    return pl.concat_str(list(args))


def _concat_ws(separator: pl.Expr, *args: pl.Expr) -> pl.Expr:
    """Joins what is not NULL."""
    pieces = [pl.concat_str([separator, arg]) for arg in args]
    joined = pl.concat_str(pieces, ignore_nulls=True)
    return pl.when(separator.is_not_null()).then(joined.str.slice(separator.str.len_chars()))


def _substring(value: pl.Expr, start: pl.Expr, length: pl.Expr | None = None) -> pl.Expr:
    size = value.str.len_chars().cast(pl.Int64)
    start = start.cast(pl.Int64)
    begin = pl.when(start > 0).then(start - 1).when(start < 0).then(size + start).otherwise(0)
    outside = (begin < 0) | (begin >= size)
    if length is None:
        cut = value.str.slice(pl.when(outside).then(size).otherwise(begin))
        return pl.when(start.is_not_null()).then(cut)
    length = length.cast(pl.Int64)
    positive = pl.when(length >= 0).then(length)
    cut = value.str.slice(pl.when(outside).then(size).otherwise(begin), positive)
    return pl.when(positive.is_not_null() & start.is_not_null()).then(cut)


def _trim(evaluation: Evaluation, args: _Args) -> pl.Expr:
    _where, characters, value = args
    match str(evaluation.operands[0].value).upper():
        case "LEADING":
            return value.str.strip_chars_start(characters)
        case "TRAILING":
            return value.str.strip_chars_end(characters)
    return value.str.strip_chars(characters)


def _strip(side: str) -> Callable[..., pl.Expr]:
    def run(value: pl.Expr, characters: pl.Expr | None = None) -> pl.Expr:
        chars = pl.lit(" ") if characters is None else characters
        method: Callable[[pl.Expr], pl.Expr] = getattr(value.str, f"strip_chars{side}")
        return method(chars)

    return run


def _left(value: pl.Expr, count: pl.Expr) -> pl.Expr:
    return value.str.head(pl.max_horizontal(count, pl.when(count.is_not_null()).then(0)))


def _right(value: pl.Expr, count: pl.Expr) -> pl.Expr:
    return value.str.tail(pl.max_horizontal(count, pl.when(count.is_not_null()).then(0)))


def _split_index(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """An empty separator means blanks, as in Flink. What is constant is not asked for each row."""
    value, separator, index = args
    given, place = (operand.value for operand in evaluation.operands[1:])
    if evaluation.operands[1].type.root in INTEGERS:
        separator, given = letters.separator(separator, given), None
    valid = value != ""
    if isinstance(given, str):
        separator = pl.lit(given or " ")
    else:
        valid &= separator.is_not_null()
        separator = pl.when(separator == "").then(pl.lit(" ")).otherwise(separator)
    if not isinstance(place, int) or place < 0:
        valid &= index >= 0
    return pl.when(valid).then(value.str.split(separator).list.get(index, null_on_oob=True))


def _split(value: pl.Expr, separator: pl.Expr) -> pl.Expr:
    parts = value.str.split(separator)
    whole = pl.when(value == "").then(pl.concat_list(pl.lit(""))).otherwise(parts)
    return pl.when(separator.is_not_null()).then(whole)


def _to_map(evaluation: Evaluation, args: _Args) -> pl.Expr:
    value, *given = args
    between, inside = given or (pl.lit(","), pl.lit("="))
    dtype = to_polars(evaluation.result)
    constants = [operand.value for operand in evaluation.operands[1:]] or [",", "="]
    plain = [one for one in constants if isinstance(one, str) and _PLAIN.fullmatch(one)]
    if len(plain) < len(constants):
        return by_distinct(_pairs, dtype, value, between, inside)
    outer, inner = plain
    trimmed = value.str.replace(f"(?:{re.escape(outer)})+$", "")
    parts = pl.when(trimmed != "").then(trimmed.str.split(outer)).when(trimmed == "").then([])
    pair = pl.element().str.splitn(inner, 2).struct.rename_fields(["key", "value"])
    return per_member(last_of_each_key, dtype, parts.list.eval(pair).cast(dtype))


_PLAIN = re.compile(r"[\w,;:=&#~ -]+")
"""Delimiters that are no regular expressions."""


def _pairs(value: str, between: str, inside: str) -> list[dict[str, str | None]]:
    """Both delimiters are regular expressions; empty text at the end is no part, as in Java."""
    found: dict[str, str | None] = {}
    parts = re.split(between, value)
    while parts and not parts[-1]:
        parts.pop()
    for part in parts:
        key, *content = re.split(inside, part, maxsplit=1)
        found[key] = content[0] if content else None
    return [{"key": key, "value": content} for key, content in found.items()]


def _encoded64(evaluation: Evaluation, args: _Args) -> pl.Expr:
    if evaluation.operands[0].type.root in CHARACTERS:
        return args[0].str.encode("base64")
    return args[0].bin.encode("base64")


def _element(evaluation: Evaluation, args: _Args) -> pl.Expr:
    index, *choices = args
    picked = [pl.when(index == n).then(choice) for n, choice in enumerate(choices, start=1)]
    return pl.coalesce(picked)


def _choices(operands: Sequence[Operand]) -> Resolved:
    """Texts, or binary values, that ELT chooses among."""
    number = replace(WHOLE, typed=True)
    forms: tuple[Form, ...] = ((number, TEXT, ...), (number, BINARY, ...))
    index, *choices = fit("ELT", forms, operands)
    known = [
        type for type, o in zip(choices, operands[1:], strict=True) if o.type.root != Root.NULL
    ]
    common = known[0] if len(known) == len(choices) else None
    if len({(type.root, type.precision) for type in choices}) > 1 or common is None:
        length = max((type.precision or 0 for type in known), default=1)
        root = Root.VARBINARY if choices[0].root in BINARIES else Root.VARCHAR
        common = DataType(root=root, precision=length)
    return Resolved((index, *choices), common.with_nullable(True))


def _translation(name: str) -> ScalarFunction:
    """Both are the same, but for a bare NULL, which the first does not take."""

    def types(operands: Sequence[Operand]) -> Resolved:
        parameters = fit(name, ((TEXT, TEXT, TEXT),), operands)
        return Resolved(parameters, STRING.with_nullable(parameters[0].nullable))

    return ScalarFunction(name=name, infer=types, kernel=by_constant(_literals(letters.translated)))


def _literals(change: Callable[..., pl.Expr]) -> Kernel:
    """A kernel that knows the values of the arguments after the first that are constant."""
    return lambda e, args: change(*args, [operand.value for operand in e.operands[1:]])


def _decode_url(value: pl.Expr) -> pl.Expr:
    """Any octets may come out of it, also such as are no UTF-8."""
    return decoded(rewritten(value, decode_url, binary=True))


STRINGS = [
    _text("||", (TEXT, TEXT), _concat, result=_joined_type),
    _text("CONCAT", (TEXT, ...), _concat),
    _text("CONCAT_WS", (TEXT, TEXT, ...), _concat_ws),
    _text("UPPER", (TEXT,), lambda a: a.str.to_uppercase(), result=first),
    _text("LOWER", (TEXT,), lambda a: a.str.to_lowercase(), result=first),
    _text("INITCAP", (TEXT,), lambda a: rewritten(a, capitalise), result=first),
    ScalarFunction(
        name="TRIM",
        infer=infer("TRIM", (SYMBOL, TEXT, TEXT), result=_varying(2)),
        kernel=_trim,
    ),
    _text("BTRIM", ((TEXT,), (TEXT, TEXT)), _strip("")),
    _text("LTRIM", ((TEXT,), (TEXT, TEXT)), _strip("_start"), result=_varying(0)),
    _text("RTRIM", ((TEXT,), (TEXT, TEXT)), _strip("_end"), result=_varying(0)),
    _text(
        "SUBSTRING",
        ((TEXT, WHOLE), (TEXT, WHOLE, WHOLE)),
        _substring,
        "SUBSTR",
        result=_varying(0),
        nullable=True,
    ),
    _text("LEFT", (TEXT, WHOLE), _left, result=_varying(0), nullable=True),
    _text("RIGHT", (TEXT, WHOLE), _right, result=_varying(0), nullable=True),
    ScalarFunction(
        name="REPLACE",
        infer=infer("REPLACE", (TEXT, TEXT, TEXT), result=STRING),
        kernel=_literals(letters.replaced),
    ),
    _translation("TRANSLATE"),
    _translation("TRANSLATE3"),
    _text("REVERSE", (TEXT,), lambda a: a.str.reverse(), nullable=True),
    _text("REPEAT", (TEXT, WHOLE), letters.repeated),
    _text("LPAD", (TEXT, WHOLE, TEXT), partial(letters.padded, left=True)),
    _text("RPAD", (TEXT, WHOLE, TEXT), partial(letters.padded, left=False)),
    _text(
        "CHAR_LENGTH",
        (TEXT,),
        lambda a: a.str.len_chars().cast(pl.Int32),
        "CHARACTER_LENGTH",
        result=INT,
    ),
    _text("POSITION", (TEXT, TEXT), letters.position, result=INT),
    _text("LOCATE", ((TEXT, TEXT), (TEXT, TEXT, WHOLE)), letters.position, result=INT),
    _text(
        "INSTR",
        ((TEXT, TEXT), (TEXT, TEXT, WHOLE), (TEXT, TEXT, WHOLE, WHOLE)),
        letters.nth_position,
        result=INT,
        fallible=True,
    ),
    _text(
        "OVERLAY",
        ((TEXT, TEXT, WHOLE), (TEXT, TEXT, WHOLE, WHOLE)),
        letters.overlaid,
        result=lambda o: varchar(
            min(MAX_LENGTH, (o[0].type.precision or 0) + (o[1].type.precision or 0))
        ),
    ),
    _text("ASCII", (TEXT,), letters.first_octet, result=INT),
    _text("CHR", (WHOLE,), letters.letter, nullable=True),
    ScalarFunction(
        name="SPLIT_INDEX",
        infer=infer(
            "SPLIT_INDEX", (TEXT, TEXT, WHOLE), (TEXT, WHOLE, WHOLE), result=STRING, nullable=True
        ),
        kernel=_split_index,
    ),
    _text("SPLIT", (TEXT, TEXT), _split, result=array(STRING)),
    ScalarFunction(
        name="STR_TO_MAP",
        infer=infer(
            "STR_TO_MAP",
            (TEXT,),
            (TEXT, TEXT, TEXT),
            result=map_of(STRING, STRING),
            nullable=True,
        ),
        kernel=by_constant(_to_map),
    ),
    _text("STARTSWITH", (TEXT, TEXT), lambda a, b: a.str.starts_with(b), result=BOOLEAN),
    _text("ENDSWITH", (TEXT, TEXT), lambda a, b: a.str.ends_with(b), result=BOOLEAN),
    ScalarFunction(
        name="TO_BASE64",
        infer=infer("TO_BASE64", (TEXT_OR_BINARY,), result=STRING),
        kernel=_encoded64,
    ),
    _text("FROM_BASE64", (TEXT,), letters.from_base64, fallible=True),
    ScalarFunction(
        name="ENCODE",
        infer=infer("ENCODE", (TEXT, TEXT), result=BYTES),
        kernel=by_each_constant(_literals(letters.encoded), 1),
        fallible=True,
    ),
    ScalarFunction(
        name="DECODE",
        infer=infer("DECODE", (BINARY, TEXT), result=STRING),
        kernel=by_each_constant(_literals(letters.decoded_by), 1),
        fallible=True,
    ),
    _text("UNHEX", (TEXT,), letters.unhex, result=BYTES, nullable=True),
    _text("URL_ENCODE", (TEXT,), lambda a: rewritten(a, encode_url, 3), nullable=True),
    _text("URL_DECODE", (TEXT,), _decode_url, nullable=True),
    ScalarFunction(
        name="PRINTF",
        infer=infer("PRINTF", (TEXT,), (TEXT, PLAIN, ...), result=STRING, nullable=True),
        kernel=lambda e, args: printf(e.operands, args),
    ),
    ScalarFunction(
        name="PARSE_URL",
        infer=infer("PARSE_URL", (TEXT, TEXT), (TEXT, TEXT, TEXT), result=STRING, nullable=True),
        kernel=by_constant(_literals(lambda *args: parsed_url(args[:-1], args[-1]))),
    ),
    ScalarFunction(
        name="ELT",
        infer=_choices,
        kernel=_element,
    ),
]
