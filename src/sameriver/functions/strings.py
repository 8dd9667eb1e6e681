"""Functions of strings. Positions count characters from 1."""

from __future__ import annotations

import base64
import codecs
import re
from collections.abc import Callable, Sequence
from urllib.parse import quote_plus, unquote_plus

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
from sameriver.functions.distinct import by_distinct
from sameriver.functions.failure import failure
from sameriver.functions.forms import (
    BINARY,
    CONSTANT,
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
from sameriver.functions.printf import printf
from sameriver.functions.signature import Evaluation, Operand, Resolved, ScalarFunction
from sameriver.functions.urls import url_part

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


def _pad(value: str, length: int, fill: str, *, left: bool) -> str | None:
    if length < 0 or not fill:
        return None
    missing = length - len(value)
    if missing <= 0:
        return value[:length]
    filler = (fill * (missing // len(fill) + 1))[:missing]
    return filler + value if left else value + filler


def _position(needle: pl.Expr, value: pl.Expr, start: pl.Expr | None = None) -> pl.Expr:
    """1-based; 0 if absent."""
    if start is not None:
        return by_distinct(_find_from, pl.Int32, needle, value, start)
    before = value.str.splitn(needle, 2).struct.field("field_0").str.len_chars()
    inside = value.str.contains(needle, literal=True)
    place = pl.when(inside & (needle != "")).then(before + 1).when(inside).then(1)
    return place.when(~inside).then(0).cast(pl.Int32)


def _find_from(needle: str, value: str, start: int) -> int:
    """Empty text is found at the start, wherever the search begins, as in Flink."""
    return value.find(needle, max(start - 1, 0) if needle else 0) + 1


def _instr(value: pl.Expr, needle: pl.Expr, *more: pl.Expr) -> pl.Expr:
    if not more:
        return _position(needle, value)
    return by_distinct(_find_nth, pl.Int32, value, needle, *more)


def _find_nth(value: str, needle: str, start: int, occurrence: int = 1) -> int:
    """The n-th place from ``start`` on; from a negative start, counted from the end, backward.

    Raises:
        EvaluationError: BAD_POSITION.
    """
    if start == 0 or occurrence < 1:
        raise failure("BAD_POSITION", "'INSTR' counts positions and occurrences from 1")
    place = start - 1 if start > 0 else len(value) + start
    for _ in range(occurrence):
        found = value.find(needle, place) if start > 0 else value.rfind(needle, 0, place + 1)
        if found < 0 or place < 0:
            return 0
        place = found + 1 if start > 0 else found - 1
    return found + 1


def _overlay(value: pl.Expr, by: pl.Expr, start: pl.Expr, length: pl.Expr | None = None) -> pl.Expr:
    count = by.str.len_chars() if length is None else length
    arguments = (value, by, start, count.cast(pl.Int32))
    return by_distinct(_overlaid, pl.String, *arguments)


def _overlaid(value: str, by: str, start: int, length: int) -> str:
    if start <= 0 or start > len(value):
        return value
    rest = "" if length <= 0 else value[start - 1 + length :]
    return value[: start - 1] + by + rest


def _replace(evaluation: Evaluation, args: _Args) -> pl.Expr:
    needle, by = (operand.value for operand in evaluation.operands[1:])
    if isinstance(needle, str) and needle and isinstance(by, str):
        return args[0].str.replace_all(needle, by, literal=True)
    return by_distinct(str.replace, pl.String, *args)


def _split_index(value: pl.Expr, separator: pl.Expr, index: pl.Expr) -> pl.Expr:
    """An empty separator means blanks, as in Flink."""
    parts = value.str.split(pl.when(separator == "").then(pl.lit(" ")).otherwise(separator))
    valid = (index >= 0) & (value != "") & separator.is_not_null()
    return pl.when(valid).then(parts.list.get(index, null_on_oob=True))


def _split_by(evaluation: Evaluation, args: _Args) -> pl.Expr:
    value, separator, index = args
    if evaluation.operands[1].type.root in INTEGERS:
        separator = by_distinct(lambda code: chr(code) if code > 0 else None, pl.String, separator)
    return _split_index(value, separator, index)


def _split(value: pl.Expr, separator: pl.Expr) -> pl.Expr:
    parts = value.str.split(separator)
    whole = pl.when(value == "").then(pl.concat_list(pl.lit(""))).otherwise(parts)
    return pl.when(separator.is_not_null()).then(whole)


def _to_map(evaluation: Evaluation, args: _Args) -> pl.Expr:
    value, *given = args
    between, inside = given or (pl.lit(","), pl.lit("="))
    return by_distinct(_pairs, to_polars(evaluation.result), value, between, inside)


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


def _translate(value: str, source: str, target: str) -> str:
    table: dict[int, int | None] = {}
    for position, letter in enumerate(source):
        table.setdefault(ord(letter), ord(target[position]) if position < len(target) else None)
    return value.translate(table)


def _capitalised(value: str) -> str:
    return re.sub(r"[A-Za-z0-9]+", lambda word: word.group(0).capitalize(), value)


def _first_byte(value: str) -> int:
    """Java's byte: -128 to 127."""
    byte = value.encode()[0] if value else 0
    return byte - 256 if byte > 127 else byte


def _chr(code: int) -> str:
    return "" if code < 0 else chr(code & 0xFF)


def _decoded64(value: str) -> str:
    """The decoded text; padding may be left out.

    Raises:
        EvaluationError: BAD_BASE64.
    """
    try:
        padded = value if value.endswith("=") else value + "=" * (-len(value) % 4)
        return base64.b64decode(padded, validate=True).decode("utf-8", errors="replace")
    except ValueError:
        raise failure("BAD_BASE64", f"'{value}' is no base64 text") from None


def _encoded64(evaluation: Evaluation, args: _Args) -> pl.Expr:
    if evaluation.operands[0].type.root in CHARACTERS:
        return args[0].str.encode("base64")
    return args[0].bin.encode("base64")


def _charset(name: str) -> str:
    """Python's name of a charset.

    Raises:
        EvaluationError: UNKNOWN_CHARSET.
    """
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise failure("UNKNOWN_CHARSET", f"there is no charset '{name}'") from None


def _encode(value: str, charset: str) -> bytes:
    """UTF-16 has a mark of its byte order, big end first, as in Java."""
    name = _charset(charset)
    if name == "utf-16":
        return (value and codecs.BOM_UTF16_BE + value.encode("utf-16-be")) or b""
    return value.encode(name, errors="replace")


def _decode(value: bytes, charset: str) -> str:
    name = _charset(charset)
    if name == "utf-16" and not value.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        name = "utf-16-be"
    return value.decode(name, errors="replace")


def _unhex(value: str) -> bytes | None:
    """Of an odd number of digits the first counts as zero, as in Flink."""
    try:
        return bytes.fromhex(value if len(value) % 2 == 0 else "00" + value[1:])
    except ValueError:
        return None


def _element(evaluation: Evaluation, args: _Args) -> pl.Expr:
    index, *choices = args
    picked = [pl.when(index == n).then(choice) for n, choice in enumerate(choices, start=1)]
    return pl.coalesce(picked)


def _choices(operands: Sequence[Operand]) -> Resolved:
    """Texts, or binary values, that ELT chooses among."""
    forms: tuple[Form, ...] = ((WHOLE, TEXT, ...), (WHOLE, BINARY, ...))
    index, *choices = fit("ELT", forms, operands)
    known = [
        type for type, o in zip(choices, operands[1:], strict=True) if o.type.root != Root.NULL
    ]
    common = known[0] if len(known) == len(choices) else None
    if len({(type.root, type.precision) for type in choices}) > 1 or common is None:
        length = max((type.precision or 0 for type in known), default=MAX_LENGTH)
        root = Root.VARBINARY if choices[0].root in BINARIES else Root.VARCHAR
        common = DataType(root=root, precision=length)
    return Resolved((index, *choices), common.with_nullable(True))


def _url_encoded(value: str) -> str:
    return quote_plus(value, safe="*").replace("~", "%7E")


def _url_decoded(value: str) -> str | None:
    return None if re.search("%(?![0-9A-Fa-f]{2})", value) else unquote_plus(value)


def _by_rows(
    function: Callable[..., object], dtype: pl.DataType | type[pl.DataType] = pl.String
) -> Callable[..., pl.Expr]:
    return lambda *args: by_distinct(function, dtype, *args)


def _lpad(value: str, length: int, fill: str) -> str | None:
    return _pad(value, length, fill, left=True)


def _rpad(value: str, length: int, fill: str) -> str | None:
    return _pad(value, length, fill, left=False)


STRINGS = [
    _text("||", (TEXT, TEXT), _concat, result=_joined_type),
    _text("CONCAT", (TEXT, ...), _concat),
    _text("CONCAT_WS", (TEXT, TEXT, ...), _concat_ws),
    _text("UPPER", (TEXT,), lambda a: a.str.to_uppercase(), result=first),
    _text("LOWER", (TEXT,), lambda a: a.str.to_lowercase(), result=first),
    _text("INITCAP", (TEXT,), _by_rows(_capitalised), result=first),
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
        kernel=_replace,
    ),
    _text("TRANSLATE", (TEXT, TEXT, TEXT), _by_rows(_translate), "TRANSLATE3"),
    _text("REVERSE", (TEXT,), lambda a: a.str.reverse(), nullable=True),
    _text("REPEAT", (TEXT, WHOLE), _by_rows(lambda value, count: value * count)),
    _text("LPAD", (TEXT, WHOLE, TEXT), _by_rows(_lpad)),
    _text("RPAD", (TEXT, WHOLE, TEXT), _by_rows(_rpad)),
    _text(
        "CHAR_LENGTH",
        (TEXT,),
        lambda a: a.str.len_chars().cast(pl.Int32),
        "CHARACTER_LENGTH",
        result=INT,
    ),
    _text("POSITION", (TEXT, TEXT), _position, result=INT),
    _text("LOCATE", ((TEXT, TEXT), (TEXT, TEXT, WHOLE)), _position, result=INT),
    _text(
        "INSTR",
        ((TEXT, TEXT), (TEXT, TEXT, WHOLE), (TEXT, TEXT, WHOLE, WHOLE)),
        _instr,
        result=INT,
        fallible=True,
    ),
    _text(
        "OVERLAY",
        ((TEXT, TEXT, WHOLE), (TEXT, TEXT, WHOLE, WHOLE)),
        _overlay,
        result=lambda o: varchar(
            min(MAX_LENGTH, (o[0].type.precision or 0) + (o[1].type.precision or 0))
        ),
    ),
    _text("ASCII", (TEXT,), _by_rows(_first_byte, pl.Int32), result=INT),
    _text("CHR", (WHOLE,), _by_rows(_chr), nullable=True),
    ScalarFunction(
        name="SPLIT_INDEX",
        infer=infer(
            "SPLIT_INDEX", (TEXT, TEXT, WHOLE), (TEXT, WHOLE, WHOLE), result=STRING, nullable=True
        ),
        kernel=_split_by,
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
        kernel=_to_map,
    ),
    _text("STARTSWITH", (TEXT, TEXT), lambda a, b: a.str.starts_with(b), result=BOOLEAN),
    _text("ENDSWITH", (TEXT, TEXT), lambda a, b: a.str.ends_with(b), result=BOOLEAN),
    ScalarFunction(
        name="TO_BASE64",
        infer=infer("TO_BASE64", (TEXT_OR_BINARY,), result=STRING),
        kernel=_encoded64,
    ),
    _text("FROM_BASE64", (TEXT,), _by_rows(_decoded64), fallible=True),
    _text("ENCODE", (TEXT, CONSTANT), _by_rows(_encode, pl.Binary), result=BYTES, fallible=True),
    _text("DECODE", (BINARY, CONSTANT), _by_rows(_decode), fallible=True),
    _text("UNHEX", (TEXT,), _by_rows(_unhex, pl.Binary), result=BYTES, nullable=True),
    _text("URL_ENCODE", (TEXT,), _by_rows(_url_encoded), nullable=True),
    _text("URL_DECODE", (TEXT,), _by_rows(_url_decoded), nullable=True),
    ScalarFunction(
        name="PRINTF",
        infer=infer("PRINTF", (TEXT,), (TEXT, PLAIN, ...), result=STRING, nullable=True),
        kernel=lambda e, args: printf([operand.type for operand in e.operands], args),
    ),
    ScalarFunction(
        name="PARSE_URL",
        infer=infer("PARSE_URL", (TEXT, TEXT), (TEXT, TEXT, TEXT), result=STRING, nullable=True),
        kernel=lambda _, args: by_distinct(url_part, pl.String, *args),
    ),
    ScalarFunction(
        name="ELT",
        infer=_choices,
        kernel=_element,
    ),
]
