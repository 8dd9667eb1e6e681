"""Data types: SQL text to types, with Flink's defaults and ranges."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sameriver.common import types as t
from sameriver.common.errors import UserError, nearest
from sameriver.common.types import DataType, Root
from sameriver.sql.cursor import Cursor
from sameriver.sql.tokens import Kind, Token

_PLAIN = {
    "BOOLEAN": t.BOOLEAN,
    "TINYINT": t.TINYINT,
    "SMALLINT": t.SMALLINT,
    "INT": t.INT,
    "INTEGER": t.INT,
    "BIGINT": t.BIGINT,
    "FLOAT": t.FLOAT,
    "DATE": t.DATE,
    "STRING": t.STRING,
    "BYTES": t.BYTES,
    "BITMAP": t.BITMAP,
    "VARIANT": t.VARIANT,
}


def time_type(digits: int) -> DataType:
    """TIME of so many digits of a second; of more than three Flink keeps three."""
    return t.time(min(digits, 3))


_SIZED: dict[str, tuple[Callable[[int], DataType], int, int, int]] = {
    "CHAR": (t.char, 1, 1, t.MAX_LENGTH),
    "VARCHAR": (t.varchar, t.MAX_LENGTH, 1, t.MAX_LENGTH),
    "BINARY": (t.binary, 1, 1, t.MAX_LENGTH),
    "VARBINARY": (t.varbinary, t.MAX_LENGTH, 1, t.MAX_LENGTH),
    "TIME": (time_type, 0, 0, 9),
    "TIMESTAMP": (t.timestamp, 6, 0, 9),
    "TIMESTAMP_LTZ": (t.timestamp_ltz, 6, 0, 9),
}
"""Word, constructor, default, least and most."""

_NESTED = ("ARRAY", "MAP", "MULTISET", "ROW", "STRUCTURED")
_DECIMALS = ("DECIMAL", "DEC", "NUMERIC")
_KNOWN = (*_PLAIN, *_SIZED, *_NESTED, *_DECIMALS, "DOUBLE", "INTERVAL")
_OTHERS = {
    "TEXT": "STRING",
    "LONG": "BIGINT",
    "SHORT": "SMALLINT",
    "BOOL": "BOOLEAN",
    "REAL": "FLOAT",
    "BLOB": "BYTES",
    "DATETIME": "TIMESTAMP",
    "TIMESTAMPTZ": "TIMESTAMP_LTZ",
    "NUMBER": "DECIMAL",
    "STRUCT": "ROW",
    "LIST": "ARRAY",
    "UUID": "STRING",
    "JSON": "STRING",
    "UNSIGNED": "BIGINT",
    "BYTE": "TINYINT",
}
"""Types of other databases, and what Flink has instead."""

_ROOTS = {
    Root.TIMESTAMP_LTZ: exp.DataType.Type.TIMESTAMPLTZ,
    Root.ROW: exp.DataType.Type.STRUCT,
    Root.INTERVAL_YEAR_MONTH: exp.DataType.Type.INTERVAL,
    Root.INTERVAL_DAY_TIME: exp.DataType.Type.INTERVAL,
    Root.MULTISET: exp.DataType.Type.USERDEFINED,
    Root.STRUCTURED: exp.DataType.Type.USERDEFINED,
    Root.BITMAP: exp.DataType.Type.USERDEFINED,
}

_LONGER = {
    "MILLISECOND": "A millisecond is INTERVAL '0.001' SECOND.",
}
_YEAR_MONTH = ("YEAR", "QUARTER", "MONTH")
_DAY_TIME = ("WEEK", "DAY", "HOUR", "MINUTE", "SECOND")


def type_node(cursor: Cursor) -> exp.DataType:
    """A type as a node of the tree.

    That of an interval of one unit tells the unit, and ``INT ARRAY`` that it does not say whether
    its elements may be NULL.
    """
    start, first = cursor.token, cursor.index
    node = node_of(data_type_of(cursor))
    words = [token.upper for token in cursor.tokens[first : cursor.index]]
    if words[0] == "INTERVAL" and "TO" not in words:
        node.meta["unit"] = words[1].removesuffix("S")
    node.meta["bare"] = words[-1] == "ARRAY"
    return cursor.mark(node, start)


def node_of(type: DataType) -> exp.DataType:
    """The node that stands for a type."""
    root = _ROOTS.get(type.root) or exp.DataType.Type[type.root.name]
    node = exp.DataType(this=root, kind=str(type), nested=bool(type.children))
    node.meta["type"] = type
    return node


def data_type(node: exp.DataType) -> DataType:
    """The type that a node of the tree stands for."""
    type = node.meta["type"]
    assert isinstance(type, DataType)
    return type


def data_type_of(cursor: Cursor) -> DataType:
    """``type [ARRAY | MULTISET] ...``; whether it takes NULL is not part of it.

    Raises:
        UserError: SYNTAX, UNKNOWN_TYPE, or BAD_TYPE where a size is out of range.
    """
    type = _base(cursor)
    while cursor.at_any("ARRAY", "MULTISET"):
        type = t.array(type) if cursor.advance().upper == "ARRAY" else t.multiset(type)
    return type


def nullable_type(cursor: Cursor) -> DataType:
    """``type [NOT NULL | NULL]``, as columns, fields and elements have it."""
    type = data_type_of(cursor)
    if cursor.accept("NOT", "NULL"):
        return type.not_null
    cursor.accept("NULL")
    return type


def _base(cursor: Cursor) -> DataType:
    start = cursor.token
    if start.kind is not Kind.WORD:
        cursor.unexpected("a data type")
    word = start.upper
    if word not in _KNOWN and word not in ("CHARACTER", "CHAR"):
        _unknown(cursor, start)
    cursor.advance()
    if word in _PLAIN:
        return _PLAIN[word]
    if word == "DOUBLE":
        cursor.accept("PRECISION")
        return t.DOUBLE
    if word in _DECIMALS:
        return _decimal(cursor, start)
    if word in _NESTED:
        return _nested(cursor, word)
    if word == "INTERVAL":
        return _interval(cursor)
    if word in ("CHARACTER", "CHAR"):
        word = "VARCHAR" if cursor.accept("VARYING") else "CHAR"
    if word == "BINARY" and cursor.accept("VARYING"):
        word = "VARBINARY"
    return _sized(cursor, start, word)


def _unknown(cursor: Cursor, token: Token) -> None:
    if token.upper == "RAW":
        cursor.unsupported("type RAW", token, "Use ROW, MAP or STRING.")
    other = _OTHERS.get(token.upper)
    hint = f"Flink's word for it is {other}." if other else nearest(token.text, _KNOWN)
    raise UserError(
        "UNKNOWN_TYPE",
        f"'{token.text}' is not a data type",
        hint=hint,
        position=cursor.position_of(token),
    )


def _sized(cursor: Cursor, start: Token, word: str) -> DataType:
    make, default, least, most = _SIZED[word]
    size = default
    if cursor.accept("("):
        size = cursor.number(f"the size of {word}")
        cursor.expect(")")
    if word == "TIMESTAMP" and cursor.accept("WITH", "LOCAL", "TIME", "ZONE"):
        make = t.timestamp_ltz
    elif word in ("TIMESTAMP", "TIME") and cursor.accept("WITHOUT", "TIME", "ZONE"):
        pass
    elif word in ("TIMESTAMP", "TIME") and cursor.at("WITH"):
        hint = "A moment on the global time line is a TIMESTAMP_LTZ(p)."
        cursor.unsupported(f"{word} WITH TIME ZONE", start, hint)
    if not least <= size <= most:
        what = "precision" if most == 9 else "length"
        _out_of_range(cursor, start, f"{word}({size})", f"Its {what} goes from {least} to {most}.")
    return make(size)


def _decimal(cursor: Cursor, start: Token) -> DataType:
    precision, scale = 10, 0
    if cursor.accept("("):
        precision = cursor.number("the precision of DECIMAL")
        if cursor.accept(","):
            scale = cursor.number("the scale of DECIMAL")
        cursor.expect(")")
    if not (1 <= precision <= 38 and scale <= precision):
        hint = "Its precision goes from 1 to 38, its scale from 0 to the precision."
        _out_of_range(cursor, start, f"DECIMAL({precision}, {scale})", hint)
    return t.decimal(precision, scale)


def _out_of_range(cursor: Cursor, start: Token, name: str, hint: str) -> None:
    where = cursor.span(start)
    raise UserError("BAD_TYPE", f"'{name}' is out of range", hint=hint, position=where)


def _nested(cursor: Cursor, word: str) -> DataType:
    opening = cursor.token
    if word == "ROW" and cursor.accept("("):
        return _row(cursor, opening, ")")
    cursor.expect("<")
    if word == "ROW":
        if cursor.accept(">"):
            return t.row(())
        return _row(cursor, opening, ">")
    if word == "STRUCTURED":
        return _structured(cursor, opening)
    first = nullable_type(cursor)
    if word == "MAP":
        cursor.expect(",")
        result = t.map_of(first, nullable_type(cursor))
    else:
        result = t.array(first) if word == "ARRAY" else t.multiset(first)
    cursor.close(opening, ">")
    return result


def _structured(cursor: Cursor, opening: Token) -> DataType:
    """``STRUCTURED<'class', field type, ...>``."""
    name = cursor.string("the name of the class, in single quotes")
    fields = cursor.separated(lambda: _field(cursor)) if cursor.accept(",") else []
    cursor.close(opening, ">")
    return t.structured(name, fields)


def _row(cursor: Cursor, opening: Token, closing: str) -> DataType:
    fields = cursor.separated(lambda: _field(cursor))
    cursor.close(opening, closing)
    return t.row(fields)


def _field(cursor: Cursor) -> tuple[str, DataType]:
    name = cursor.name("a field name")
    type = nullable_type(cursor)
    if cursor.accept("COMMENT"):
        cursor.string("the comment, in single quotes")
    elif cursor.token.kind is Kind.STRING:
        cursor.advance()
    return name, type


def _interval(cursor: Cursor) -> DataType:
    first, _ = interval_span(cursor)
    return t.INTERVAL_YEAR_MONTH if first in _YEAR_MONTH else t.INTERVAL_DAY_TIME


def interval_span(cursor: Cursor) -> tuple[str, str | None]:
    """``DAY`` or ``DAY TO SECOND``; the second unit is smaller and of the same family."""
    first = _interval_unit(cursor)
    if not cursor.accept("TO"):
        return first, None
    family = _YEAR_MONTH if first in _YEAR_MONTH else _DAY_TIME
    smaller = family[family.index(first) + 1 :]
    if cursor.token.upper.removesuffix("S") not in smaller:
        cursor.unexpected(" or ".join(smaller) or f"no TO after {first}")
    return first, _interval_unit(cursor)


def at_unit(cursor: Cursor) -> bool:
    """Whether a unit of an interval comes next."""
    return cursor.token.upper.removesuffix("S") in (*_YEAR_MONTH, *_DAY_TIME)


def _interval_unit(cursor: Cursor) -> str:
    """``DAY``, ``DAYS``, ``DAY(2)``, ``SECOND(2, 3)``, ...; the word without an S."""
    units = (*_YEAR_MONTH, *_DAY_TIME)
    word = cursor.token.upper.removesuffix("S")
    if word not in units:
        hint = _LONGER.get(word, "")
        cursor.unexpected("a unit of time: YEAR, MONTH, DAY, HOUR, MINUTE or SECOND", hint)
    cursor.advance()
    if cursor.accept("("):
        cursor.number("the digits of the unit")
        if cursor.accept(","):
            cursor.number("the digits of a second")
        cursor.expect(")")
    return word
