"""Writes JSON as Flink's ``json`` format does."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.schema import Schema
from sameriver.common.types import (
    APPROXIMATE,
    CHARACTERS,
    INT,
    INTERVALS,
    NUMERIC,
    DataType,
    Root,
)
from sameriver.connectors.formats.encode import scalar
from sameriver.connectors.formats.format import Options
from sameriver.connectors.formats.text_writer import LineFile, lines_of
from sameriver.connectors.options import boolean, choice

_SHORT = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}
_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    **{chr(code): _SHORT.get(code, f"\\u{code:04X}") for code in range(32)},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonStyle:
    """Options of writing."""

    iso: bool
    plain_decimals: bool
    skip_nulls: bool
    null_key: str
    null_key_text: str


def check_encoding(options: Options, prefix: str) -> JsonStyle:
    """The style that options under ``prefix`` give."""
    standards = ("SQL", "ISO-8601")
    return JsonStyle(
        iso=choice(options, f"{prefix}.timestamp-format.standard", "SQL", standards) != "SQL",
        plain_decimals=boolean(options, f"{prefix}.encode.decimal-as-plain-number"),
        skip_nulls=boolean(options, f"{prefix}.encode.ignore-null-fields"),
        null_key=choice(options, f"{prefix}.map-null-key.mode", "FAIL", _MODES),
        null_key_text=options.get(f"{prefix}.map-null-key.literal", "null"),
    )


_MODES = ("FAIL", "DROP", "LITERAL")


def quoted(value: pl.Expr) -> pl.Expr:
    """A string as JSON text."""
    escaped = value.str.replace_many(list(_ESCAPES), list(_ESCAPES.values()))
    return pl.format('"{}"', escaped)


def json_value(value: pl.Expr, type: DataType, style: JsonStyle) -> pl.Expr:
    """The JSON text of a column; NULL stays NULL."""
    match type.root:
        case Root.ROW:
            pairs = zip(type.names, type.children, strict=True)
            fields = [(name, value.struct.field(name), child) for name, child in pairs]
            return pl.when(value.is_not_null()).then(json_object(fields, style))
        case Root.ARRAY:
            item = json_value(pl.element(), type.children[0], style).fill_null("null")
            return pl.format("[{}]", value.list.eval(item).list.join(","))
        case Root.MAP | Root.MULTISET:
            return _map(value, type, style)
        case Root.BOOLEAN:
            return value.cast(pl.String)
        case root if root in APPROXIMATE:
            shown = scalar(value, type, style.iso, style.plain_decimals)
            return pl.when(value.is_finite()).then(shown).otherwise(pl.format('"{}"', shown))
        case root if root in NUMERIC or root in INTERVALS:
            return scalar(value, type, style.iso, style.plain_decimals)
        case root if root in CHARACTERS:
            return quoted(value)
    return pl.format('"{}"', scalar(value, type, style.iso, style.plain_decimals))


def json_object(fields: list[tuple[str, pl.Expr, DataType]], style: JsonStyle) -> pl.Expr:
    """An object of the fields, in order."""
    parts = []
    for name, value, type in fields:
        shown = json_value(value, type, style)
        if not style.skip_nulls:
            shown = shown.fill_null("null")
        parts.append(pl.lit(_name(name) + ":") + shown)
    inner = pl.concat_str(parts, separator=",", ignore_nulls=style.skip_nulls)
    return pl.lit("{") + inner + pl.lit("}")


def _name(name: str) -> str:
    return '"' + "".join(_ESCAPES.get(c, c) for c in name) + '"'


def _map(value: pl.Expr, type: DataType, style: JsonStyle) -> pl.Expr:
    key_type = type.children[0]
    if key_type.root not in CHARACTERS:
        raise UserError(
            "UNSUPPORTED_TYPE",
            f"the json format can't write '{type.name}': keys of an object are strings",
            hint="Cast the keys to STRING.",
        )
    key, entry = pl.element().struct.field("key"), pl.element().struct.field("value")
    if style.null_key == "DROP":
        value = value.list.filter(key.is_not_null())
    elif style.null_key == "LITERAL":
        key = key.fill_null(style.null_key_text)
    content = type.children[1] if type.root is Root.MAP else INT
    shown = json_value(entry, content, style).fill_null("null")
    return pl.format("{{{}}}", value.list.eval(quoted(key) + ":" + shown).list.join(","))


class JsonWriter:
    """Writes one file of objects, one a line."""

    def __init__(self, path: Path, schema: Schema, options: Options, prefix: str) -> None:
        self._style = check_encoding(options, prefix)
        fields = [(field.name, pl.col(field.name), field.type) for field in schema]
        self._maps = [field.name for field in schema if field.type.root is Root.MAP]
        self._file = LineFile(path, lines_of(json_object(fields, self._style)))

    def write(self, changes: Changes) -> None:
        check_keys(changes.rows, self._maps, self._style)
        self._file.write(changes.rows)

    @property
    def size(self) -> int:
        return self._file.size

    def close(self) -> None:
        """Each write is whole."""


def check_keys(rows: pl.DataFrame, maps: list[str], style: JsonStyle) -> None:
    """Refuses NULL keys if they must fail.

    Raises:
        ExternalError: NULL_KEY.
    """
    if style.null_key != "FAIL":
        return
    for name in maps:
        keys = rows[name].drop_nulls().explode(empty_as_null=False).struct.field("key")
        if keys.null_count():
            raise ExternalError(
                "NULL_KEY",
                f"a map of column '{name}' has a NULL key, which JSON can't write",
                hint="Set 'json.map-null-key.mode' to 'DROP' or 'LITERAL'.",
            )
